import { expect, test } from 'vitest';
import { loggedRefused, tapRefused } from '../../src/telemetry/rejected-message.ts';

const same = (path: string): string => path;
const inTap = (text: string): string | null => tapRefused({ text }, false, same).bytes;
const inLog = (text: string): string | null => loggedRefused({ text }, same).bytes;

test.each([
  ['a query', 'GET /a?b=c d HTTP/1.1\r\n', 'GET /a?[redacted] HTTP/1.1\r\n'],
  ['a secret field', 'A: b\r\nCookie: c=d\r\nE: f', 'A: b\r\nCookie: [redacted]\r\nE: f'],
  ['one with spaces in its name', 'X Api-Key: a', 'X Api-Key: [redacted]'],
  [
    'the rest of one in obs-fold',
    'Cookie: a\r\n b\r\n\tc\r\nD: e',
    'Cookie: [redacted]\r\n[redacted]\r\n[redacted]\r\nD: e',
  ],
  [
    'one that bare CR or LF ends',
    'Cookie: a\rB: c\nToken: d',
    'Cookie: [redacted]\rB: c\nToken: [redacted]',
  ],
  ['one without its colon', 'Authorization Basic abc', 'Authorization[redacted]'],
  ['a query in what is no request line', 'GET /a?b=c', 'GET /a?[redacted]'],
  ['content', 'A: b\r\n\r\ncontent\r\n\r\nmore', 'A: b\r\n\r\n[redacted]'],
  [
    'what comes behind a gap, up to the next line',
    'GET / HTTP/1.1\r\nCoo…kie: a\r\nB: c',
    'GET / HTTP/1.1\r\nCoo…[redacted]\r\nB: c',
  ],
  [
    'a request line with a gap',
    'GET /a?b…c HTTP/1.1\r\nB: c',
    'GET /a?[redacted]…[redacted]\r\nB: c',
  ],
  ['nothing else', '\r\nrubbish \x16\r\n: \r\n', '\r\nrubbish \x16\r\n: \r\n'],
])('the tap hides %s', (_, text, shown) => {
  expect(inTap(text)).toBe(shown);
  expect(tapRefused({ text }, true, same).bytes).toBe(text);
});

test.each([
  [
    'field values',
    'GET /a?b HTTP/1.1\r\nA: b\r\n c\r\n',
    'GET /a?[redacted] HTTP/1.1\r\nA: [redacted]\r\n[redacted]\r\n',
  ],
  ['methods that nobody knows', 'HUNTER2 / HTTP/1.1\r\n', '[redacted] / HTTP/1.1\r\n'],
  ['authorities', 'CONNECT a:1 HTTP/1.1\r\n', 'CONNECT [redacted] HTTP/1.1\r\n'],
  ['fragments', 'GET /a#b HTTP/1.1\r\n', 'GET /a HTTP/1.1\r\n'],
  [
    'content and what is no line of a message',
    'rubbish\r\nB: \r\n\r\nc',
    '[redacted]\r\nB: \r\n\r\n[redacted]',
  ],
])('the log hides %s', (_, text, shown) => {
  expect(inLog(text)).toBe(shown);
});

test('method, path and query are those of a whole request line', () => {
  const shown = (text: string): unknown[] => {
    const { method, path, query } = tapRefused({ text }, true, same);
    return [method, path, query];
  };
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
  expect(tapRefused({ method: 'CONNECT', target: 'a:1' }, false, same)).toEqual({
    method: 'CONNECT',
    path: 'a:1',
    query: '',
    bytes: null,
  });
});

const pattern = (path: string): string => (path === '/a/secret' ? '/a/{b}' : path);

test('the path of an endpoint with secrets is its pattern', () => {
  const text = 'GET /a/secret?b HTTP/1.1\r\n';
  for (const shown of [tapRefused({ text }, false, pattern), loggedRefused({ text }, pattern)]) {
    expect(shown).toMatchObject({ path: '/a/{b}', bytes: 'GET /a/{b}?[redacted] HTTP/1.1\r\n' });
  }
});
