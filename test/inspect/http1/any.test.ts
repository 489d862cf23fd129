import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import { inputsLike, piecesOf, place } from '../../fuzz/mutations.ts';
import { clientOf, latin1, LIMITS, rebuilt, received, allFacts } from './_messages.ts';
import { rounds } from '../../_whole.ts';

const REQUESTS = [
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0A\r\n0123456789\r\n0\r\nX: y\r\n\r\n',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  '\r\nHEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n\0\0',
  'GET / HTTP/1.1\nX: y\n z\n\n',
];
const TOKENS = ['\r\n', '\n', '\r', '\r\n\r\n', '\n\n', ' ', ':', ';', '0\r\n', '5\r\n', 'f'];
const inputs = inputsLike([...REQUESTS, REQUESTS.join('')], TOKENS);

test('however the bytes are split, they are read the same', () => {
  fc.assert(
    fc.property(inputs, fc.array(place, { maxLength: 8 }), fc.boolean(), (bytes, places, isOwn) => {
      const whole = new Http1Reader(LIMITS);
      const pieces = new Http1Reader(LIMITS);
      const feed = (reader: Http1Reader) =>
        isOwn ? (piece: Buffer) => reader.sent(piece, 0) : clientOf(reader.requestTap);
      feed(whole)(bytes);
      const push = feed(pieces);
      for (const piece of piecesOf(bytes, places)) push(piece);
      expect(allFacts(pieces)).toEqual(allFacts(whole));
      expect(pieces.bytesKept).toBe(whole.bytesKept);
    }),
    { numRuns: rounds(500) },
  );
});

test('byte by byte', () => {
  const bytes = latin1(REQUESTS.slice(0, 5).join(''));
  const reader = new Http1Reader(LIMITS);
  const push = clientOf(reader.requestTap);
  for (const byte of bytes) push(Buffer.of(byte));
  expect(allFacts(reader)).toEqual(allFacts(received(bytes.toString('latin1'))));
  expect(reader.requests).toHaveLength(5);
});

test('no byte is lost: what is kept and what is counted make up what was sent', () => {
  const limits = { ...LIMITS, rest: 100_000, messages: 100_000, chunks: 100_000, bytes: Infinity };
  fc.assert(
    fc.property(inputs, (bytes) => {
      const reader = new Http1Reader(limits);
      clientOf(reader.requestTap)(bytes);
      const again = rebuilt(reader);
      expect(again).toHaveLength(bytes.length);
      // Content is not kept.
      const sent = bytes.toString('latin1');
      const same = again.split('').every((char, at) => char === '*' || char === sent[at]);
      expect(same).toBe(true);
    }),
    { numRuns: rounds(500) },
  );
});
