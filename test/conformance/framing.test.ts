import { closed, conforms, MAX_BODY, post, request, usable } from './_cases.ts';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const EMPTY = '0\r\n\r\n';
const CODED = (...codings: string[]): string =>
  post(codings.map((coding) => `Transfer-Encoding:${coding}\r\n`).join(''), EMPTY);
const LENGTH = (...lengths: string[]): string =>
  post(lengths.map((length) => `Content-Length: ${length}\r\n`).join(''), 'a');
const ONE = (line: string): string => request(`${line} HTTP/1.1`, 'Content-Length: 1\r\n', 'a');

conforms([
  // Request smuggling: with the length of the other field, the G would begin the next request.
  closed('RFC 9112 6.1: CL.TE', post(`Content-Length: 6\r\n${CHUNKED}`, `${EMPTY}G`)),
  closed('RFC 9112 6.1: TE.CL', post(`${CHUNKED}Content-Length: 3\r\n`, `1\r\nG\r\n${EMPTY}`)),
  closed('RFC 9112 6.1: CL.TE of nothing', post(`Content-Length: 0\r\n${CHUNKED}`, EMPTY)),
  closed('RFC 9112 6.1: TE.TE', CODED('chunked', 'chunked')),
  closed('RFC 9112 6.1: chunked twice in a list', CODED('chunked, chunked')),
  closed('RFC 9112 6.1: chunked twice, once in upper case', CODED('chunked', 'CHUNKED')),
  closed('RFC 9112 6.1: chunked twice, with a tab between', CODED('chunked\t, chunked')),
  closed('RFC 9112 6.1: in HTTP/1.0', request('POST /anything HTTP/1.0', CHUNKED, EMPTY)),
  closed(
    'RFC 9112 6.1: in HTTP/1.0 with keep-alive',
    request('POST /anything HTTP/1.0', `Connection: keep-alive\r\n${CHUNKED}`, EMPTY),
  ),
  usable('RFC 9112 6.1: after a tab', CODED('\tchunked')),
  usable('RFC 9110 5.6.1: after an empty element', CODED(' ,chunked')),
  usable('RFC 9112 7: in upper case', CODED(' CHUNKED')),
  usable('RFC 9112 6.1: with GET', request('GET /anything HTTP/1.1', CHUNKED, EMPTY)),
  closed('RFC 9112 6.1: a coding before chunked', CODED('gzip, chunked'), 501),
  closed('RFC 9112 6.1: the same in two lines', CODED('gzip', 'chunked'), 501),
  closed('RFC 9112 6.1: identity before chunked', CODED('identity, chunked'), 501),
  closed('RFC 9112 6.3: chunked is not the last coding', CODED('chunked, gzip')),
  closed('RFC 9112 6.3: the same in two lines', CODED('chunked', 'gzip')),
  ...[
    ' gzip',
    ' identity',
    ' xchunked',
    ' chunkedx',
    ' chunked;q=1',
    ' "chunked"',
    ' \x0bchunked',
    '',
    ',',
  ].map((coding) =>
    closed(`RFC 9112 6.3: ${JSON.stringify(coding)} is not chunked`, CODED(coding)),
  ),
  closed('RFC 9112 5.2: obs-fold before chunked', CODED('\r\n chunked')),
  usable(
    'RFC 9110 5.1: Transfer_Encoding is another field',
    post('Transfer_Encoding: chunked\r\n'),
  ),

  closed('RFC 9112 6.3: Content-Length twice, the same', LENGTH('1', '1')),
  closed('RFC 9112 6.3: Content-Length twice, not the same', LENGTH('1', '2')),
  ...['+1', '-1', '0x1', '1,1', '1, 1', '1 1', '', '1e1', '1.0', '"1"', '1;', '1\x0b'].map(
    (length) => closed(`RFC 9110 8.6: Content-Length ${JSON.stringify(length)}`, LENGTH(length)),
  ),
  closed('RFC 9110 8.6: a length that overflows 64 bits', LENGTH('18446744073709551616')),
  usable('RFC 9110 8.6: leading zeros', LENGTH('001')),
  usable('RFC 9112 6.3: neither length nor coding is no content', post('')),
  usable(
    'RFC 9112 6.3: content of GET',
    request('GET /anything HTTP/1.1', 'Content-Length: 5\r\n', 'hello'),
  ),
  usable(
    'RFC 9112 6.3: unused content that looks like a request',
    request('GET /ip HTTP/1.1', 'Content-Length: 32\r\n', 'GET /status/418 HTTP/1.1\r\nX: y\r\n'),
  ),
  usable('RFC 9110 9.3.2: content of HEAD', ONE('HEAD /ip')),
  usable('RFC 9110 9.3.7: content of OPTIONS', ONE('OPTIONS /ip'), 204),
  usable('RFC 9110 15.5.5: content for no path', ONE('PUT /no'), 404),
  usable('RFC 9110 15.5.6: content for another method', ONE('PUT /ip'), 405),
  usable(
    'RFC 9110 15.5.14: content above the limit',
    post(`Content-Length: ${MAX_BODY + 1}\r\n`, 'a'.repeat(MAX_BODY + 1)),
    413,
  ),
  usable(
    'RFC 9110 15.5.14: chunked content above the limit',
    post(CHUNKED, `7d0\r\n${'a'.repeat(2000)}\r\n${EMPTY}`),
    413,
  ),
]);
