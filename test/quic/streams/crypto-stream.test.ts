import { expect, test } from 'vitest';
import { CryptoStream } from '../../../src/quic/streams/crypto-stream.ts';
import { patternOf, randomIntegers, shuffled } from '../_random.ts';

function readAll(stream: CryptoStream): Buffer {
  const pieces: Buffer[] = [];
  for (let piece = stream.read(); piece; piece = stream.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a ClientHello in thirty shuffled frames, some of one byte, is put together', () => {
  const hello = patternOf(1740);
  for (let seed = 0; seed < 100; seed++) {
    const random = randomIntegers(seed);
    const stream = new CryptoStream();
    const cuts = [0, ...Array.from({ length: 20 }, () => random(hello.length)), hello.length];
    for (let at = 0; at < 5; at++) cuts.push(...[0, 1].map((next) => next + random(1700)));
    cuts.sort((a, b) => a - b);
    for (const at of shuffled(cuts.length - 1, random)) {
      expect(stream.receive(cuts[at] ?? 0, hello.subarray(cuts[at], cuts[at + 1]))).toBeUndefined();
    }
    expect(readAll(stream).equals(hello)).toBe(true);
  }
});

test('what is sent is read at the other side, in frames of the size that is asked for', () => {
  const flight = patternOf(5000);
  const [client, server] = [new CryptoStream(), new CryptoStream()];
  server.outgoing.append(flight.subarray(0, 90));
  server.outgoing.append(flight.subarray(90));
  for (let frame = server.outgoing.take(1000); frame; frame = server.outgoing.take(1000)) {
    expect(frame.isLast).toBe(false);
    client.receive(frame.offset, frame.data);
  }
  expect(readAll(client).equals(flight)).toBe(true);
});

test('64 KiB may wait; more is CRYPTO_BUFFER_EXCEEDED (RFC 9000 7.5)', () => {
  const stream = new CryptoStream();
  expect(stream.receive(65_535, Buffer.from('x'))).toBeUndefined();
  expect(stream.receive(65_536, Buffer.from('x'))).toMatchObject({
    code: 'CRYPTO_BUFFER_EXCEEDED',
    section: 'RFC 9000 7.5',
  });
  stream.receive(0, Buffer.alloc(2));
  readAll(stream);
  expect(stream.receive(65_536, Buffer.from('x'))).toBeUndefined();
});

test('so are too many small pieces with gaps', () => {
  const stream = new CryptoStream();
  let wrong;
  for (let at = 1; at < 65_000 && !wrong; at += 2) wrong = stream.receive(at, Buffer.from('x'));
  expect(wrong?.code).toBe('CRYPTO_BUFFER_EXCEEDED');
});
