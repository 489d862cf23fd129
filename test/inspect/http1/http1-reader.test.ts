import { describe, expect, test } from 'vitest';
import { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import { CHUNKED, clientOf, GET, latin1, LIMITS, received } from './_messages.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';

const fieldsOf = (text: string) => received(text).request(1)?.head.fields ?? [];

describe('the head of a request', () => {
  test.each([
    ['bare LF', 'X: y\n', { end: 'lf', notes: [] }],
    ['obs-fold', 'X: y\r\n\tz\r\n', { value: 'y\r\n\tz', end: 'crlf', notes: ['obs-fold'] }],
    ['obs-fold of an empty line', 'X:\r\n y\r\n', { value: '\r\n y', notes: ['obs-fold'] }],
    ['white space before the colon', 'X \t: y\r\n', { name: 'X', notes: ['space-before-colon'] }],
    ['white space around the value', 'X: \t y \t\r\n', { value: 'y', notes: [] }],
    ['no white space', 'X:y\r\n', { value: 'y', notes: [] }],
    ['no value', 'X:\r\n', { value: '', notes: [] }],
    ['no colon', 'Xy\r\n', { name: 'Xy', value: '', notes: ['no-colon'] }],
    ['no name', ': y\r\n', { name: '', value: 'y', notes: ['invalid-name'], invalidAt: 17 }],
    ['an invalid name', 'X(: y\r\n', { name: 'X(', notes: ['invalid-name'], invalidAt: 18 }],
    ['NUL', 'X: a\0\r\n', { value: 'a\0', notes: ['invalid-value'], invalidAt: 21 }],
    ['a bare CR', 'X: a\rb\r\n', { value: 'a\rb', notes: ['invalid-value', 'bare-cr'] }],
    ['a CR before the line end', 'X: a\r\r\n', { value: 'a\r', end: 'crlf', invalidAt: 21 }],
    ['obs-text', 'X: \xe9\r\n', { value: '\xe9', notes: [], invalidAt: undefined }],
    [
      'white space before the first field',
      ' X: y\r\n',
      { name: ' X', notes: ['leading-space', 'invalid-name'], invalidAt: 17 },
    ],
  ])('%s', (_, line, field) => {
    const fields = fieldsOf(`GET / HTTP/1.1\r\n\r\n`.replace('\r\n\r\n', `\r\n ${line}\r\n`));
    expect(fields).toHaveLength(1);
    // Without the space that is only there for the offsets to begin at 17.
    const shifted = fieldsOf(`GET /a HTTP/1.1\r\n${line}\r\n`);
    expect(shifted).toMatchObject([field]);
  });

  test.each([
    ['GET /i p HTTP/1.1', ['GET', '/i p', 'HTTP/1.1']],
    ['GET /ip', ['GET', '/ip', undefined]],
    ['GET /ip HTTP/1.1 ', ['GET', '/ip HTTP/1.1', '']],
    ['hello', ['hello', undefined, undefined]],
    ['GET  HTTP/1.1', ['GET', '', 'HTTP/1.1']],
  ])('the request line %j', (line, parts) => {
    const request = received(`${line}\r\n\r\n`).request(1)?.head.line;
    expect([request?.method, request?.target, request?.version]).toEqual(parts);
  });

  test('empty lines before it belong to it (RFC 9112 2.2)', () => {
    const reader = received(`\r\n\r\n${GET}\r\n`);
    expect(reader.request(1)).toMatchObject({
      message: { offset: 0, length: GET.length + 4 },
      head: { line: { offset: 4, method: 'GET' } },
    });
    expect(reader.summary.requests).toMatchObject({
      messages: 1,
      pending: { text: '\r\n', length: 2 },
    });
  });

  test('an incomplete one is parsed as far as it arrived', () => {
    const reader = received('GET / HTTP/1.1\r\nX: y\r');
    expect(reader.request(1)).toMatchObject({
      message: { headComplete: false, length: undefined, head: { length: 21 } },
      head: { fields: [{ name: 'X', value: 'y\r', end: 'none' }], end: 'none' },
    });
  });
});

describe('content', () => {
  const IS_CHUNKED = { content: 'chunked' };
  const UPGRADES = { content: 'none', after: 'upgrade' };
  test.each([
    ['no field', '', { content: 'none' }],
    ['a length', 'Content-Length: 3\r\n', { content: 'length', length: 3 }],
    [
      'the same length twice',
      'Content-Length: 3\r\ncontent-length: 3\r\n',
      { content: 'unknown', reason: 'Content-Length is repeated' },
    ],
    ['no number', 'Content-Length: +3\r\n', { content: 'unknown' }],
    ['more than can be counted', `Content-Length: ${2 ** 60}\r\n`, { content: 'unknown' }],
    ['chunked', 'Transfer-Encoding: \tChunked\r\n', IS_CHUNKED],
    [
      'both (RFC 9112 6.3)',
      'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
      { content: 'unknown' },
    ],
    ['another coding', 'Transfer-Encoding: chunked, gzip\r\n', { content: 'unknown' }],
    ['Upgrade', 'Connection: x, Upgrade\r\nUpgrade: h2c\r\n', UPGRADES],
    ['Upgrade without Connection', 'Upgrade: h2c\r\n', { content: 'none', after: 'message' }],
  ])('%s', (_, fields, framing) => {
    const { message } = received(`POST / HTTP/1.1\r\n${fields}\r\n`).request(1) ?? {};
    expect(message?.framing).toMatchObject(framing);
  });

  test('is counted', () => {
    const reader = received(`POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello${GET}`);
    expect(reader.request(1)?.message).toMatchObject({ contentLength: 5, length: 43 });
    expect(reader.request(2)?.message).toMatchObject({ offset: 43 });
  });

  test.each([
    ['zz\r\nhello', 'a chunk line is not valid', 'zz\r\n', 0],
    ['fffffffffffffffff\r\nhello', 'a chunk line is not valid', 'fffffffffffffffff\r\n', 13],
    ['\r\nhello', 'a chunk line is not valid', '\r\n', 0],
    ['5\r\nhelloX\r\n', 'no line end after the data of a chunk', '', 0],
    ['5\r\nhello\rX', 'no line end after the data of a chunk', '\rX', 1],
  ])('nothing is read from %j', (content, reason, kept, at) => {
    const { rest } = received(CHUNKED + content).summary.requests;
    const text = kept === '' ? 'X\r\n' : content.slice(content.indexOf(kept));
    const offset = CHUNKED.length + content.indexOf(text);
    const byte = offset + at;
    expect(rest).toEqual({ kind: 'confused', reason, offset, byte, text, length: text.length });
  });
});

describe('what follows', () => {
  test.each([
    ['CONNECT x:1 HTTP/1.1\r\n\r\n', 'tunnel'],
    ['GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'upgrade'],
  ])('after %j is counted', (head, kind) => {
    const { rest } = received(`${head}\0\x01`).summary.requests;
    expect(rest).toMatchObject({ kind, offset: head.length, text: '\0\x01', length: 2 });
  });

  test('requests that come ahead of their turn', () => {
    const reader = new Http1Reader(LIMITS);
    const push = clientOf(reader.requestTap);
    push(latin1(GET + GET + GET));
    reader.sent(latin1(OK), 1);
    push(latin1(GET), 2);
    reader.sent(latin1(OK + OK + OK), 3);
    push(latin1(GET), 4);
    expect(reader.requests.map(({ ahead }) => ahead)).toEqual([0, 1, 2, 2, 0]);
    expect(reader.summary).toMatchObject({ pipelined: 3, maxAhead: 2 });
  });
});

function read(request: string, ...responses: string[]): Http1Reader {
  const reader = received(request);
  for (const response of responses) reader.sent(latin1(response), 1);
  return reader;
}

describe('responses', () => {
  test('are paired with their requests', () => {
    const reader = read(GET + GET, 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' + OK + OK);
    const statuses = (number: number) =>
      reader.request(number)?.responses.map(({ head }) => head.line.status);
    expect(statuses(1)).toEqual(['103', '200']);
    expect(statuses(2)).toEqual(['200']);
    expect(reader.request(1)?.responses[1]?.head).toMatchObject({
      line: {
        version: 'HTTP/1.1',
        status: '200',
        reason: 'OK',
      },
      fields: [{ offset: 17, name: 'Content-Length', value: '2' }],
    });
  });

  test.each([
    ['HEAD', '200 OK\r\nContent-Length: 5', { content: 'none', after: 'message' }],
    ['GET', '204 No Content', { content: 'none', after: 'message' }],
    ['GET', '304 Not Modified\r\nContent-Length: 5', { content: 'none', after: 'message' }],
    ['GET', '101 Switching Protocols', { content: 'none', after: 'upgrade' }],
    ['CONNECT', '200 OK', { content: 'none', after: 'tunnel' }],
    ['CONNECT', '501 No\r\nContent-Length: 5', { content: 'length', length: 5 }],
    ['GET', '200 OK', { content: 'until-close' }],
    ['GET', '200 OK\r\nTransfer-Encoding: chunked', { content: 'chunked' }],
    ['GET', '200 OK\r\nTransfer-Encoding: gzip', { content: 'until-close' }],
  ])('to %s: %j', (method, response, framing) => {
    const reader = read(`${method} x:1 HTTP/1.1\r\n\r\n`, `HTTP/1.1 ${response}\r\n\r\n`);
    expect(reader.responses[0]?.framing).toMatchObject(framing);
  });

  test('without a length end with the connection', () => {
    const reader = read(GET, 'HTTP/1.1 200 OK\r\n\r\nab', 'c');
    expect(reader.responses[0]).toMatchObject({ contentLength: 3, length: undefined });
    reader.sentEnd(2);
    expect(reader.responses[0]).toMatchObject({ contentLength: 3, length: 22, endTime: 2 });
  });

  test('to a request that is still incomplete, and before any request', () => {
    const reader = read('HEAD / HTTP/1.1\r\n', 'HTTP/1.1 408 No\r\nContent-Length: 1\r\n\r\nx');
    expect(reader.request(1)?.responses).toMatchObject([{ message: { contentLength: 1 } }]);
    expect(read('', OK).responses).toMatchObject([{ request: undefined, length: 40 }]);
  });
});
