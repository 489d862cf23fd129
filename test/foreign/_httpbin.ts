import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../_system.ts';

/** Runs httpbin itself by an interpreter that has it. @param use gets its port */
export async function withHttpbin(
  program: string,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const words = ['-m', 'httpbin.core', '--port', String(port)];
  const server = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    // The last line before it listens. It logs to the same stream, which must stay open.
    for await (const piece of server.stderr.iterator({ destroyOnReturn: false })) {
      if (String(piece).includes('CTRL+C')) break;
    }
    server.stderr.resume();
    await use(port);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}
