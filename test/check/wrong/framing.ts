import {
  breaking,
  differs,
  readingHeads,
  readsHeads,
  silent,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

/** A request to the origin in place of one that has to be refused. */
const SERVED = 'GET /status/200 HTTP/1.1\r\nHost: a\r\n\r\n';

/** Gateways that accept requests whose end or fields are not clear, or refuse good ones. */
export const wrongFraming: readonly WrongProxy[] = [
  silent(
    'prefers Content-Length to chunked',
    'framing/length-and-chunked',
    readingHeads(/(^Content-Length.*\r\n)Transfer-Encoding.*\r\n/m, '$1'),
  ),
  wrong(
    'takes the first of two lengths',
    'framing/two-lengths',
    readingHeads(/^(Content-Length: 2\r\n)Content-Length: 3\r\n/m, '$1'),
  ),
  readsHeads('accepts a length with a sign', 'framing/length-sign', /^(Content-Length: )\+/m, '$1'),
  wrong(
    'accepts a length in hexadecimal',
    'framing/length-hex',
    readingHeads(/^(Content-Length: )0x/m, '$1'),
  ),
  wrong(
    'takes an empty length for 0',
    'framing/length-empty',
    readingHeads(/^Content-Length:\r$/m, 'Content-Length: 0\r'),
  ),
  wrong(
    'ignores unknown transfer codings',
    'framing/coding-unknown',
    readingHeads(/^Transfer-Encoding: x-check\r\n/m, ''),
  ),
  wrong(
    'finds chunked anywhere',
    'framing/coding-after-chunked',
    readingHeads(/^(Transfer-Encoding: chunked), x-check/m, '$1'),
  ),
  wrong('trims control characters', 'framing/coding-spelling', readingHeads('\u000b', '')),
  wrong(
    'trims space before a colon',
    'framing/space-before-colon',
    readingHeads(/^(X-Check-Space) :/m, '$1:'),
  ),
  wrong(
    'trims space before the colon of a coding',
    'framing/coding-space-before-colon',
    readingHeads(/^(Transfer-Encoding) :/m, '$1:'),
  ),
  wrong('accepts chunk sizes with 0x', 'framing/chunk-size-prefix', {
    readChunkSize: (line) => line.replace(/^0x/, ''),
  }),
  wrong('accepts chunk sizes with a sign', 'framing/chunk-size-sign', {
    readChunkSize: (line) => line.replace(/^\+/, ''),
  }),
  wrong('wraps chunk sizes around', 'framing/chunk-size-overflow', {
    readChunkSize: (line) => line.slice(-12),
  }),
  wrong(
    'drops a repeated length',
    'framing/same-length-twice',
    readingHeads(/^(?:Content-Length: 2\r\n){2}/m, ''),
  ),
  readsHeads('drops a list of lengths', 'framing/length-list', /^Content-Length: 2, 2\r\n/m, ''),
  wrong(
    'finds chunked in a longer word',
    'framing/coding-obfuscated',
    readingHeads(/^Content-Length: 5\r\n(Transfer-Encoding: )xchunked/m, '$1chunked'),
  ),
  wrong(
    'ignores the second Transfer-Encoding',
    'framing/coding-two-lines',
    readingHeads(/^(Transfer-Encoding: chunked\r\n)Transfer-Encoding.*\r\n/m, '$1'),
  ),
  silent(
    'looks for the end of a line after a chunk',
    ['framing/chunk-no-crlf', 'framing/chunk-too-long'],
    { ignoresChunkEnd: true, readChunkSize: (line) => (line === '' ? '0' : line) },
  ),
  breaking(
    'takes chunks for content with a length',
    ['framing/chunk-bare-lf', 'framing/chunk-extension-lf'],
    readingHeads('Transfer-Encoding: chunked', 'Content-Length: 8'),
  ),
  wrong(
    'serves a request with NUL',
    ['framing/nul', 'framing/coding-obfuscated'],
    readingHeads(/^POST [^]*\0[^]*/, SERVED),
  ),
  readsHeads('serves a request without CR', differs('framing/bare-lf'), /^[^\r]+$/, SERVED),
  readsHeads('serves unknown versions', 'framing/version', /^GET \S+ HTTP\/3\.7[^]*/, SERVED),
  readsHeads('trims the first line', 'framing/first-line-space', /^ (X-Check-First)/m, '$1'),
  wrong(
    'drops repeated codings',
    'framing/chunked-twice',
    readingHeads(/^Transfer-Encoding: chunked, chunked\r\n/m, ''),
  ),
  wrong('refuses chunk extensions', 'framing/chunk-extension', {
    readChunkSize: (line) => (line.includes(';') ? 'broken' : line),
  }),
  wrong('drops folded lines', 'framing/obs-fold', readingHeads(/\r\n b\r\n/, '\r\n')),
  wrong(
    'takes a line without a colon for a field',
    'framing/no-colon',
    readingHeads(/^(X-Check-Line)\r$/m, '$1:\r'),
  ),
  wrong('takes CR for the end of a line', 'framing/bare-cr', readingHeads(/\r(?!\n)/, '\r\n')),
  readsHeads('names fields without a name', 'framing/name-empty', /^: value/m, 'X-Unnamed: value'),
  wrong(
    'takes chunks of HTTP/1.0',
    'framing/http10-chunked',
    readingHeads(/^(\S+ \S+ HTTP\/1\.)0(?=\r\n[^]*^Transfer-Encoding)/m, '$11'),
  ),
];
