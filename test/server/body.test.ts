import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readContent, streamContent } from '../../src/server/body.ts';
import { FakeExchange } from '../_exchange.ts';
import { collectGarbage } from '../_garbage.ts';

const ignore = (): void => undefined;

test.each([1, 2, 3, 1000, 70_000])('content in pieces of %i bytes', async (size) => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  const incoming = new PassThrough();
  const read = readContent(new FakeExchange('/post', { incoming }), content.length, ignore);
  for (let at = 0; at < content.length; at += size) {
    incoming.write(content.subarray(at, at + size));
    if (at % 5000 === 0) await turn();
  }
  incoming.end();
  expect((await read).equals(content)).toBe(true);
});

test('pieces, each a view of 64 KiB, are not kept', async () => {
  const incoming = new PassThrough();
  const read = readContent(new FakeExchange('/post', { incoming }), 1000, ignore);
  const pieces: WeakRef<Buffer>[] = [];
  for (let at = 0; at < 100; at++) {
    const piece = Buffer.from('x');
    pieces.push(new WeakRef(piece));
    incoming.write(piece);
    await turn();
  }
  await turn();
  collectGarbage();
  expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(10);
  incoming.end();
  expect(await read).toHaveLength(100);
});

test('content that takes long to process takes turns with that of others', async () => {
  const PIECE = 40_000;
  const order: string[] = [];
  const read = (name: string): Promise<void> => {
    const incoming = new PassThrough({ highWaterMark: 10 * PIECE });
    for (let at = 0; at < 5; at++) incoming.write(Buffer.alloc(PIECE));
    incoming.end();
    const exchange = new FakeExchange('/upload', { incoming });
    return streamContent(exchange, Infinity, () => {
      order.push(name);
      const end = performance.now() + 2;
      while (performance.now() < end);
    });
  };
  const small = read('a');
  const other = read('b');
  await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setImmediate(resolve));
  // Pieces beyond 64 KiB are read in later iterations.
  expect(order.length).toBeLessThan(8);
  await Promise.all([small, other]);
  expect(order.filter((name) => name === 'a').length).toBeGreaterThan(1);
});

test('content of more than 16 KiB is counted, also in one piece', async () => {
  expect(await counts(16 * 1024)).toBe(0);
  expect(await counts(16 * 1024 + 1)).toBe(16 * 1024 + 1);
  expect(await counts(60_000)).toBe(60_000);
  expect(await counts(10_000, 10_000)).toBeGreaterThanOrEqual(20_000);
});

/** The bytes that are counted of content that arrives in such pieces. */
async function counts(...sizes: number[]): Promise<number> {
  const incoming = new PassThrough();
  for (const size of sizes) incoming.write(Buffer.alloc(size));
  incoming.end();
  let counted = 0;
  await readContent(new FakeExchange('/post', { incoming }), 1e6, (bytes) => (counted += bytes));
  return counted;
}
