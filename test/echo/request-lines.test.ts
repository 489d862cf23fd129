import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { repeatedText } from '../../src/echo/request-lines.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { openClient } from '../_client.ts';
import { startService } from '../_service.ts';
import { ask } from '../_walk.ts';

/** A field whose characters take two in JSON. */
const long = (characters: number) => ({ 'x-long': '"'.repeat(characters) });

const JSONL = ['/jsonl?count=90&duration=300'];

/** The dialects, the paths of their lines, and how often a line is in memory while it waits. */
describe.each([
  ['wirebin', JSONL, 2],
  ['httpbin', JSONL, 2],
  ['go-httpbin', JSONL, 2],
  // Its lines are all the same.
  ['postman-echo', [], 1],
] as const)('%s', (dialect, jsonl, copies) => {
  const start = async (...args: string[]) => {
    const { port } = await startService('--dialect', dialect, ...args);
    const client = openClient('h2c', port);
    const statusOf = async (target: string, characters: number): Promise<number> =>
      (await client.request(target, { headers: long(characters) })).status;
    return { port, statusOf };
  };

  test.each(['/stream/100', ...jsonl])(
    '%s: pending lines count against the memory limit until the client disconnects',
    async (target) => {
      const { port, statusOf } = await start('--max-content-memory=8M', '--max-header-size=64K');
      // Each stream holds 56 KB.
      const characters = 28_000 / copies;
      const session = connectHttp2(`http://127.0.0.1:${port}`, {
        settings: { initialWindowSize: 0 },
      });
      await once(session, 'remoteSettings');
      const responses = Array.from({ length: 200 }, async () => {
        const stream = session.request({ ':path': target, ...long(characters) });
        stream.on('error', () => undefined);
        const [headers] = (await once(stream, 'response')) as [
          IncomingHttpHeaders & IncomingHttpStatusHeader,
        ];
        return headers[':status'];
      });
      const rejected = (await Promise.all(responses)).filter((status) => status === 503).length;
      expect(rejected).toBeGreaterThan(200 - (8 * 1024 ** 2) / 56e3);
      expect(rejected).toBeLessThan(100);
      expect(await statusOf('/stream/2', characters)).toBe(503);
      expect(await statusOf('/stream/2', 1)).toBe(200);
      session.destroy();
      await expect.poll(() => statusOf('/stream/2', characters)).toBe(200);
    },
  );

  test('the response is limited to 10 MiB', async () => {
    const { statusOf } = await start('--max-header-size', '128K', '--max-body-size', '4M');
    // Besides the field, a line has some hundred characters.
    expect(await statusOf('/stream/100', 51_000)).toBe(200);
    expect(await statusOf('/stream/100', 52_500)).toBe(400);
    if (jsonl.length === 0) return;
    expect(await statusOf('/jsonl?count=1000', 5000)).toBe(200);
    expect(await statusOf('/jsonl?count=1000', 5250)).toBe(400);
    expect(await statusOf('/jsonl?count=1000&delay=100', 5250)).toBe(400);
  });
});

test('a long text is sent as the same bytes each time, without a copy', () => {
  const payload = repeatedText('x'.repeat(20_000), 'n', 2);
  const first = payload.next(Infinity);
  expect(first).toBeInstanceOf(Uint8Array);
  expect(payload.next(Infinity)).toBe(first);
  expect([payload.next(Infinity), payload.held]).toEqual([undefined, 20_000]);
});

test.each([
  ['wirebin', '/jsonl?count=9999', 'count=9999'],
  ['go-httpbin', '/jsonl?count=99999', 'count=12192'],
  ['wirebin', '/stream/99', 'n=99'],
  ['httpbin', '/stream/999', 'n=100'],
  ['go-httpbin', '/stream/999', 'n=100'],
  ['postman-echo', '/stream/999', 'n=100'],
])('the %s error for %s names the parameter', async (dialect, target, parameter) => {
  const { port } = await startService('--dialect', dialect, '--max-header-size', '256K');
  const { status, body } = await ask('h2c', port, target, { headers: long(60_000) });
  expect(status).toBe(400);
  expect(body.toString()).toContain(`${parameter} makes more than 10485760 bytes of this request`);
});
