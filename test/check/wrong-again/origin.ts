import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { differs, mapped, without, wrong, type WrongProxy } from '../_wrong.ts';

const readingResponses = (pattern: RegExp | string, replacement: string): Deviation => ({
  readResponseHead: (text) => text.replace(pattern, replacement),
});

/** Gateways that make something of malformed responses. */
export const wrongOrigins: readonly WrongProxy[] = [
  wrong('reads chunks, and forwards Content-Length in their place', 'origin/length-and-chunked', {
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
  wrong('forwards a response with two lengths without any', 'origin/two-lengths', {
    readResponseHead: (text) =>
      (text.match(/^content-length/gim)?.length ?? 0) > 1
        ? text.replaceAll(/^content-length:.*\r\n/gim, '')
        : text,
  }),
  wrong(
    'goes by the last of two lengths',
    'origin/two-lengths-first',
    readingResponses(/^content-length:.*\r\n(?=[\s\S]*^content-length)/im, ''),
  ),
  wrong(
    'answers 504 to what is malformed',
    differs('origin/two-lengths', 'origin/no-response', 'origin/reset'),
    { badGateway: 504 },
  ),
  wrong('answers 204 if the origin does not respond', ['origin/no-response', 'origin/reset'], {
    badGateway: 204,
  }),
  wrong(
    'closes the connection of the client if the origin does not respond',
    differs('origin/no-response', 'origin/reset'),
    { badGateway: 'none' },
  ),
  wrong(
    'removes fields with a space before the colon',
    'origin/space-before-colon',
    readingResponses(/^[\w-]+ +:.*\r\n/gm, ''),
  ),
  wrong(
    'makes a hyphen of a space before the colon',
    'origin/space-before-colon',
    readingResponses(/^([\w-]+) +:/gm, '$1-:'),
  ),
  wrong(
    'joins a folded line without a space',
    'origin/obs-fold',
    readingResponses(/\r\n[ \t]+/g, ''),
  ),
  wrong('joins a folded line by a comma', 'origin/obs-fold', readingResponses(/\r\n[ \t]+/g, ', ')),
  wrong('drops a folded line', 'origin/obs-fold', readingResponses(/\r\n[ \t]+.*/g, '')),
  // oxlint-disable no-control-regex -- The origin sends it.
  wrong('removes NUL', 'origin/nul', readingResponses(/\0/g, '')),
  wrong('ends a value at NUL', 'origin/nul', readingResponses(/\0.*/g, '')),
  wrong('makes %00 of NUL', 'origin/nul', readingResponses(/\0/g, '%00')),
  // oxlint-enable no-control-regex
  wrong('makes an empty field of a line without a colon', 'origin/no-colon', {
    readResponseHead: (text) =>
      text.replaceAll(
        /^(?!HTTP\/)([^:\r\n]+)\r\n/gm,
        (_line, words: string) => `${words.replaceAll(' ', '-')}:\r\n`,
      ),
  }),
  wrong(
    'takes a line without a colon for a folded one',
    'origin/no-colon',
    readingResponses(/\r\n(?!HTTP\/)([^:\r\n]+)\r\n/g, ' $1\r\n'),
  ),
  wrong(
    'ends a response with an invalid chunk size on HTTP/1.1 as if it were complete',
    'http/1.1 origin/chunk-size',
    {
      readResponseChunkSize: (line) => (/^[0-9a-f]+ *(?:;|$)/i.test(line) ? line : 'ffffff'),
      endsTruncated: ({ version }) => version === '1.1',
    },
  ),
  wrong(
    'takes a chunk size for the greatest, and the end of the connection for its end',
    'origin/chunk-overflow',
    {
      readResponseChunkSize: (line) => line.replace(/^[0-9a-f]{12,}/i, 'fffffffff'),
      endsTruncated: true,
    },
  ),
  wrong('takes what is no response for content of HTTP/0.9', differs('origin/garbage'), {
    takesHttp09: true,
  }),
  wrong('makes 204 of a missing status', differs('origin/no-status'), {
    readResponseHead: (text) =>
      text.replace(/^HTTP\/1\.1(?! \d{3})[^\r\n]*/, 'HTTP/1.1 204 No Content'),
  }),
  // Of these a fact would be false.
  wrong('drops fields of a response after the 100th', differs('origin/many-fields'), {
    response: (response) => {
      response.fields = response.fields.slice(0, 100);
    },
  }),
  wrong('drops the last field of a response with 200', differs('origin/many-fields'), {
    response: (response) => {
      if (response.fields.length > 190)
        response.fields = response.fields.filter((_field, at) => at !== 150);
    },
  }),
  wrong('cuts values of a response after 8 KiB', 'limit/response-field', {
    response: (response) => {
      response.fields = mapped(response.fields, (value) => value.slice(0, 8192));
    },
  }),
  wrong(
    'empties fields that end in a bare LF',
    differs('origin/bare-lf'),
    readingResponses(/^([\w-]+):[^\r\n]*(?<!\r)\n/gm, '$1:\r\n'),
  ),
];
