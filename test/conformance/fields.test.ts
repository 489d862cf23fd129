import { conforms, request } from './_cases.ts';

const LINE = 'GET /ip HTTP/1.1';
const WITH = (field: string): string => request(LINE, `${field}\r\n`);
const HOSTS = (...hosts: string[]): string =>
  `${LINE}\r\n${hosts.map((host) => `Host:${host}\r\n`).join('')}\r\n`;

conforms([
  ['RFC 9112 5: white space around a value', WITH('X: \t b \t'), 200, 'usable'],
  ['RFC 9112 5: no white space', WITH('X:b'), 200, 'usable'],
  ['RFC 9110 5.5: an empty value', WITH('X:'), 200, 'usable'],
  ['RFC 9110 5.5: obs-text', WITH('X: \xe9'), 200, 'usable'],
  ['RFC 9110 5.5: NUL', WITH('X: \0'), 400, 'closed'],
  ['RFC 9110 5.5: a control character', WITH('X: \x01'), 400, 'closed'],
  ['RFC 9110 5.5: VT is no white space', WITH('X: a\x0bb'), 400, 'closed'],
  ['RFC 9110 5.5: DEL', WITH('X: \x7f'), 400, 'closed'],
  ['RFC 9110 5.1: a name that is no token', WITH('X(: b'), 400, 'closed'],
  ['RFC 9110 5.1: a byte above 127 in a name', WITH('X\xe9: b'), 400, 'closed'],
  ['RFC 9110 5.1: NUL in a name', WITH('X\0: b'), 400, 'closed'],
  ['RFC 9110 5.1: no name', WITH(': b'), 400, 'closed'],
  ['RFC 9112 5: no colon', WITH('Xb'), 400, 'closed'],
  ['RFC 9112 5.1: a space before the colon', WITH('X : b'), 400, 'closed'],
  ['RFC 9112 5.1: a tab before the colon', WITH('X\t: b'), 400, 'closed'],
  [
    'RFC 9112 5.1: one before that of Transfer-Encoding',
    WITH('Transfer-Encoding : chunked'),
    400,
    'closed',
  ],
  ['RFC 9112 5.1: one before that of Content-Length', WITH('Content-Length : 5'), 400, 'closed'],
  ['RFC 9112 5.2: obs-fold by a space', WITH('X: b\r\n c'), 400, 'closed'],
  ['RFC 9112 5.2: obs-fold by a tab', WITH('X: b\r\n\tc'), 400, 'closed'],
  ['RFC 9112 5.2: obs-fold of an empty first line', HOSTS('\r\n x'), 400, 'closed'],
  ['RFC 6585 5: a header section too large', WITH(`X: ${'a'.repeat(70_000)}`), 431, 'closed'],
  [
    'RFC 6585 5: the same in small fields',
    request(LINE, 'X-Field: value\r\n'.repeat(5000)),
    431,
    'closed',
  ],
  [
    'RFC 9112 3: a target beyond even that',
    request(`GET /${'a'.repeat(70_000)} HTTP/1.1`),
    414,
    'closed',
  ],

  ['RFC 9112 3.2: no Host', HOSTS(), 400, 'closed'],
  ['RFC 9112 3.2: Host twice', HOSTS('x', 'x'), 400, 'closed'],
  [
    'RFC 9112 3.2: Host twice in HTTP/1.0',
    request('GET /ip HTTP/1.0', 'Host: x\r\n'),
    400,
    'closed',
  ],
  ['RFC 9112 3.2: an empty Host', HOSTS(''), 400, 'closed'],
  ['RFC 9112 3.2: two hosts in one', HOSTS(' a, b'), 400, 'closed'],
  ['RFC 9112 3.2: a space in Host', HOSTS(' a b'), 400, 'closed'],
  ['RFC 9112 3.2: a path in Host', HOSTS(' a/b'), 400, 'closed'],
  ['RFC 9110 7.2: userinfo in Host', HOSTS(' a@b'), 400, 'closed'],
  ['RFC 9110 7.2: a port that is no number', HOSTS(' a:8x'), 400, 'closed'],
  ['RFC 9110 7.2: a port', HOSTS(' a:81'), 200, 'usable'],
  ['RFC 9110 7.2: an empty port (RFC 3986 3.2.3)', HOSTS(' a:'), 200, 'usable'],
  ['RFC 9110 7.2: an IPv6 address', HOSTS(' [::1]:80'), 200, 'usable'],
  ['RFC 9112 3.2: HTTP/1.0 without Host', 'GET /ip HTTP/1.0\r\n\r\n', 200, 'closed'],
]);
