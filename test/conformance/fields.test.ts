import { closed, conforms, request, usable } from './_cases.ts';

const LINE = 'GET /ip HTTP/1.1';
const WITH = (field: string): string => request(LINE, `${field}\r\n`);
const HOSTS = (...hosts: string[]): string =>
  `${LINE}\r\n${hosts.map((host) => `Host:${host}\r\n`).join('')}\r\n`;

conforms([
  usable('RFC 9112 5: white space around a value', WITH('X: \t b \t')),
  usable('RFC 9112 5: no white space', WITH('X:b')),
  usable('RFC 9110 5.5: an empty value', WITH('X:')),
  usable('RFC 9110 5.5: obs-text', WITH('X: \xe9')),
  closed('RFC 9110 5.5: NUL', WITH('X: \0')),
  closed('RFC 9110 5.5: a control character', WITH('X: \x01')),
  closed('RFC 9110 5.5: VT is no white space', WITH('X: a\x0bb')),
  closed('RFC 9110 5.5: DEL', WITH('X: \x7f')),
  closed('RFC 9110 5.1: a name that is no token', WITH('X(: b')),
  closed('RFC 9110 5.1: a byte above 127 in a name', WITH('X\xe9: b')),
  closed('RFC 9110 5.1: NUL in a name', WITH('X\0: b')),
  closed('RFC 9110 5.1: no name', WITH(': b')),
  closed('RFC 9112 5: no colon', WITH('Xb')),
  closed('RFC 9112 5.1: a space before the colon', WITH('X : b')),
  closed('RFC 9112 5.1: a tab before the colon', WITH('X\t: b')),
  closed('RFC 9112 5.1: one before that of Transfer-Encoding', WITH('Transfer-Encoding : chunked')),
  closed('RFC 9112 5.1: one before that of Content-Length', WITH('Content-Length : 5')),
  closed('RFC 9112 5.2: obs-fold by a space', WITH('X: b\r\n c')),
  closed('RFC 9112 5.2: obs-fold by a tab', WITH('X: b\r\n\tc')),
  closed('RFC 9112 5.2: obs-fold of an empty first line', HOSTS('\r\n x')),
  closed('RFC 6585 5: a header section too large', WITH(`X: ${'a'.repeat(70_000)}`), 431),
  closed(
    'RFC 6585 5: the same in small fields',
    request(LINE, 'X-Field: value\r\n'.repeat(5000)),
    431,
  ),
  closed(
    'RFC 9112 3: a target beyond even that',
    request(`GET /${'a'.repeat(70_000)} HTTP/1.1`),
    414,
  ),

  closed('RFC 9112 3.2: no Host', HOSTS()),
  closed('RFC 9112 3.2: Host twice', HOSTS('x', 'x')),
  closed('RFC 9112 3.2: Host twice in HTTP/1.0', request('GET /ip HTTP/1.0', 'Host: x\r\n')),
  closed('RFC 9112 3.2: an empty Host', HOSTS('')),
  closed('RFC 9112 3.2: two hosts in one', HOSTS(' a, b')),
  closed('RFC 9112 3.2: a space in Host', HOSTS(' a b')),
  closed('RFC 9112 3.2: a path in Host', HOSTS(' a/b')),
  closed('RFC 9110 7.2: userinfo in Host', HOSTS(' a@b')),
  closed('RFC 9110 7.2: a port that is no number', HOSTS(' a:8x')),
  usable('RFC 9110 7.2: a port', HOSTS(' a:81')),
  usable('RFC 9110 7.2: an empty port (RFC 3986 3.2.3)', HOSTS(' a:')),
  usable('RFC 9110 7.2: an IPv6 address', HOSTS(' [::1]:80')),
  closed('RFC 9112 3.2: HTTP/1.0 without Host', 'GET /ip HTTP/1.0\r\n\r\n', 200),
]);
