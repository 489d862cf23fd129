import { breaking, fails, readingHeads, wrong, type WrongProxy } from '../_wrong.ts';

/** A request to the origin in place of one that has to be refused. */
const SERVED = 'GET /status/200 HTTP/1.1\r\nHost: a\r\n\r\n';

/** Gateways that accept requests whose end or fields are not clear, or refuse good ones. */
export const wrongFraming: readonly WrongProxy[] = [
  wrong(
    'prefers Content-Length to chunked',
    readingHeads(/(^Content-Length.*\r\n)Transfer-Encoding.*\r\n/m, '$1'),
    { 'framing/length-and-chunked': 'fail' },
  ),
  wrong(
    'takes the first of two lengths',
    readingHeads(/^(Content-Length: 2\r\n)Content-Length: 3\r\n/m, '$1'),
    { 'framing/two-lengths': 'fail' },
  ),
  wrong('accepts a length with a sign', readingHeads(/^(Content-Length: )\+/m, '$1'), {
    'framing/length-sign': 'fail',
  }),
  wrong('accepts a length in hexadecimal', readingHeads(/^(Content-Length: )0x/m, '$1'), {
    'framing/length-hex': 'fail',
  }),
  wrong(
    'takes an empty length for 0',
    readingHeads(/^Content-Length:\r$/m, 'Content-Length: 0\r'),
    { 'framing/length-empty': 'fail' },
  ),
  wrong('ignores unknown transfer codings', readingHeads(/^Transfer-Encoding: x-check\r\n/m, ''), {
    'framing/coding-unknown': 'fail',
  }),
  wrong('finds chunked anywhere', readingHeads(/^(Transfer-Encoding: chunked), x-check/m, '$1'), {
    'framing/coding-after-chunked': 'fail',
  }),
  wrong('trims control characters', readingHeads('\u000b', ''), {
    'framing/coding-spelling': 'fail',
  }),
  wrong('trims space before a colon', readingHeads(/^(X-Check-Space) :/m, '$1:'), {
    'framing/space-before-colon': 'fail',
  }),
  wrong(
    'trims space before the colon of a coding',
    readingHeads(/^(Transfer-Encoding) :/m, '$1:'),
    { 'framing/coding-space-before-colon': 'fail' },
  ),
  fails('accepts chunk sizes with 0x', 'framing/chunk-size-prefix', {
    readChunkSize: (line) => line.replace(/^0x/, ''),
  }),
  fails('accepts chunk sizes with a sign', 'framing/chunk-size-sign', {
    readChunkSize: (line) => line.replace(/^\+/, ''),
  }),
  fails('wraps chunk sizes around', 'framing/chunk-size-overflow', {
    readChunkSize: (line) => line.slice(-12),
  }),
  wrong('drops a repeated length', readingHeads(/^(?:Content-Length: 2\r\n){2}/m, ''), {
    'framing/same-length-twice': 'fail',
  }),
  wrong('drops a list of lengths', readingHeads(/^Content-Length: 2, 2\r\n/m, ''), {
    'framing/length-list': 'fail',
  }),
  wrong(
    'finds chunked in a longer word',
    readingHeads(/^Content-Length: 5\r\n(Transfer-Encoding: )xchunked/m, '$1chunked'),
    { 'framing/coding-obfuscated': 'fail' },
  ),
  wrong(
    'ignores the second Transfer-Encoding',
    readingHeads(/^(Transfer-Encoding: chunked\r\n)Transfer-Encoding.*\r\n/m, '$1'),
    { 'framing/coding-two-lines': 'fail' },
  ),
  breaking(
    'looks for the end of a chunk after its size',
    { readChunkSize: (line) => ({ 2: '3', '': '0' })[line] ?? line },
    { 'framing/chunk-no-crlf': 'fail', 'framing/chunk-too-long': 'fail' },
  ),
  breaking(
    'takes chunks for content with a length',
    readingHeads('Transfer-Encoding: chunked', 'Content-Length: 8'),
    { 'framing/chunk-bare-lf': 'fail', 'framing/chunk-extension-lf': 'fail' },
  ),
  wrong('serves a request with NUL', readingHeads(/^POST [^]*\0[^]*/, SERVED), {
    'framing/nul': 'fail',
  }),
  wrong('serves a request without CR', readingHeads(/^[^\r]+$/, SERVED), {
    'framing/bare-lf': 'differs',
  }),
  wrong('serves unknown versions', readingHeads(/^GET \S+ HTTP\/3\.7[^]*/, SERVED), {
    'framing/version': 'fail',
  }),
  wrong('trims the first line', readingHeads(/^ (X-Check-First)/m, '$1'), {
    'framing/first-line-space': 'fail',
  }),
  wrong('drops repeated codings', readingHeads(/^Transfer-Encoding: chunked, chunked\r\n/m, ''), {
    'framing/chunked-twice': 'fail',
  }),
  fails('refuses chunk extensions', 'framing/chunk-extension', {
    readChunkSize: (line) => (line.includes(';') ? 'broken' : line),
  }),
  wrong('drops folded lines', readingHeads(/\r\n b\r\n/, '\r\n'), { 'framing/obs-fold': 'fail' }),
  wrong('takes a line without a colon for a field', readingHeads(/^(X-Check-Line)\r$/m, '$1:\r'), {
    'framing/no-colon': 'fail',
  }),
  wrong('takes CR for the end of a line', readingHeads(/\r(?!\n)/, '\r\n'), {
    'framing/bare-cr': 'fail',
  }),
  wrong('names fields without a name', readingHeads(/^: value/m, 'X-Unnamed: value'), {
    'framing/name-empty': 'fail',
  }),
  wrong(
    'takes chunks of HTTP/1.0',
    readingHeads(/^(\S+ \S+ HTTP\/1\.)0(?=\r\n[^]*^Transfer-Encoding)/m, '$11'),
    { 'framing/http10-chunked': 'fail' },
  ),
];
