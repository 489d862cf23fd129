import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openClient } from '../_client.ts';
import { startService } from '../_service.ts';
import { tshark } from './_tshark.ts';

// The files of --inspect-file, of which a connection over TLS has several.

const REQUESTS = 12;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('each file can be read alone, and all of them decrypt the connection', async () => {
  const ring = ['--inspect-file-size=1', '--inspect-file-count=100'];
  const { port, service } = await startService('--inspect', `--inspect-file=${directory}`, ...ring);
  const client = openClient('h2', port);
  for (let count = 0; count < REQUESTS; count++) await client.request('/bytes/500000');
  client.close();
  await service.stop();
  const names = (await readdir(directory)).toSorted();
  const files = names.map((name) => join(directory, name));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    // Complete, and nothing in it is malformed.
    await vi.waitFor(() => tshark(file, port), 10_000);
    const lines = await tshark(file, port, '-Y', 'tcp.len > 0');
    expect(lines.length).toBeGreaterThan(0);
    expect(await tshark(file, port, '-Y', '_ws.malformed')).toEqual([]);
  }
  const all = join(directory, 'all.pcapng');
  await promisify(execFile)('mergecap', ['-w', all, ...files]);
  const decrypted = ['-Y', 'http2.headers.path', '-T', 'fields', '-e', 'http2.headers.path'];
  const paths = (await tshark(all, port, ...decrypted)).flatMap((line) => line.split(','));
  expect(paths).toEqual(Array.from({ length: REQUESTS }, () => '/bytes/500000'));
});
