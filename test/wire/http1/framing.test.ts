import { expect, test } from 'vitest';
import { outlineOf } from '../../../src/wire/http1/framing.ts';

test.each([
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x,\r\n close\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x-close\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n', true],
])('%j leaves the connection open: %s', (head, persists) => {
  expect(outlineOf(head, 'GET')).toMatchObject({ status: 200, persists });
});

test.each([
  'SSH-2.0\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 20\r\n\r\n',
  'HTTP/1.1 2000\r\n\r\n',
  '\r\nHTTP/1.1 200 OK\r\n\r\n',
  '\nHTTP/1.1 200 OK\r\n\r\n',
])('%j has no status line', (head) => {
  expect(outlineOf(head, 'GET')).toBeUndefined();
});
