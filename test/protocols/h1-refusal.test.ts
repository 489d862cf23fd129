import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAdapters, type Adapters } from '../_adapters.ts';
import { exchange, statusesOf } from '../_raw.ts';

const HOST = 'Host: x\r\n';
const CHUNKED = `${HOST}Transfer-Encoding: chunked\r\n\r\n`;

/** What is sent, and the one status it gets before the connection is closed. */
const unreadable: [name: string, bytes: string, status: number][] = [
  [
    'Content-Length with Transfer-Encoding (RFC 9112 6.1)',
    `POST /anything HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'Transfer-Encoding with Content-Length (RFC 9112 6.1)',
    `POST /anything HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'Content-Length twice (RFC 9112 6.3)',
    `POST /anything HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
  ],
  ...['+1', '-1', '0x1', '1,1', '1 1', '', '1e1', '99999999999999999999'].map(
    (length): [string, string, number] => [
      `Content-Length: '${length}'`,
      `POST /anything HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\na`,
      400,
    ],
  ),
  ['obs-fold (RFC 9112 5.2)', `GET /anything HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`, 400],
  ['bare LF', `GET /anything HTTP/1.1\n${HOST}\r\n`, 400],
  ['bare LF behind a field', 'GET /anything HTTP/1.1\r\nHost: x\n\r\n', 400],
  ['bare CR in a value (RFC 9112 2.2)', 'GET /anything HTTP/1.1\r\nHost: x\ry\r\n\r\n', 400],
  ['NUL in a value', `GET /anything HTTP/1.1\r\n${HOST}X-A: \0\r\n\r\n`, 400],
  ['a space before the colon (RFC 9112 5.1)', `GET / HTTP/1.1\r\n${HOST}X-A : b\r\n\r\n`, 400],
  ['a field without a name', `GET / HTTP/1.1\r\n${HOST}: b\r\n\r\n`, 400],
  ['a raw non-ASCII target', `GET /anything/\xe9 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown method', `BREW /anything HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['one byte that is no HTTP', '\0', 400],
  ['HTTP/9.9', `GET / HTTP/9.9\r\n${HOST}\r\n`, 505],
  ['HTTP/3.0', `GET / HTTP/3.0\r\n${HOST}\r\n`, 505],
  ['a chunk size that is none', `POST /anything HTTP/1.1\r\n${CHUNKED}zz\r\n`, 400],
  [
    'a chunk longer than its size',
    `POST /anything HTTP/1.1\r\n${CHUNKED}2\r\nabc\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk size that overflows',
    `POST /anything HTTP/1.1\r\n${CHUNKED}fffffffffffffffff\r\n`,
    400,
  ],
  [
    'chunk extensions of 32 KiB',
    `POST /anything HTTP/1.1\r\n${CHUNKED}1;${'a'.repeat(32_768)}`,
    413,
  ],
  [
    'a header section too large',
    `GET / HTTP/1.1\r\n${HOST}X-A: ${'a'.repeat(70_000)}\r\n\r\n`,
    431,
  ],
  ['a target too large', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
];

/** Messages that the parser lets pass and dispatch does not. */
const faulty: [name: string, bytes: string, status: number][] = [
  ['no Host (RFC 9112 3.2)', 'GET /anything HTTP/1.1\r\n\r\n', 400],
  ['Host twice', 'GET /anything HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', 400],
  ['an empty Host', 'GET /anything HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ['an invalid Host', 'GET /anything HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a Host with userinfo', 'GET /anything HTTP/1.1\r\nHost: a@b\r\n\r\n', 400],
  ['HTTP/0.9', 'GET /anything\r\n\r\n', 505],
  ['HTTP/2.0', `GET /anything HTTP/2.0\r\n${HOST}\r\n`, 505],
  [
    'a coding before chunked',
    `POST /anything HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    501,
  ],
  ['an unknown scheme', `GET ftp://x/anything HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a fragment (RFC 9110 7.1)', `GET /anything#a HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an asterisk without OPTIONS (RFC 9112 3.2.4)', `GET * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 501],
  ['CONNECT with bytes behind it', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n\x16\x03\x01', 501],
  [
    'an unknown expectation (RFC 9110 10.1.1)',
    `GET /anything HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`,
    417,
  ],
];

describe.each([
  ['in clear', undefined],
  ['over TLS', ['http/1.1']],
])('%s', (_, alpn) => {
  let adapters: Adapters;
  beforeAll(async () => {
    adapters = await startAdapters();
  });
  afterAll(() => adapters.close());

  test.each([...unreadable, ...faulty])('%s', async (_name, bytes, status) => {
    const received = await exchange(adapters.port, bytes, alpn);
    expect(statusesOf(received)).toEqual([status]);
    const [head = '', content = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^Connection: close$/im);
    expect(head).toMatch(/^Content-Type: application\/problem\+json$/im);
    expect(head).toMatch(/^X-Request-Id: \S+$/im);
    expect(head).toMatch(/^Date: /im);
    expect(head).toMatch(new RegExp(`^Content-Length: ${content.length}$`, 'im'));
    expect(JSON.parse(content)).toMatchObject({ status });
    expect(adapters.defects).toEqual([]);
  });
});
