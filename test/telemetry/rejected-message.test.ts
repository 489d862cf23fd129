import { expect, test } from 'vitest';
import { redactForLog, redactForTap } from '../../src/telemetry/rejected-message.ts';

const inTap = (text: string): string | null => redactForTap({ text }, false).bytes;
const inLog = (text: string): string | null => redactForLog({ text }).bytes;

test.each([
  ['a query', 'GET /a?b=c d&pin=e HTTP/1.1\r\n', 'GET /a?b=c d&pin=[redacted] HTTP/1.1\r\n'],
  ['a secret field', 'A: b\r\nCookie: c=d\r\nE: f', 'A: b\r\nCookie: [redacted]\r\nE: f'],
  ['a secret field with a space in its name', 'X Api-Key: a', 'X Api-Key: [redacted]'],
  [
    'a secret field with obs-fold',
    'Cookie: a\r\n b\r\n\tc\r\nD: e',
    'Cookie: [redacted]\r\n[redacted]\r\n[redacted]\r\nD: e',
  ],
  [
    'a secret field that ends with bare CR or LF',
    'Cookie: a\rB: c\nToken: d',
    'Cookie: [redacted]\nToken: [redacted]',
  ],
  [
    'a secret after a bare CR',
    'Authorization: Basic\rabc\r\nA: b\rCookie: c\r\nD: e',
    'Authorization: [redacted]\r\nA: [redacted]\r\nD: e',
  ],
  [
    'a secret field whose first line is empty',
    'Authorization:\r\n Basic abc\r\nX-Api-Key:\r\n\tabc\r\nA:\r\n b',
    'Authorization:\r\n[redacted]\r\nX-Api-Key:\r\n[redacted]\r\nA:\r\n b',
  ],
  [
    'a secret that obs-fold divides',
    'GET / HTTP/1.1\r\nA: Basic\r\n dXNlcjpwYXNzd29yZA==\r\nB: c',
    'GET / HTTP/1.1\r\nA: [redacted]\r\n[redacted]\r\nB: c',
  ],
  [
    'a secret field after a line end that not everybody folds',
    'GET / HTTP/1.1\r\nHost: a\r\n\tAuthorization: Basic b\r\nC: d',
    'GET / HTTP/1.1\r\nHost: [redacted]\r\n[redacted]\r\nC: d',
  ],
  [
    'a secret field that has the form of a request line',
    'GET / HTTP/1.1\r\nCookie : a=b HTTP/1.1\r\n',
    'GET / HTTP/1.1\r\nCookie : [redacted]\r\n',
  ],
  [
    'a field line that begins with a tab',
    '\tReferer: https://a.example/b\r\n\tHost: u:p@a\r\nC: d',
    '\tReferer: [redacted]\r\n[redacted]\r\nC: d',
  ],
  [
    'a field line that begins with a tab after a request line',
    'GET / HTTP/1.1\r\n\tReferer: https://a.example/b\r\nC: d',
    'GET / HTTP/1.1\r\n\tReferer: https://a.example/[redacted]\r\nC: d',
  ],
  [
    'user information without its end',
    'GET / HTTP/1.1\r\nB: c\r\nHost: u:passwo',
    'GET / HTTP/1.1\r\nB: c\r\nHost: [redacted]',
  ],
  ['a secret field without a colon', 'Authorization Basic abc', 'Authorization[redacted]'],
  ['a query outside of a request line', 'GET /a?b=c', 'GET /a?[redacted]'],
  ['content', 'A: b\r\n\r\ncontent\r\n\r\nmore', 'A: b\r\n\r\n[redacted]'],
  ['nothing else', '\r\nrubbish \x16\r\n: \r\n', '\r\nrubbish \x16\r\n: \r\n'],
])('the tap redacts %s', (_, text, redacted) => {
  expect(inTap(text)).toBe(redacted);
  expect(redactForTap({ text }, true).bytes).toBe(text);
});

test.each([
  [
    'field values',
    'GET /a?b HTTP/1.1\r\nA: b\r\n c\r\n',
    'GET /a?[redacted] HTTP/1.1\r\nA: [redacted]\r\n[redacted]\r\n',
  ],
  ['unknown methods', 'HUNTER2 / HTTP/1.1\r\n', '[redacted] / HTTP/1.1\r\n'],
  ['unknown versions', 'GET / HTTP/HUNTER2\r\n', 'GET / [redacted]\r\n'],
  ['targets without a path', 'GET a?b HTTP/1.1\r\n', 'GET [redacted]?[redacted] HTTP/1.1\r\n'],
  ['authorities', 'CONNECT a:1 HTTP/1.1\r\n', 'CONNECT [redacted] HTTP/1.1\r\n'],
  ['fragments', 'GET /a#b HTTP/1.1\r\n', 'GET /a HTTP/1.1\r\n'],
  [
    'content and lines that are not HTTP',
    'rubbish\r\nB: \r\n\r\nc',
    '[redacted]\r\nB: \r\n\r\n[redacted]',
  ],
])('the log redacts %s', (_, text, redacted) => {
  expect(inLog(text)).toBe(redacted);
});

function shown(text: string): unknown[] {
  const { method, path, query } = redactForTap({ text }, true);
  return [method, path, query];
}

test('method, path and query are taken from a complete request line', () => {
  expect(shown('\r\nGET /a?b?c HTTP/1.1\r\nA')).toEqual(['GET', '/a', 'b?c']);
  expect(shown('GET /a b HTTP/1.1\r\n')).toEqual(['GET', '/a b', '']);
  for (const none of [
    'GET /a?b HTTP/1.1',
    'no message\r\n',
    'GET /a…HTTP/1.1\r\n',
    '…\r\nGET / HTTP/1.1\r\n',
  ]) {
    expect(shown(none)).toEqual([null, null, null]);
  }
  expect(redactForTap({ method: 'CONNECT', target: 'a:1' }, false)).toEqual({
    method: 'CONNECT',
    path: 'a:1',
    query: '',
    bytes: null,
  });
});

test('segments of a path that are secret are redacted', () => {
  const text = 'GET /basic-auth/a/b?pin=b HTTP/1.1\r\n';
  const path = '/basic-auth/[redacted]';
  for (const [view, query] of [
    [redactForTap({ text }, false), 'pin=[redacted]'],
    [redactForLog({ text }), '[redacted]'],
  ] as const) {
    expect(view).toMatchObject({ path, bytes: `GET ${path}?${query} HTTP/1.1\r\n` });
  }
});

test('cookies to set are redacted', () => {
  const text = 'GET /cookies/set?a=b HTTP/1.1\r\n';
  expect(redactForTap({ text }, false)).toMatchObject({
    query: 'a=[redacted]',
    bytes: 'GET /cookies/set?a=[redacted] HTTP/1.1\r\n',
  });
});
