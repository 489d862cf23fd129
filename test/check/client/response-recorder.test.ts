import { describe, expect, test } from 'vitest';
import { ResponseRecorder } from '../../../src/check/client/response-recorder.ts';

/** Reads the bytes in pieces of a size. */
function read(text: string, size: number, method = 'GET'): ResponseRecorder {
  const reader = new ResponseRecorder(method);
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return reader;
}

describe.each([1, 7, 100_000])('in pieces of %i bytes', (size) => {
  test('Content-Length', () => {
    const reader = read('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nA: b\r\n\r\nabc', size);
    expect(reader.isReusable).toBe(true);
    expect(reader.response).toEqual({
      status: 200,
      fields: [
        ['Content-Length', '3'],
        ['A', 'b'],
      ],
      content: Buffer.from('abc'),
      trailers: [],
    });
  });

  test('chunks, extensions and trailers', () => {
    const chunks = '3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n';
    const reader = read(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, size);
    expect(reader.isComplete).toBe(true);
    expect(reader.response?.content.toString()).toBe('abcde');
    expect(reader.response?.trailers).toEqual([['T', 'u']]);
  });

  test('interim responses', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
    const reader = read(`${interim}HTTP/1.1 204 No Content\r\n\r\n`, size);
    expect(reader.interim.map(({ status }) => status)).toEqual([103, 100]);
    expect(reader.response?.status).toBe(204);
    expect(reader.isComplete).toBe(true);
  });

  test('until the connection is closed', () => {
    const reader = read('HTTP/1.1 200 OK\r\n\r\nabc', size);
    expect(reader.isComplete).toBe(false);
    reader.end();
    expect(reader.isComplete).toBe(true);
    expect(reader.isReusable).toBe(false);
    expect(reader.response?.content.toString()).toBe('abc');
  });

  test('bytes after the response', () => {
    const reader = read('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc', size);
    expect(reader.isComplete).toBe(true);
    expect(reader.isReusable).toBe(false);
    expect(reader.rest.toString()).toBe('bc');
  });

  test.each([
    ['garbage\r\n\r\n', 'status line'],
    ['\r\n\r\n', 'status line'],
    ['HTTP/1.1 abc\r\n\r\n', 'status line'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n', 'size'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n', 'line end'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 'Content-Length'],
  ])('%j is malformed', (text, reason) => {
    const reader = read(text, size);
    expect(reader.malformed).toContain(reason);
    expect(reader.isComplete).toBe(false);
  });
});

describe('a response without end is malformed, and no more of it is kept', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  const PIECE = 64 * 1024;

  test.each([
    ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'too many interim responses'],
    [
      'large interim responses',
      '',
      `HTTP/1.1 103 Early Hints\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`,
      'too many interim responses',
    ],
    [
      'interim responses with many fields',
      '',
      `HTTP/1.1 103 Early Hints\r\n${'a:\r\n'.repeat(900)}\r\n`,
      'too many interim responses',
    ],
    ['fields', HEAD, 'a:\r\n', 'a section is too long'],
    ['many fields', HEAD, `${'a:\r\n'.repeat(13_000)}\r\n`, 'a section has too many lines'],
    ['large fields', HEAD, `A: ${'b'.repeat(1000)}\r\n`, 'a section is too long'],
    ['content', `${HEAD}\r\n`, 'a'.repeat(PIECE), 'the content is too long'],
    [
      'chunks of one byte',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      '1\r\na\r\n',
      'the content is too long',
    ],
    [
      'trailers',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`,
      `${'A: b\r\n'.repeat(13_000)}\r\n`,
      'a section has too many lines',
    ],
  ])('%s', (_name, start, unit, reason) => {
    const reader = new ResponseRecorder('GET');
    reader.push(Buffer.from(start));
    const piece = Buffer.from(unit.repeat(Math.ceil(PIECE / unit.length)));
    for (let at = 0; at < 1000 && reader.malformed === undefined; at++) reader.push(piece);
    expect(reader.malformed).toBe(reason);
    const { length } = reader.rest;
    reader.push(piece);
    expect(reader.rest).toHaveLength(length);
  });

  test('of a long chunk extension', () => {
    const reader = new ResponseRecorder('GET');
    const piece = Buffer.from(
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(60_000)}\r\na\r\n`,
    );
    reader.push(piece);
    // What is kept is no part of it.
    piece.fill('b');
    reader.push(Buffer.from('0\r\n\r\n'));
    expect(reader.response?.content.toString()).toBe('a');
  });

  test('bytes after a complete response', () => {
    const reader = read(`${HEAD}Content-Length: 0\r\n\r\n`, 1000);
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; at < 100; at++) reader.push(piece);
    expect(reader.rest.length).toBeLessThan(2 * 1024 * 1024);
  });
});

test('a section above 1 MiB is malformed, also if its end arrives with its last bytes', () => {
  const start = 'HTTP/1.1 200 OK\r\nA: ';
  const size = 1024 * 1024 - 2;
  const head = start + 'a'.repeat(size - start.length);
  const { malformed } = read(`${head}\r\nContent-Length: 1\r\n\r\na`, size);
  expect(malformed).toBe('a section is too long');
});
