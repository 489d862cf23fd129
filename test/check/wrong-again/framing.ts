import { Truncated } from '../_bytes.ts';
import { answering, relaying, silent, wrong, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

/** An answer of the gateway in place of that of the origin. */
const shown =
  (status: string) =>
  (text: string): string =>
    text.replace(/^HTTP\/1\.1 \d{3}[^\r]*/, `HTTP/1.1 ${status}`);

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

/** Answers such requests with a status, and reads on after the header section. */
const refusing = (pattern: RegExp, status: string): Deviation => ({
  readHead: (text) =>
    pattern.test(text) ? `GET /status/${status} HTTP/1.1\r\nHost: gateway\r\n\r\n` : text,
});

const reads = (name: string, from: RegExp, to: string, id: string): WrongProxy =>
  wrong(name, `framing/${id}`, reading(from, to));

const relays = (name: string, from: RegExp, to: string, id: string): WrongProxy =>
  wrong(name, `framing/${id}`, relaying(from, to));

const answers = (name: string, to: RegExp, status: number | undefined, id: string): WrongProxy =>
  wrong(
    name,
    `framing/${id}`,
    answering((text) => to.test(text), status),
  );

export const framing: readonly WrongProxy[] = [
  relays(
    'Content-Length beside chunked is set to the length of the content',
    /Content-Length: 4(?=\r\nTransfer-Encoding: chunked)/,
    'Content-Length: 2',
    'length-and-chunked',
  ),
  wrong(
    'Content-Length and chunked are forwarded, and a refusal of the origin is shown as 200',
    'framing/length-and-chunked',
    relaying(/(Content-Length: 4\r\nTransfer-Encoding: chunked)/, '$1', shown('200 OK')),
  ),
  relays(
    'two lengths become one field with both',
    /(Content-Length: 2)\r\nContent-Length: 3/,
    '$1, 3',
    'two-lengths',
  ),
  silent(
    'the larger of two lengths is waited for',
    'framing/two-lengths',
    reading(/Content-Length: 2\r\n(Content-Length: 3)/, '$1'),
  ),
  relays(
    'the same length twice becomes a list',
    /(Content-Length: 2)\r\nContent-Length: 2(?=\r\n)/,
    '$1, 2',
    'same-length-twice',
  ),
  relays(
    'a list of lengths becomes two fields',
    /(Content-Length: 2), 2/,
    '$1\r\nContent-Length: 2',
    'length-list',
  ),
  wrong(
    'content with a signed length is forwarded as chunked',
    'framing/length-sign',
    relaying(
      /Content-Length: \+2\r\n\r\nab/,
      'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
    ),
  ),
  wrong(
    'a signed length is forwarded without sign, and the response replaced by 400',
    'framing/length-sign',
    relaying(/Content-Length: \+2/, 'Content-Length: 2', shown('400 Bad Request')),
  ),
  reads(
    'a hexadecimal length is read up to the x',
    /Content-Length: 0x2/,
    'Content-Length: 0',
    'length-hex',
  ),
  reads('an empty length is none', /Content-Length:\r\n/, '', 'length-empty'),
  relays(
    'chunked is appended to an unknown coding',
    /Transfer-Encoding: x-check/,
    'Transfer-Encoding: x-check, chunked',
    'coding-unknown',
  ),
  relays(
    'codings are forwarded with chunked at the end',
    /Transfer-Encoding: chunked, x-check/,
    'Transfer-Encoding: x-check, chunked',
    'coding-after-chunked',
  ),
  wrong(
    'chunked twice becomes two fields',
    'framing/chunked-twice',
    relaying(
      /Transfer-Encoding: chunked, chunked/,
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    ),
  ),
  wrong(
    'content that is chunked twice is forwarded with chunks as content',
    'framing/chunked-twice',
    relaying(
      /(Transfer-Encoding: chunked), chunked\r\n\r\n2\r\nab\r\n/,
      '$1\r\n\r\nc\r\n2\r\nab\r\n0\r\n\r\n\r\n',
    ),
  ),
  wrong(
    'a coding with a control character is trimmed, and its response replaced by 501',
    'framing/coding-spelling',
    relaying(/: \Wchunked/, ': chunked', shown('501 Not Implemented')),
  ),
  reads(
    'fields with whitespace before the colon are dropped',
    /(?:Transfer-Encoding|X-Check-Space) : .*\r\n/,
    '',
    'coding-space-before-colon',
  ),
  answers(
    'whitespace before the colon is refused by 500',
    /X-Check-Space :/,
    500,
    'space-before-colon',
  ),
  answers(
    'whitespace before the colon is refused by 431',
    /Encoding :/,
    431,
    'coding-space-before-colon',
  ),
  ...['prefix', 'sign', 'overflow'].map((what, at) =>
    wrong(
      `a chunk size that cannot be read ends the content: ${what}`,
      `framing/chunk-size-${what}`,
      {
        readChunkSize: (line) => {
          if ([/^0x/, /^\+/, /^\w{17}/][at]?.test(line)) throw new Truncated('');
          return line;
        },
        endsTruncatedRequests: true,
      },
    ),
  ),
  wrong('chunks with an extension are lost', 'framing/chunk-extension', losesExtendedChunks()),
  relays(
    'a chunk whose line ends in LF ends with its line end',
    /(Transfer-Encoding: chunked\r\n\r\n)2\nab\n0\n\n/,
    '$13\r\nab\n\r\n0\r\n\r\n',
    'chunk-bare-lf',
  ),
  reads('a fold is a comma', /: a\r\n b\r\n/, ': a, b\r\n', 'obs-fold'),
  reads(
    'a line without a colon belongs to the field before',
    /\r\nX-Check-Line\r\n/,
    ' X-Check-Line\r\n',
    'no-colon',
  ),
  reads('a value ends at NUL', /a\0b/, 'a', 'nul'),
  reads('NUL is removed', /a\0b/, 'ab', 'nul'),
  reads('NUL is replaced by its percent-encoding', /a\0b/, 'a%00b', 'nul'),
  reads('a value ends at CR', /a\r(?!\n).*/, 'a', 'bare-cr'),
  reads('CR is removed', /a\r(?!\n)/, 'a', 'bare-cr'),
  reads(
    'a first line with whitespace continues the last field',
    /(\r\n X-Check-First: a)\r\n([^]*)\r\n\r\n$/,
    '\r\n$2 X-Check-First: a\r\n\r\n',
    'first-line-space',
  ),
  reads(
    'a first line with whitespace belongs to the target',
    / (HTTP\/1\.1)\r\n (X-Check-First): a\r\n/,
    '$2 $1\r\n',
    'first-line-space',
  ),
  reads(
    'a field without a name belongs to the one before',
    /\r\n: value\r\n/,
    ', value\r\n',
    'name-empty',
  ),
  relays('an unknown version is forwarded as HTTP/1.0', /HTTP\/3\.7/, 'HTTP/1.0', 'version'),
  wrong(
    'an unknown version is forwarded, and the refusal shown as 200',
    'framing/version',
    relaying(/(HTTP\/3\.7)/, '$1', shown('200 OK')),
  ),
  reads(
    'the same length twice is one of another value',
    /Content-Length: 2\r\nContent-Length: 2\r/,
    'Content-Length: 1\r',
    'same-length-twice',
  ),
  answers('a hexadecimal length is answered with 204', /Length: 0x2/, 204, 'length-hex'),
  answers('an unknown version is refused by 503', /HTTP\/3\.7/, 503, 'version'),
  wrong(
    'two lengths are refused, and content is the next request',
    'framing/two-lengths',
    refusing(/Length: 2\r\nContent-Length: 3/, '400'),
  ),
  answers(
    'a connection ends without a response at whitespace before the colon',
    /X-Check-Space :/,
    undefined,
    'space-before-colon',
  ),
];
