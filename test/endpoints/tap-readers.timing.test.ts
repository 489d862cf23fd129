import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { numberOf } from '../_events.ts';
import { GET, openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { alone, Reader, withoutChunks } from '../_tap.ts';

/** Sends batches of 50 requests with large fields. @returns the longest time of a batch in ms */
async function load(port: number, batches: number): Promise<number> {
  const socket = await openSocket(port);
  const batch = GET('/healthz', `X-Large: ${'x'.repeat(4000)}\r\n`).repeat(50);
  let answers = 0;
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1').split('HTTP/1.1 200').length - 1;
  });
  let longest = 0;
  for (let nth = 1; nth <= batches; nth++) {
    const start = performance.now();
    socket.write(batch);
    await until(() => answers >= 50 * nth);
    longest = Math.max(longest, performance.now() - start);
  }
  socket.end();
  return longest;
}

describe.each(['http/1.1', 'h2'] as const)('over %s', (transport) => {
  test('a reader that does not read loses events, gets `lost` events, and blocks no one else', async () => {
    const { port } = await startService('--tap', { lingerTime: 100, sweepInterval: 20 });
    const reader = await Reader.open(transport, port);
    reader.socket.pause();
    const before = process.memoryUsage().rss;
    const longest = await load(port, 120);
    expect(longest).toBeLessThan(2000);
    // Only one chunk is queued for it; the rest is in the kernel's socket buffers.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 ** 2);
    reader.allow();
    await until(() => withoutChunks(reader.tail).includes('"kind":"closed"'));
    // Every number is accounted for, by an event or in a `lost` event.
    const { events } = reader;
    let last = numberOf(events[0]?.id) - 1;
    for (const { id, event, data } of events) {
      if (event === 'lost') {
        expect(numberOf(data['first'])).toBe(last + 1);
        expect(numberOf(data['last'])).toBe(last + Number(data['count']));
        expect(data['count']).toBeGreaterThan(0);
        expect(id).toBe(data['last']);
      } else expect(numberOf(id)).toBe(last + 1);
      last = numberOf(id);
    }
    expect(last).toBeGreaterThan(6000);
    expect(events.some(({ event }) => event === 'lost')).toBe(true);
  });

  test('a drain ends the stream with an event', async () => {
    const { port, service } = await startService('--tap', { lingerTime: 100, sweepInterval: 20 });
    const reader = await Reader.open(transport, port);
    const other = openClient(transport, port);
    await other.request('/ip');
    const drained = service.drain();
    await until(() => reader.events.at(-1)?.event === 'end');
    expect(reader.events.at(-1)?.data).toEqual({ kind: 'end', reason: 'draining' });
    expect(reader.events.map(({ event }) => event)).toContain('request');
    reader.socket.on('end', () => reader.socket.end());
    other.close();
    expect(await drained).toBe(0);
    expect(reader.isDone).toBe(true);
  });

  test('events of readers do not generate more events for them', async () => {
    const { port } = await startService('--tap', { lingerTime: 100, sweepInterval: 20 });
    const [one, two] = [await Reader.open(transport, port), await Reader.open(transport, port)];
    await pause(600);
    // Events of the first reader itself, or of the second one, whose connection is newer.
    expect(one.events.length).toBeLessThanOrEqual(2);
    expect(two.events).toEqual([]);
  });
});

test('sixteen readers, and 503 for the next until one disconnects', async () => {
  const { port } = await startService('--tap', { lingerTime: 100, sweepInterval: 20 });
  const readers: Reader[] = [];
  for (let nth = 0; nth < 16; nth++) {
    readers.push(await Reader.open(transports[nth % 4] ?? 'h2', port));
  }
  const client = openClient('h2c', port);
  const refused = await client.request('/tap');
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.body.toString())).toMatchObject({
    type: '/problems/too-many-readers',
    detail: expect.stringContaining('16'),
  });
  // HEAD does not occupy a reader.
  readers[3]?.socket.destroy();
  for (let nth = 0; nth < 20; nth++) {
    const { status } = await client.request('/tap', { method: 'HEAD' });
    if (nth > 0 && status === 200) break;
    await pause(20);
  }
  expect((await client.request('/tap?duration=0')).status).toBe(200);
  for (const { socket } of readers) socket.destroy();
  await alone(client);
  const again = Array.from({ length: 16 }, () => client.request('/tap?duration=0.1'));
  expect((await Promise.all(again)).map(({ status }) => status)).toEqual(Array(16).fill(200));
});

test('no reader is accepted during a drain', async () => {
  const { port, service } = await startService('--tap', { lingerTime: 100, sweepInterval: 20 });
  const client = openClient('h2c', port);
  const held = client.request('/delay/0.5');
  await pause(100);
  const drained = service.drain();
  await pause(50);
  const late = await client.request('/tap').catch(() => undefined);
  // HTTP/2 has sent GOAWAY by then; a request that still arrives is rejected.
  expect([undefined, 503]).toContain(late?.status);
  expect((await held).status).toBe(200);
  expect(await drained).toBe(0);
});
