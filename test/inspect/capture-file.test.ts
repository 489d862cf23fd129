import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../_service.ts';
import { blocksOf } from './_pcapng.ts';

const ENHANCED_PACKET = 6;
const DECRYPTION_SECRETS = 10;
const IP_AND_TCP_HEADER = 40;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wirebin-capture-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('a capture has the secrets before the packets that they decrypt', async () => {
  const { service, port } = await startService('--inspect', '--inspect-file', directory);
  const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/healthz' });
  for await (const _ of stream.setEncoding('utf8'));
  session.close();
  await service.stop();
  const [name = ''] = readdirSync(directory);
  expect(name).toMatch(/^wirebin-[\dTZ-]+-\d+\.pcapng$/);
  expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  const blocks = await complete(join(directory, name));
  const secrets = blocks.findLastIndex(({ type }) => type === DECRYPTION_SECRETS);
  const lines = blocks
    .filter(({ type }) => type === DECRYPTION_SECRETS)
    .map(({ body }) => body.toString('latin1', 8))
    .join('');
  expect(lines).toContain('CLIENT_TRAFFIC_SECRET_0 ');
  expect(lines).toContain('SERVER_TRAFFIC_SECRET_0 ');
  // The client sends its request in the third read, after the ClientHello and its Finished at the earliest.
  const dataPackets = blocks.flatMap(({ type, body }, at) =>
    type === ENHANCED_PACKET && body.readUInt32LE(12) > IP_AND_TCP_HEADER ? [at] : [],
  );
  expect(dataPackets.length).toBeGreaterThan(3);
  expect(secrets).toBeLessThan(dataPackets[2] ?? 0);
});

/** The blocks, once the last one is written. */
async function complete(file: string): Promise<ReturnType<typeof blocksOf>> {
  for (;;) {
    const blocks = blocksOf(readFileSync(file));
    if (blocks.at(-1)?.type === 5) return blocks;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
