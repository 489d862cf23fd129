import { gunzipSync, gzipSync } from 'node:zlib';
import { listOf, valueOf } from '../../../src/check/message.ts';
import type { ClientRequest, ClientResponse } from '../_gateway-messages.ts';
import {
  changesRequest,
  differs,
  mapped,
  without,
  wrong,
  type WrongProxy,
  keepsFields,
  changesResponseFields,
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

/** A response that may be coded for this client. */
const isAccepted = ({ fields: lines }: ClientRequest): boolean =>
  listOf(lines, 'accept-encoding').includes('gzip');
const isTransformable = ({ fields: lines }: ClientResponse): boolean =>
  !listOf(lines, 'cache-control').includes('no-transform');

/** Codes JSON as it should be, but for one fault. */
function codes(
  name: string,
  failing: `coding/${string}`,
  {
    mayCode = (response, client) =>
      isAccepted(client) && isTransformable(response) && response.status === 200,
    change = () => undefined,
    kept = [],
  }: {
    readonly mayCode?: (response: ClientResponse, client: ClientRequest) => boolean;
    readonly change?: (response: ClientResponse, etag: string) => void;
    /** Digests of the content that are not removed. */
    readonly kept?: readonly string[];
  },
): WrongProxy {
  const isCoded = hasEtag('"check-coding"');
  const judged = ['added', 'digest', 'partial', 'vary', 'intact', 'not-asked', 'no-transform'];
  const passing = Object.fromEntries(judged.map((each) => [`coding/${each}`, 'pass' as const]));
  return wrong(
    name,
    { ...passing, [failing]: 'fail' },
    {
      waitsForResponse: isCoded,
      response: (response, client) => {
        if (!isCoded(response) || !mayCode(response, client)) return;
        gzip(response);
        const etag = valueOf(response.fields, 'etag') ?? '';
        weaken(response);
        response.fields = without(
          response.fields,
          ...['content-digest', 'repr-digest'].filter((each) => !kept.includes(each)),
        );
        response.fields.push(['Vary', 'Accept-Encoding']);
        change(response, etag);
      },
    },
  );
}

/** Gateways that add and remove content codings. */
export const wrongCodings: readonly WrongProxy[] = [
  wrong(
    'decodes gzip',
    { 'coding/kept': 'differs', 'coding/decoded': 'pass' },
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'content-encoding') === 'gzip',
      response: (response) => {
        if (!response.content) return;
        decode(response, response.content);
        weaken(response);
      },
    },
  ),
  changesResponseFields('drops Content-Encoding of coded content', 'coding/kept', (fields) =>
    without(fields, 'content-encoding'),
  ),
  codes('codes content for all', 'coding/not-asked', {
    mayCode: (response) => isTransformable(response) && response.status === 200,
  }),
  codes('codes content for all that name gzip, also with q=0', 'coding/not-asked', {
    mayCode: (response, client) =>
      isTransformable(response) &&
      response.status === 200 &&
      / gzip/.test(` ${valueOf(client.fields, 'accept-encoding')}`),
  }),
  codes('codes content and keeps its Content-Digest', 'coding/digest', {
    kept: ['content-digest'],
  }),
  codes('codes parts of content', 'coding/partial', {
    mayCode: (response, client) => isAccepted(client) && isTransformable(response),
  }),
  codes('codes content and keeps its ETag', 'coding/added', {
    change: (response, etag) => {
      response.fields = mapped(response.fields, (value, name) => (name === 'etag' ? etag : value));
    },
  }),
  codes('codes content without Vary', 'coding/vary', {
    change: (response) => {
      response.fields = without(response.fields, 'vary');
    },
  }),
  codes('codes content in spite of no-transform', 'coding/no-transform', {
    mayCode: ({ status }, client) => isAccepted(client) && status === 200,
  }),
  codes('codes content twice', 'coding/intact', {
    change: (response) => {
      if (response.content) response.content = gzipSync(response.content);
    },
  }),
  wrong('codes again what is coded', 'coding/kept', {
    waitsForResponse: ({ fields: lines }) => valueOf(lines, 'content-encoding') === 'gzip',
    response: (response) => {
      if (valueOf(response.fields, 'content-encoding') !== 'gzip' || !response.content) return;
      response.content = gzipSync(response.content);
      response.fields = without(response.fields, 'content-length');
      response.framing = 'chunked';
    },
  }),
  keepsFields(
    'drops Content-Encoding of requests',
    'coding/upload',
    (name) => name !== 'content-encoding',
  ),
  wrong('decodes requests and keeps Content-Encoding', 'coding/upload', {
    waitsForRequest: ({ fields: lines }) => valueOf(lines, 'content-encoding') === 'gzip',
    request: (request) => {
      if (!request.content || valueOf(request.fields, 'content-encoding') !== 'gzip') return;
      request.content = gunzipSync(request.content);
      request.framing = { length: request.content.length };
    },
  }),
  keepsFields(
    'drops Accept-Encoding',
    differs('coding/accept-encoding'),
    (name) => name !== 'accept-encoding',
  ),
  changesRequest('asks for gzip by itself', differs('coding/accept-encoding-added'), (request) => {
    if (valueOf(request.fields, 'accept-encoding') === undefined)
      request.fields.push(['Accept-Encoding', 'gzip']);
  }),
  wrong('decodes gzip and keeps its ETag', 'coding/decoded', {
    waitsForResponse: hasEtag('"check-gzip"'),
    response: (response) => {
      if (response.content) decode(response, response.content);
    },
  }),
];
