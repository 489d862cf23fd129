import { start } from '../processes.ts';
import type { Scenario } from '../scenarios.ts';
import { serverOf } from '../servers.ts';
import { freePort, listening, type Peer } from './peer.ts';

/** httpbin cuts /bytes at 100 KiB and /range too. */
const MOST = 100 * 1024;

function pathOf({ path }: Scenario): string | undefined {
  if (path === '/healthz') return '/base64/T0s=';
  return Number(/\d+$/.exec(path)?.[0] ?? 0) > MOST ? undefined : path;
}

/** httpbin under gunicorn with one worker: HTTP/1.1 in clear is what it has. */
export const httpbin: Peer = {
  name: 'httpbin (gunicorn)',
  program: 'gunicorn',
  needs: 'pip install httpbin gunicorn, and gunicorn on the PATH',
  async start(program) {
    const port = await freePort();
    const options = ['--workers', '1', '--keep-alive', '60', '--log-level', 'error'];
    const child = start(program, [...options, '--bind', `127.0.0.1:${port}`, 'httpbin:app']);
    await listening(port);
    return [serverOf({ name: 'httpbin (gunicorn)', child, ports: { 'http/1.1': port }, pathOf })];
  },
};
