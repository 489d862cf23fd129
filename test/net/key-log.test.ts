import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, expect, test, vi } from 'vitest';
import { openKeyLog } from '../../src/net/key-log.ts';
import { converse } from '../_raw.ts';
import { startService } from '../_service.ts';
import { warningsAtStart } from '../_settings.ts';
import { HAS_MODES } from '../_system.ts';
import { PATIENCE } from '../_adapters.ts';

const directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
afterAll(() => rm(directory, { recursive: true }));

/** The secrets a client logs for its own connection. */
async function secretsOf(port: number, version: tls.SecureVersion): Promise<string[]> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    minVersion: version,
    maxVersion: version,
  });
  const lines: string[] = [];
  socket.on('keylog', (line: Buffer) => lines.push(line.toString()));
  await once(socket, 'secureConnect');
  // The server logs the last secrets when it receives the client's Finished.
  await converse(socket, 'GET /healthz HTTP/1.0\r\n\r\n');
  socket.destroy();
  return lines;
}

test('every secret of a connection is appended, in agreement with the client (RFC 9850)', async () => {
  const file = join(directory, 'secrets');
  const { port } = await startService('--tls-keylog', file);
  const secrets = [...(await secretsOf(port, 'TLSv1.3')), ...(await secretsOf(port, 'TLSv1.2'))];
  expect(secrets.some((line) => line.startsWith('CLIENT_TRAFFIC_SECRET_0 '))).toBe(true);
  expect(secrets.some((line) => line.startsWith('CLIENT_RANDOM '))).toBe(true);
  await vi.waitFor(async () => {
    const written = await readFile(file, 'utf8');
    for (const line of secrets) expect(written).toContain(line);
    for (const line of written.trim().split('\n')) {
      expect(line).toMatch(/^[A-Z_0-9]+ [0-9a-f]{64} [0-9a-f]{64,96}$/);
    }
  }, PATIENCE);
  expect((await stat(file)).mode & 0o777).toBe(HAS_MODES ? 0o600 : 0o666);
});

test('logs a warning at the start', async () => {
  expect(await warningsAtStart('--tls-keylog', 'secrets')).toEqual([
    'TLS secrets are written to secrets: they decrypt every connection',
  ]);
});

test('the existing content is kept', async () => {
  const file = join(directory, 'kept');
  await writeFile(file, '# before\n');
  const { port } = await startService('--tls-keylog', file);
  const [line = ''] = await secretsOf(port, 'TLSv1.3');
  await vi.waitFor(async () => {
    const written = await readFile(file, 'utf8');
    expect(written.startsWith('# before\n')).toBe(true);
    expect(written).toContain(line);
  }, PATIENCE);
});

test('a file that cannot be opened prevents the start with a one-line error', async () => {
  const file = join(directory, 'absent', 'secrets');
  await expect(startService('--tls-keylog', file)).rejects.toThrow(
    /^the TLS key log cannot be opened: ENOENT: [^\n]*secrets'$/,
  );
});

test('a write error is logged once, and the service continues', async () => {
  const onFailure = vi.fn<(error: Error) => void>();
  const keyLog = await openKeyLog('/dev/full', onFailure);
  keyLog.write(Buffer.from('one\n'));
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledOnce(), PATIENCE);
  expect(onFailure.mock.calls[0]?.[0].message).toMatch(/^ENOSPC/);
  keyLog.write(Buffer.from('two\n'));
  keyLog.close();
  expect(onFailure).toHaveBeenCalledOnce();
});
