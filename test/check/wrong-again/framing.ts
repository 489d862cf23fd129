import { Truncated } from '../_bytes.ts';
import { relaying, silent, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

/** An answer of the gateway in place of that of the origin. */
const answering =
  (status: string) =>
  (text: string): string =>
    text.replace(/^HTTP\/1\.1 \d{3}[^\r]*/, `HTTP/1.1 ${status}`);

const fails = (...ids: readonly string[]): WrongProxy['turns'] =>
  Object.fromEntries(ids.map((id) => [`framing/${id}`, 'fail']));

/** Reads the header section of such requests in another way. */
const reading = (pattern: RegExp, replacement: string): Deviation => ({
  readHead: (text) => text.replace(pattern, replacement),
});

function losesExtendedChunks(): Deviation {
  let isExtended = false;
  return {
    readChunkSize: (line) => {
      isExtended ||= line.includes(';');
      return line;
    },
    waitsForRequest: () => true,
    request: (request) => {
      if (isExtended) request.content = Buffer.alloc(0);
      isExtended = false;
    },
  };
}

export const framing: readonly WrongProxy[] = [
  wrong(
    'Content-Length beside chunked is set to the length of the content',
    relaying(/Content-Length: 4(?=\r\nTransfer-Encoding: chunked)/, 'Content-Length: 2'),
    fails('length-and-chunked'),
  ),
  wrong(
    'chunked is ignored beside Content-Length',
    reading(/(Content-Length: 4)\r\nTransfer-Encoding: chunked/, '$1'),
    fails('length-and-chunked'),
  ),
  wrong(
    'Content-Length and chunked are forwarded, and a refusal of the origin is shown as 200',
    relaying(/(Content-Length: 4\r\nTransfer-Encoding: chunked)/, '$1', answering('200 OK')),
    fails('length-and-chunked'),
  ),
  wrong(
    'two lengths become one field with both',
    relaying(/(Content-Length: 2)\r\nContent-Length: 3/, '$1, 3'),
    fails('two-lengths'),
  ),
  wrong(
    'the smaller of two lengths is taken',
    reading(/(Content-Length: 2)\r\nContent-Length: 3/, '$1'),
    fails('two-lengths'),
  ),
  silent(
    'the larger of two lengths is waited for',
    reading(/Content-Length: 2\r\n(Content-Length: 3)/, '$1'),
    fails('two-lengths'),
  ),
  wrong(
    'the same length twice becomes a list',
    relaying(/(Content-Length: 2)\r\nContent-Length: 2(?=\r\n)/, '$1, 2'),
    fails('same-length-twice'),
  ),
  wrong(
    'a list of lengths becomes two fields',
    relaying(/(Content-Length: 2), 2/, '$1\r\nContent-Length: 2'),
    fails('length-list'),
  ),
  wrong(
    'content with a signed length is forwarded as chunked',
    relaying(
      /Content-Length: \+2\r\n\r\nab/,
      'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
    ),
    fails('length-sign'),
  ),
  wrong(
    'a signed length is forwarded without sign, and the response replaced by 400',
    relaying(/Content-Length: \+2/, 'Content-Length: 2', answering('400 Bad Request')),
    fails('length-sign'),
  ),
  wrong(
    'a hexadecimal length is read up to the x',
    reading(/Content-Length: 0x2/, 'Content-Length: 0'),
    fails('length-hex'),
  ),
  wrong('an empty length is none', reading(/Content-Length:\r\n/, ''), fails('length-empty')),
  wrong(
    'an unknown coding is no coding',
    reading(/Transfer-Encoding: x-check\r\n/, ''),
    fails('coding-unknown'),
  ),
  wrong(
    'chunked is appended to an unknown coding',
    relaying(/Transfer-Encoding: x-check/, 'Transfer-Encoding: x-check, chunked'),
    fails('coding-unknown'),
  ),
  wrong(
    'codings are forwarded with chunked at the end',
    relaying(/Transfer-Encoding: chunked, x-check/, 'Transfer-Encoding: x-check, chunked'),
    fails('coding-after-chunked'),
  ),
  wrong(
    'a coding after chunked is dropped',
    reading(/Transfer-Encoding: chunked, x-check/, 'Transfer-Encoding: chunked'),
    fails('coding-after-chunked'),
  ),
  wrong(
    'chunked twice becomes two fields',
    relaying(
      /Transfer-Encoding: chunked, chunked/,
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    ),
    fails('chunked-twice'),
  ),
  wrong(
    'content that is chunked twice is forwarded with chunks as content',
    relaying(
      /(Transfer-Encoding: chunked), chunked\r\n\r\n2\r\nab\r\n/,
      '$1\r\n\r\nc\r\n2\r\nab\r\n0\r\n\r\n\r\n',
    ),
    fails('chunked-twice'),
  ),
  wrong(
    'a coding with a control character is no coding',
    reading(/Transfer-Encoding: \u000bchunked\r\n/, ''),
    fails('coding-spelling'),
  ),
  wrong(
    'a coding with a control character is trimmed, and its response replaced by 501',
    relaying(/\u000bchunked/, 'chunked', answering('501 Not Implemented')),
    fails('coding-spelling'),
  ),
  wrong(
    'fields with whitespace before the colon are dropped',
    reading(/(?:Transfer-Encoding|X-Check-Space) : .*\r\n/, ''),
    fails('coding-space-before-colon'),
  ),
  wrong(
    'fields with whitespace before the colon are dropped, for X-',
    reading(/X-Check-Space : .*\r\n/, ''),
    fails('space-before-colon'),
  ),
  wrong(
    'whitespace before the colon is refused by 500',
    { raw: (text) => (/\S :/.test(text) ? text : undefined), rawResponse: answering('500 No') },
    fails('space-before-colon'),
  ),
  ...['prefix', 'sign', 'overflow'].map((what, at) =>
    wrong(
      `a chunk size that cannot be read ends the content: ${what}`,
      {
        readChunkSize: (line) => {
          if ([/^0x/, /^\+/, /^\w{17}/][at]?.test(line)) throw new Truncated('');
          return line;
        },
        endsTruncatedRequests: true,
      },
      fails(`chunk-size-${what}`),
    ),
  ),
  silent(
    'a chunk size that overflows is the largest integer',
    { readChunkSize: (line) => line.replace(/^1\w{16}/, 'fffffffffff') },
    fails('chunk-size-overflow'),
  ),
  wrong('chunks with an extension are lost', losesExtendedChunks(), fails('chunk-extension')),
  wrong(
    'a chunk whose line ends in LF ends with its line end',
    relaying(/(Transfer-Encoding: chunked\r\n\r\n)2\nab\n0\n\n/, '$13\r\nab\n\r\n0\r\n\r\n'),
    fails('chunk-bare-lf'),
  ),
  wrong(
    'chunk lines that end in LF are forwarded',
    relaying(/(2\nab)/, '$1', answering('200 OK')),
    fails('chunk-bare-lf'),
  ),
  wrong('a folded line is lost', reading(/: a\r\n b\r\n/, ': a\r\n'), fails('obs-fold')),
  wrong('a fold is a comma', reading(/: a\r\n b\r\n/, ': a, b\r\n'), fails('obs-fold')),
  wrong('a folded field is dropped', reading(/X-Check-Fold: a\r\n b\r\n/, ''), fails('obs-fold')),
  wrong(
    'a line without a colon is a field without a value',
    reading(/X-Check-Line\r\n/, 'x-check-line:\r\n'),
    fails('no-colon'),
  ),
  wrong(
    'a line without a colon belongs to the field before',
    reading(/\r\nX-Check-Line\r\n/, ' X-Check-Line\r\n'),
    fails('no-colon'),
  ),
  wrong('a value ends at NUL', reading(/a\0b/, 'a'), fails('nul')),
  wrong('NUL is removed', reading(/a\0b/, 'ab'), fails('nul')),
  wrong('NUL is replaced by its percent-encoding', reading(/a\0b/, 'a%00b'), fails('nul')),
  wrong('a value ends at CR', reading(/a\r(?!\n).*/, 'a'), fails('bare-cr')),
  wrong('CR is removed', reading(/a\r(?!\n)/, 'a'), fails('bare-cr')),
  wrong(
    'a first line with whitespace continues the last field',
    reading(/(\r\n X-Check-First: a)\r\n([^]*)\r\n\r\n$/, '\r\n$2 X-Check-First: a\r\n\r\n'),
    fails('first-line-space'),
  ),
  wrong(
    'a first line with whitespace belongs to the target',
    reading(/ (HTTP\/1\.1)\r\n (X-Check-First): a\r\n/, '$2 $1\r\n'),
    fails('first-line-space'),
  ),
  wrong(
    'a field without a name belongs to the one before',
    reading(/\r\n: value\r\n/, ', value\r\n'),
    fails('name-empty'),
  ),
  wrong(
    'a field without a name is forwarded, and the refusal shown as 200',
    relaying(/(\r\n: value\r\n)/, '$1', answering('200 OK')),
    fails('name-empty'),
  ),
  wrong(
    'an unknown version is forwarded as HTTP/1.0',
    relaying(/HTTP\/3\.7/, 'HTTP/1.0'),
    fails('version'),
  ),
  wrong(
    'an unknown version is forwarded, and the refusal shown as 200',
    relaying(/(HTTP\/3\.7)/, '$1', answering('200 OK')),
    fails('version'),
  ),
];
