import type { Framing } from '../_bytes.ts';
import type { ClientRequest } from '../_gateway-messages.ts';
import { breaking, changesResponse, differs, without, wrong, type WrongProxy } from '../_wrong.ts';

const isChunked = (_request: ClientRequest, framing: Framing): boolean => framing === 'chunked';

/** Gateways that forward what a broken origin sends. */
export const wrongOrigins: readonly WrongProxy[] = [
  wrong(
    'ends truncated chunked responses cleanly',
    ['truncation/chunked', 'truncation/chunked-end'],
    { endsTruncated: isChunked },
  ),
  wrong(
    'ends truncated responses cleanly',
    [
      'truncation/content-length',
      'truncation/chunked',
      'truncation/chunked-end',
      'truncation/reset',
    ],
    {
      endsTruncated: true,
      response: (response) => {
        if (typeof response.framing !== 'object' || response.framing.length !== 1_000_000) return;
        response.fields = without(response.fields, 'content-length');
        response.framing = 'chunked';
      },
    },
  ),
  wrong('prefers the length of a response to chunked', 'origin/length-and-chunked', {
    readResponseHead: (text) =>
      /^content-length/im.test(text) ? text.replace(/^transfer-encoding.*\r\n/im, '') : text,
  }),
  wrong(
    'takes the first length of a response',
    ['origin/two-lengths', 'origin/two-lengths-first', 'origin/two-lengths-last'],
    {
      readResponseHead: (text) =>
        text.replace(/^(content-length.*\r\n[^]*)content-length.*\r\n/im, '$1'),
    },
  ),
  wrong(
    'takes bytes after a response for content of it',
    {
      'origin/bytes-after': 'fail',
      'origin/204-with-content': 'fail',
      'origin/304-with-content': 'fail',
      // It waits for the content.
      'interim/many': 'differs',
    },
    {
      readResponseHead: (text) =>
        text
          .replace(/^Content-Length: 0\r\n(?!\w)/m, 'Content-Length: 44\r\n')
          .replace(
            /^HTTP\/1\.1 (?:204 No Content|304 Not Modified)\r\n(?:ETag: "a"\r\n)?$/m,
            'HTTP/1.1 200 OK\r\nContent-Length: 44\r\n',
          ),
    },
  ),
  changesResponse(
    'forwards content of responses to HEAD',
    ['http/1.1 origin/head-with-content', 'http/1.1 method/head-chunked'],
    (response, { method, target, version }) => {
      if (version === '2.0' || method !== 'HEAD' || !target.startsWith('/raw')) return;
      response.content = Buffer.from('poison');
      response.framing = { length: response.content.length };
    },
  ),
  wrong(
    'takes the last of two lengths of a response if that is the smaller one',
    'origin/two-lengths-last',
    {
      readResponseHead: (text) =>
        text.replace(/^content-length: 5\r\n(?=content-length: 2\r\n)/im, ''),
    },
  ),
  wrong(
    'forwards both lengths of a response to clients of HTTP/1.1',
    ['origin/two-lengths', 'origin/two-lengths-first', 'origin/two-lengths-last'],
    {
      readResponseHead: (text) =>
        text.replace(/^(content-length.*\r\n[^]*)content-length/im, '$1x-second-length'),
      response: (response, { version }) => {
        if (version === '2.0') return;
        response.fields = response.fields.map(([name, value]) => [
          name.replace('x-second-length', 'Content-Length'),
          value,
        ]);
      },
    },
  ),
  wrong(
    'takes a bad chunk size for the last',
    ['origin/chunk-size', 'truncation/chunked', 'truncation/chunked-end'],
    {
      readResponseChunkSize: (line) => (line === 'size' ? '0' : line),
      endsTruncated: isChunked,
    },
  ),
  wrong('takes the last digits of a chunk size', 'origin/chunk-overflow', {
    readResponseChunkSize: (line) => (line.length > 12 ? '8' : line),
  }),
  wrong('takes a missing status for 200', differs('origin/no-status'), {
    readResponseHead: (text) => text.replace(/^HTTP\/1\.1(?: OK| ?)?\r\n/, 'HTTP/1.1 200 OK\r\n'),
  }),
  wrong('takes a line without a colon for a field of a response', 'origin/no-colon', {
    readResponseHead: (text) => text.replace(/^([\w-]+)\r\n/gm, '$1:\r\n'),
  }),
  wrong(
    'forwards malformed fields of responses to clients of HTTP/1.1',
    ['origin/space-before-colon', 'origin/obs-fold', 'origin/nul'],
    {
      readResponseHead: (text) =>
        text
          .replace('X-Fault :', 'X-Fault-Space:')
          .replace('folded\r\n', 'folded(fold)')
          .replace('a\0b', 'a(nul)b'),
      response: (response, { version }) => {
        if (version === '2.0') return;
        response.fields = response.fields.map(([name, value]) => [
          name.replace('X-Fault-Space', 'X-Fault '),
          value.replace('(fold)', '\r\n').replace('(nul)', '\0'),
        ]);
      },
    },
  ),
  wrong(
    'drops malformed fields of responses',
    differs('origin/space-before-colon', 'origin/obs-fold', 'origin/nul'),
    {
      readResponseHead: (text) =>
        // oxlint-disable-next-line no-control-regex -- The origin sends it.
        text.replace(/^X-Fault ?: (?:space|folded\r\n.*|a\0b)\r\n/m, ''),
    },
  ),
  wrong(
    'takes LF for the end of a line of a response',
    { 'origin/bare-lf': 'pass' },
    { readResponseHead: (text) => text.replaceAll(/(?<!\r)\n/g, '\r\n') },
  ),
  wrong(
    'ignores the version of a response',
    { 'origin/bad-version': 'pass' },
    { readResponseHead: (text) => text.replace(/^HTTP\/\d\.\d/, 'HTTP/1.1') },
  ),
  wrong('limits the fields of a response', differs('origin/many-fields', 'origin/large-head'), {
    readResponseHead: (text) =>
      text.length > 16_000 || text.split('\n').length > 150 ? '\r\n' : text,
  }),
  breaking(
    'answers for a broken origin with 200',
    {
      'origin/garbage': 'differs',
      'origin/no-status': 'differs',
      'origin/two-lengths': 'fail',
      'origin/no-response': 'fail',
      'origin/reset': 'fail',
    },
    { badGateway: 200 },
  ),
  wrong('answers for a broken origin with 500', differs('origin/no-response', 'origin/reset'), {
    badGateway: 500,
  }),
  wrong('ends truncated requests cleanly', 'truncation/request', {
    endsTruncatedRequests: true,
    ignoresGone: true,
  }),
];
