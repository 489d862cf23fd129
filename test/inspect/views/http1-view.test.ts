import { expect, test } from 'vitest';
import {
  http1SummaryView,
  requestView,
  responseView,
} from '../../../src/inspect/views/http1-view.ts';
import { NOTHING_REDACTED, type Redaction } from '../../../src/inspect/views/view.ts';
import { wireRedaction } from '../../../src/telemetry/rejected-message.ts';
import type { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import { latin1, received } from '../http1/_messages.ts';

function viewOf(reader: Http1Reader, number: number, redaction: Redaction = NOTHING_REDACTED) {
  const trace = reader.request(number);
  if (!trace) throw new Error(`there is no request ${number}`);
  return requestView(trace, 0, redaction);
}

test('a request: the offset of each part, line ends, chunks and trailers as sent', () => {
  const head =
    'POST /p?q=1 HTTP/1.1\r\nHost: x\r\nX-A: \t b \r\nTransfer-Encoding: chunked\r\n\r\n';
  const text = `${head}3;a=1\r\nabc\r\n0\r\nX-T: t\r\n\r\n`;
  expect(viewOf(received(text), 1)).toEqual({
    number: 1,
    offset: 0,
    length: text.length,
    at_ms: 0,
    head_at_ms: 0,
    end_at_ms: 0,
    head,
    head_length: head.length,
    line: { offset: 0, method: 'POST', target: '/p?q=1', version: 'HTTP/1.1', end: 'crlf' },
    fields: [
      { offset: 22, name: 'Host', value: 'x', end: 'crlf' },
      { offset: 31, name: 'X-A', value: 'b', end: 'crlf' },
      { offset: 42, name: 'Transfer-Encoding', value: 'chunked', end: 'crlf' },
    ],
    head_end: 'crlf',
    content: {
      framing: 'chunked',
      received: 3,
      chunks: [
        {
          offset: head.length,
          line: '3;a=1',
          line_end: 'crlf',
          size: 3,
          extension: ';a=1',
          data_end: 'crlf',
        },
        { offset: head.length + 12, line: '0', line_end: 'crlf', size: 0, data_end: 'none' },
      ],
      chunk_count: 2,
      chunks_left_out: 0,
    },
    trailers: {
      offset: head.length + 15,
      text: 'X-T: t\r\n\r\n',
      fields: [{ offset: head.length + 15, name: 'X-T', value: 't', end: 'crlf' }],
    },
  });
});

test('what was not kept is counted', () => {
  const head = `GET / HTTP/1.1\r\nX: ${'x'.repeat(100)}\r\n\r\n`;
  expect(viewOf(received(head, { keptSection: 20 }), 1)).toMatchObject({
    head: head.slice(0, 20),
    head_length: head.length,
    head_left_out: head.length - 20,
  });
  const reader = received('GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n', { messages: 1 });
  expect(http1SummaryView(reader.summary, NOTHING_REDACTED)).toMatchObject({
    requests: { bytes: 38, messages: 2, left_out: 1 },
    pipelined: 1,
    most_ahead: 1,
  });
});

test('which byte was refused, and what came after the message', () => {
  const reader = received(
    'GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nA B: c\r\n\r\nGET /3 HTTP/1.1\r\n\r\n',
  );
  expect(viewOf(reader, 1)).not.toHaveProperty('refused_at');
  expect(viewOf(reader, 2)).toMatchObject({
    refused_at: 18,
    head: 'GET /2 HTTP/1.1\r\nA B: c\r\n\r\n',
    fields: [{ name: 'A B', invalid_at: 18 }],
  });
  expect(http1SummaryView(reader.summary, NOTHING_REDACTED)).toMatchObject({
    refused: { at: 37, reason: 'white space follows a field name' },
    requests: { rest: { bytes: 'GET /3 HTTP/1.1\r\n\r\n' } },
  });
});

test('secrets of all parts are redacted', () => {
  const secret = 'hunter2';
  const reader = received(
    `GET /p?token=${secret} HTTP/1.1\r\nCookie: a=${secret}\r\nAuthorization: Basic ${secret}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n0\r\nX-Api-Key: ${secret}\r\n\r\n` +
      `GET /q?token=${secret}`,
  );
  reader.sent(
    latin1(
      `HTTP/1.1 200 OK\r\nSet-Cookie: a=${secret}\r\nLocation: /a?token=${secret}\r\nContent-Length: 0\r\n\r\n`,
    ),
    0,
  );
  const [response] = reader.request(1)?.responses ?? [];
  if (!response) throw new Error('there is no response');
  const views = [
    viewOf(reader, 1, wireRedaction),
    viewOf(reader, 2, wireRedaction),
    responseView(response, 0, wireRedaction),
  ];
  expect(JSON.stringify(views)).not.toContain(secret);
  expect(views[0]).toMatchObject({ line: { target: '/p?token=[redacted]' } });
  expect(JSON.stringify(views.slice(0, 2))).toMatch(/Cookie.*Authorization.*X-Api-Key/);
  expect(viewOf(reader, 1)['head']).toContain(secret);
});

test('content that a reader could not follow is redacted', () => {
  const reader = received(
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nnot a size: secret\r\n',
  );
  const shown = http1SummaryView(reader.summary, NOTHING_REDACTED);
  expect(shown).toMatchObject({
    requests: { rest: { kind: 'confused', bytes: 'not a size: secret\r\n', length: 20 } },
  });
  expect(http1SummaryView(reader.summary, wireRedaction)).toMatchObject({
    requests: { rest: { bytes: '[redacted]', length: 20 } },
  });
});

test.each([
  ['a query without a version', 'GET /?pin=secret\r\n\r\n'],
  ['a query in place of a method', '?secret / HTTP/1.1\r\n\r\n'],
  ['a field line in place of a request line', 'Authorization: secret HTTP/1.1\r\n\r\n'],
  ['a command of another protocol', 'AUTH PLAIN secret\r\n\r\n'],
  ['a password in place of a target', 'PASS secret\r\n\r\n'],
  ['JSON in place of a request line', '{"password": "secret"} HTTP/1.1\r\n\r\n'],
  ['a query in place of a version', 'GET / ?secret\r\n\r\n'],
  ['a field line without a colon', 'GET / HTTP/1.1\r\nCookie secret\r\n\r\n'],
  ['a folded field line', 'GET / HTTP/1.1\r\nCookie: a\r\n secret\r\n\r\n'],
  ['a field line after a bare CR', 'GET / HTTP/1.1\r\nX-A: a\rCookie: secret\r\n\r\n'],
  [
    'an extension of a chunk',
    'GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;token=secret\r\n',
  ],
])('%s is redacted', (_, text) => {
  const reader = received(text);
  expect(JSON.stringify(viewOf(reader, 1))).toContain('secret');
  expect(JSON.stringify(viewOf(reader, 1, wireRedaction))).not.toContain('secret');
});

test('what is left out of a section and of a chunk line is counted', () => {
  const head = `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: ${'x'.repeat(100)}\r\n\r\n`;
  const text = `${head}1;a=${'b'.repeat(100)}\r\n.\r\n0\r\nX-T: ${'t'.repeat(100)}\r\n\r\n`;
  expect(viewOf(received(text, { keptSection: 50 }), 1)).toMatchObject({
    head_left_out: head.length - 50,
    content: { chunks: [{ line_left_out: 54 }, { line: '0' }] },
    trailers: { text_left_out: 59 },
  });
});
