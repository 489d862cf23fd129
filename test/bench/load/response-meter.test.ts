import { expect, test } from 'vitest';
import { ResponseMeter } from '../../../src/bench/load/response-meter.ts';

/** What a reader says of a response in these pieces. */
function read(...pieces: readonly (string | Buffer)[]) {
  const reader = new ResponseMeter();
  for (const piece of pieces) reader.push(Buffer.from(piece));
  const { status, length, keepsAlive, isComplete, isMalformed } = reader;
  return { status, length, keepsAlive, isComplete, isMalformed };
}

const complete = { status: 200, length: 5, keepsAlive: true, isComplete: true, isMalformed: false };

test.each([
  ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde', {}],
  ['HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n', { status: 502, length: 0 }],
  ['HTTP/1.1 204 No Content\r\n\r\n', { status: 204, length: 0 }],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\n\r\n', {}],
  ['HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nabcde', { keepsAlive: false }],
  ['HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde', {}],
])('%j, whole and byte by byte', (text, expected) => {
  expect(read(text)).toEqual({ ...complete, ...expected });
  expect(read(...Array.from(text))).toEqual({ ...complete, ...expected });
});

test.each([
  'SSH-2.0\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
  '\r\nHTTP/1.1 204 No Content\r\n\r\n',
  `HTTP/1.1 200 ${'a'.repeat(300_000)}`,
])('%.60j is malformed', (text) => {
  expect(read(text)).toMatchObject({ isMalformed: true, isComplete: false });
});

test('content without a length ends with the connection', () => {
  const reader = new ResponseMeter();
  reader.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\nab'));
  reader.push(Buffer.from('c'));
  expect(reader.isComplete).toBe(false);
  reader.end();
  expect(reader).toMatchObject({ isComplete: true, length: 3, keepsAlive: false });
});

test('101 ends the responses of HTTP/1.1: what follows is read no more', () => {
  const reader = new ResponseMeter();
  const upgrade = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n');
  reader.push(upgrade);
  expect(reader).toMatchObject({ isComplete: true, status: 101, keepsAlive: false });
  reader.reset();
  reader.push(upgrade);
  expect(reader.isMalformed).toBe(true);
});

test('a head above the limit is malformed, however it arrives', () => {
  const limit = 256 * 1024;
  const start = 'HTTP/1.1 200 OK\r\nA: ';
  const head = start + 'a'.repeat(limit - 2 - start.length);
  const end = '\r\nContent-Length: 1\r\n\r\na';
  expect(read(head, end)).toMatchObject({ isMalformed: true, isComplete: false });
});

test('the end of a connection does not complete another response', () => {
  const reader = new ResponseMeter();
  reader.push(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'));
  reader.end();
  expect(reader.isComplete).toBe(false);
});

test('a response like the one before, and others after it', () => {
  const reader = new ResponseMeter();
  const push = (...pieces: readonly string[]) => {
    reader.reset();
    for (const piece of pieces) reader.push(Buffer.from(piece));
    const { status, length, isComplete, isMalformed } = reader;
    return [status, length, isComplete, isMalformed];
  };
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
  for (const content of ['ab', 'cd', 'ab'])
    expect(push(ok + content)).toEqual([200, 2, true, false]);
  expect(push(ok, 'ab')).toEqual([200, 2, true, false]);
  expect(push(`${ok}ab`, 'c')).toEqual([200, 2, false, true]);
});

test('another head of the same length as the one before', () => {
  const reader = new ResponseMeter();
  for (const status of [200, 200, 404, 404, 200]) {
    reader.reset();
    reader.push(Buffer.from(`HTTP/1.1 ${status} A\r\nContent-Length: 2\r\n\r\nab`));
    expect(reader).toMatchObject({ status, length: 2, isComplete: true });
  }
  // An interim response is none.
  const early = 'HTTP/1.1 103 A\r\nLink: a\r\n\r\n';
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  for (const _ of [1, 2]) {
    reader.reset();
    reader.push(Buffer.from(early + ok));
    expect(reader).toMatchObject({ status: 200, length: 0, isComplete: true });
  }
});

test('one response after the other', () => {
  const reader = new ResponseMeter();
  const contents = [
    'Content-Length: 1\r\n\r\na',
    'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  ];
  for (const [at, content] of [...contents, ...contents].entries()) {
    const status = 200 + at;
    reader.push(Buffer.from(`HTTP/1.1 ${status} A\r\n${content}`));
    expect(reader).toMatchObject({ isComplete: true, status, length: 1 });
    reader.reset();
  }
});

test('a response to HEAD has no content, and the next to GET has', () => {
  const reader = new ResponseMeter();
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
  for (const [method, text] of [
    ['HEAD', head],
    ['GET', `${head}ab`],
    ['HEAD', head],
  ] as const) {
    reader.reset(method);
    reader.push(Buffer.from(text));
    expect(reader).toMatchObject({ isComplete: true, length: method === 'HEAD' ? 0 : 2 });
  }
});

test('content is hashed if asked for, in chunks or not', () => {
  const reader = new ResponseMeter();
  const head = 'HTTP/1.1 200 OK\r\n';
  for (const rest of [
    'Content-Length: 3\r\n\r\nabc',
    'Content-Length: 3\r\n\r\nabc',
    'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
  ]) {
    reader.reset('GET', true);
    reader.push(Buffer.from(head + rest));
    // FIPS 180-2, appendix B.1.
    expect(reader.sha256).toMatch(/^ba7816bf8f01cfea414140de5dae2223b00361a3/);
  }
  reader.reset();
  expect(reader.sha256).toBeUndefined();
});
