import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readContent } from '../../src/server/body.ts';
import { FakeExchange } from '../_exchange.ts';

setFlagsFromString('--expose-gc');
const ignore = (): void => undefined;
const collectGarbage = runInNewContext('gc') as () => void;

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
