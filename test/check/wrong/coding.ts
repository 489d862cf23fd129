import { gunzipSync, gzipSync } from 'node:zlib';
import { listOf, valueOf } from '../../../src/check/message.ts';
import type { ClientResponse } from '../_gateway-messages.ts';
import {
  wrong,
  changingResponseFields,
  keepingFields,
  mapped,
  onRequest,
  without,
  type WrongProxy,
} from '../_wrong.ts';

/** Codes the content of a response. */
function gzip(response: ClientResponse): void {
  if (!response.content || valueOf(response.fields, 'content-encoding') !== undefined) return;
  response.content = gzipSync(response.content);
  response.fields = without(response.fields, 'content-length');
  response.fields.push(['Content-Encoding', 'gzip']);
  response.framing = 'chunked';
}

function decode(response: ClientResponse, content: Buffer): void {
  response.content = gunzipSync(content);
  response.fields = without(response.fields, 'content-encoding', 'content-length');
  response.framing = 'chunked';
}

const hasEtag = (etag: string) => (response: ClientResponse) =>
  valueOf(response.fields, 'etag') === etag;

const weaken = (response: ClientResponse): void => {
  response.fields = mapped(response.fields, (value, name) =>
    name === 'etag' ? `W/${value}` : value,
  );
};

const LARGE = hasEtag('"range-100000"');

/** Gateways that add and remove content codings. */
export const wrongCodings: readonly WrongProxy[] = [
  wrong(
    'decodes gzip',
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'content-encoding') === 'gzip',
      response: (response) => {
        if (!response.content) return;
        decode(response, response.content);
        weaken(response);
      },
    },
    { 'coding/kept': 'differs' },
  ),
  wrong(
    'drops Content-Encoding of coded content',
    changingResponseFields((fields) => without(fields, 'content-encoding')),
    { 'coding/kept': 'fail' },
  ),
  wrong(
    'codes content for all',
    {
      waitsForResponse: ({ fields: lines }) =>
        (valueOf(lines, 'content-type') ?? '').startsWith('text/html'),
      response: gzip,
    },
    { 'coding/not-asked': 'fail' },
  ),
  wrong(
    'codes content and keeps its ETag',
    {
      waitsForResponse: LARGE,
      response: (response) => {
        gzip(response);
        if (response.content) response.fields.push(['Vary', 'Accept-Encoding']);
      },
    },
    { 'coding/added': 'fail' },
  ),
  wrong(
    'codes content without Vary',
    {
      waitsForResponse: LARGE,
      response: (response) => {
        if (!response.content) return;
        gzip(response);
        weaken(response);
      },
    },
    { 'coding/vary': 'fail' },
  ),
  wrong(
    'codes content in spite of no-transform',
    {
      waitsForResponse: ({ fields: lines }) =>
        listOf(lines, 'cache-control').includes('no-transform'),
      response: gzip,
    },
    { 'coding/no-transform': 'fail' },
  ),
  wrong(
    'drops Accept-Encoding',
    keepingFields((name) => name !== 'accept-encoding'),
    {
      'coding/accept-encoding': 'differs',
    },
  ),
  wrong(
    'asks for gzip by itself',
    onRequest((request) => {
      if (valueOf(request.fields, 'accept-encoding') === undefined)
        request.fields.push(['Accept-Encoding', 'gzip']);
    }),
    { 'coding/accept-encoding-added': 'differs' },
  ),
  wrong(
    'decodes gzip and keeps its ETag',
    {
      waitsForResponse: hasEtag('"check-gzip"'),
      response: (response) => {
        if (response.content) decode(response, response.content);
      },
    },
    { 'coding/decoded': 'fail' },
  ),
];
