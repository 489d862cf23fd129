import { describe, expect, test } from 'vitest';
import { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import { CHUNKED, clientOf, GET, latin1, LIMITS, received } from './_messages.ts';

describe('bounds', () => {
  test('of a head that is not read to its end', () => {
    const reader = received(`GET / HTTP/1.1\r\nX: ${'y'.repeat(100)}\r\n\r\n${GET}`, {
      section: 20,
    });
    expect(reader.request(1)?.message.head).toEqual({
      text: 'GET / HTTP/1.1\r\nX: y',
      length: 123,
    });
    expect(reader.summary.requests.rest).toMatchObject({
      reason: 'the header section exceeds the limit',
      text: GET,
    });
  });

  test('of messages: the newest are kept', () => {
    const reader = received(GET.repeat(5), { messages: 2 });
    expect(reader.requests.map(({ number }) => number)).toEqual([4, 5]);
    expect(reader.summary.requests).toMatchObject({ messages: 5, leftOut: 3 });
    expect(reader.request(3)).toBeUndefined();
  });

  test('of bytes', () => {
    const reader = received(GET.repeat(1000), { messages: 1000, bytes: 10_000 });
    expect(reader.bytesKept).toBeLessThan(11_000);
    expect(reader.requests.length).toBeGreaterThan(10);
  });

  test.each([
    ['1\r\na\r\nA\r\n0123456789\r\n'.repeat(20), 41, 220],
    ['5;a=b\r\nhello\r\n1\r\nx\r\n2;a\r\nab\r\n3\r\nabc\r\n'.repeat(5), 21, 55],
    ['00000000005\r\nhello\r\n1\r\nx\r\n'.repeat(5), 11, 30],
  ])(
    'of chunks, which are counted however they are cut: %j',
    (chunks, chunkCount, contentLength) => {
      const bytes = Buffer.from(`${CHUNKED}${chunks}0\r\n\r\nGET / HTTP/1.1\r\n\r\n`);
      for (let size = 1; size <= bytes.length; size++) {
        const reader = new Http1Reader({ ...LIMITS, chunks: 2 });
        const push = clientOf(reader.requestTap);
        for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
        const { message } = reader.request(1) ?? {};
        expect(message).toMatchObject({ chunkCount, contentLength, length: bytes.length - 18 });
        expect(message?.chunks).toHaveLength(2);
        expect(reader.summary.requests).toMatchObject({ messages: 2, rest: undefined });
      }
    },
  );

  test('of chunks', () => {
    const reader = received(`${CHUNKED}${'1\r\nx\r\n'.repeat(50)}0\r\n\r\n`, { chunks: 10 });
    expect(reader.request(1)?.message).toMatchObject({ chunkCount: 51, contentLength: 50 });
    expect(reader.request(1)?.message.chunks).toHaveLength(10);
    const few = received(`${CHUNKED}${'1\r\nx\r\n'.repeat(50)}0\r\n\r\n`, { bytes: 1000 });
    expect(few.bytesKept).toBeLessThan(1200);
    expect(few.request(1)?.message).toMatchObject({ chunkCount: 51, contentLength: 50 });
  });

  test('of what follows', () => {
    const reader = received(`CONNECT x:1 HTTP/1.1\r\n\r\n${'x'.repeat(500)}`, { rest: 10 });
    expect(reader.summary.requests.rest).toMatchObject({ text: 'x'.repeat(10), length: 500 });
  });

  test('nothing grows with endless bytes of any kind', () => {
    for (const text of [
      '\r\n',
      'x',
      'GET / HTTP/1.1\r\nX',
      `${CHUNKED}1;`,
      `${CHUNKED}0\r\nX: y\r\n`,
    ]) {
      const reader = new Http1Reader({ ...LIMITS, section: 1000, keptSection: 1000, bytes: 5000 });
      const push = clientOf(reader.requestTap, 1000);
      push(latin1(text));
      for (let piece = 0; piece < 100; piece++) push(latin1(text.slice(-2).repeat(5000)));
      expect(reader.bytesKept).toBeLessThan(8000);
    }
  });
});
