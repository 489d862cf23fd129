import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { breaking, breaks, mapped, onResponse, without, type WrongProxy } from '../_wrong.ts';

const readingResponses = (pattern: RegExp | string, replacement: string): Deviation => ({
  readResponseHead: (text) => text.replace(pattern, replacement),
});

/** Gateways that make something of malformed responses. */
export const wrongOrigins: readonly WrongProxy[] = [
  breaking(
    'goes by Content-Length in a response with chunked',
    readingResponses(/^transfer-encoding:.*\r\n/im, ''),
    { 'origin/length-and-chunked': 'fail' },
  ),
  breaks('reads chunks, and forwards Content-Length in their place', 'origin/length-and-chunked', {
    readResponseHead: (text) =>
      /^transfer-encoding/im.test(text) ? text.replace(/^content-length/im, 'X-Length') : text,
    waitsForResponse: ({ fields }) => valuesOf(fields, 'x-length').length > 0,
    response: (response) => {
      const [length] = valuesOf(response.fields, 'x-length');
      if (length === undefined) return;
      response.fields = [...without(response.fields, 'x-length'), ['Content-Length', length]];
      response.framing = { length: Number(length) };
    },
  }),
  breaks('forwards a response with two lengths without any', 'origin/two-lengths', {
    readResponseHead: (text) =>
      (text.match(/^content-length/gim)?.length ?? 0) > 1
        ? text.replaceAll(/^content-length:.*\r\n/gim, '')
        : text,
  }),
  breaking(
    'goes by the last of two lengths',
    readingResponses(/^content-length:.*\r\n(?=[\s\S]*^content-length)/im, ''),
    { 'origin/two-lengths-first': 'fail' },
  ),
  breaking(
    'answers 500 to what is malformed',
    { badGateway: 500 },
    { 'origin/two-lengths': 'differs', 'origin/no-response': 'differs', 'origin/reset': 'differs' },
  ),
  breaking(
    'answers 504 to what is malformed',
    { badGateway: 504 },
    { 'origin/two-lengths': 'differs', 'origin/no-response': 'differs', 'origin/reset': 'differs' },
  ),
  breaking(
    'answers 204 if the origin does not respond',
    { badGateway: 204 },
    { 'origin/no-response': 'fail', 'origin/reset': 'fail' },
  ),
  breaking(
    'closes the connection of the client if the origin does not respond',
    { badGateway: 'none' },
    { 'origin/no-response': 'differs', 'origin/reset': 'differs' },
  ),
  breaking(
    'removes fields with a space before the colon',
    readingResponses(/^[\w-]+ +:.*\r\n/gm, ''),
    { 'origin/space-before-colon': 'fail' },
  ),
  breaking(
    'makes a hyphen of a space before the colon',
    readingResponses(/^([\w-]+) +:/gm, '$1-:'),
    { 'origin/space-before-colon': 'fail' },
  ),
  breaking('joins a folded line without a space', readingResponses(/\r\n[ \t]+/g, ''), {
    'origin/obs-fold': 'fail',
  }),
  breaking('joins a folded line by a comma', readingResponses(/\r\n[ \t]+/g, ', '), {
    'origin/obs-fold': 'fail',
  }),
  breaking('drops a folded line', readingResponses(/\r\n[ \t]+.*/g, ''), {
    'origin/obs-fold': 'fail',
  }),
  // oxlint-disable no-control-regex -- The origin sends it.
  breaking('removes NUL', readingResponses(/\0/g, ''), { 'origin/nul': 'fail' }),
  breaking('ends a value at NUL', readingResponses(/\0.*/g, ''), { 'origin/nul': 'fail' }),
  breaking('makes %00 of NUL', readingResponses(/\0/g, '%00'), { 'origin/nul': 'fail' }),
  // oxlint-enable no-control-regex
  breaks('makes an empty field of a line without a colon', 'origin/no-colon', {
    readResponseHead: (text) =>
      text.replaceAll(
        /^(?!HTTP\/)([^:\r\n]+)\r\n/gm,
        (_line, words: string) => `${words.replaceAll(' ', '-')}:\r\n`,
      ),
  }),
  breaking(
    'takes a line without a colon for a folded one',
    readingResponses(/\r\n(?!HTTP\/)([^:\r\n]+)\r\n/g, ' $1\r\n'),
    { 'origin/no-colon': 'fail' },
  ),
  breaks('takes an invalid chunk size for the last chunk', 'origin/chunk-size', {
    readResponseChunkSize: (line) => (/^[0-9a-f]+ *(?:;|$)/i.test(line) ? line : '0'),
    endsTruncated: true,
  }),
  breaks(
    'ends a response with an invalid chunk size on HTTP/1.1 as if it were complete',
    'http/1.1 origin/chunk-size',
    {
      readResponseChunkSize: (line) => (/^[0-9a-f]+ *(?:;|$)/i.test(line) ? line : 'ffffff'),
      endsTruncated: ({ version }) => version === '1.1',
    },
  ),
  breaks(
    'takes a chunk size for the greatest, and the end of the connection for its end',
    'origin/chunk-overflow',
    {
      readResponseChunkSize: (line) => line.replace(/^[0-9a-f]{12,}/i, 'fffffffff'),
      endsTruncated: true,
    },
  ),
  breaking(
    'takes what is no response for content of HTTP/0.9',
    { takesHttp09: true },
    { 'origin/garbage': 'differs' },
  ),
  breaking(
    'answers 200 to what is malformed',
    { badGateway: 200 },
    {
      'origin/garbage': 'fail',
      'origin/no-status': 'fail',
      'origin/two-lengths': 'fail',
      'origin/no-response': 'fail',
      'origin/reset': 'fail',
    },
  ),
  breaking(
    'goes by the first of two lengths',
    readingResponses(/(^content-length:.*\r\n[\s\S]*)^content-length:.*\r\n/im, '$1'),
    { 'origin/two-lengths': 'fail' },
  ),
  breaking(
    'makes 200 of a missing status',
    readingResponses(/^HTTP\/1\.1(?! \d{3})[^\r\n]*/, 'HTTP/1.1 200 OK'),
    { 'origin/no-status': 'differs' },
  ),
  breaking(
    'makes 204 of a missing status',
    {
      readResponseHead: (text) =>
        text.replace(/^HTTP\/1\.1(?! \d{3})[^\r\n]*/, 'HTTP/1.1 204 No Content'),
    },
    { 'origin/no-status': 'differs' },
  ),
  // Of these a fact would be false.
  breaking(
    'drops fields of a response after the 100th',
    onResponse((response) => {
      response.fields = response.fields.slice(0, 100);
    }),
    { 'origin/many-fields': 'differs' },
  ),
  breaking(
    'drops the last field of a response with 200',
    onResponse((response) => {
      if (response.fields.length > 190)
        response.fields = response.fields.filter((_field, at) => at !== 150);
    }),
    { 'origin/many-fields': 'differs' },
  ),
  breaking(
    'cuts values of a response after 8 KiB',
    onResponse((response) => {
      response.fields = mapped(response.fields, (value) => value.slice(0, 8192));
    }),
    { 'origin/large-head': 'differs' },
  ),
  breaking(
    'empties fields that end in a bare LF',
    readingResponses(/^([\w-]+):[^\r\n]*(?<!\r)\n/gm, '$1:\r\n'),
    { 'origin/bare-lf': 'differs' },
  ),
];
