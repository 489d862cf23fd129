import { valueOf } from '../../../src/check/message.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';
import { changesContent, replaceContent } from '../_wrong-content.ts';
import {
  breaking,
  changesRequest,
  changesResponse,
  differs,
  onRequest,
  readingHeads,
  silent,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

/** Varnish does so by chance. */
function losingTrailers(): Deviation {
  // The checks of both protocols run at the same time.
  const counts = { '1.0': 0, '1.1': 0, '2.0': 0 };
  return {
    waitsForResponse: ({ fields }) => valueOf(fields, 'trailer') !== undefined,
    response: (response, { version }) => {
      if (response.trailers.splice(0).length === 0 || ++counts[version] % 3 !== 0) return;
      response.status = 503;
      response.content = Buffer.from('no content');
    },
  };
}

/** Requests whose content has neither a length nor a type. */
const isUntyped = ({ framing, fields }: ClientRequest): boolean =>
  framing === 'chunked' && valueOf(fields, 'content-type') === undefined;

/** Gateways that change content and trailers. */
export const wrongContents: readonly WrongProxy[] = [
  changesRequest(
    'drops content of GET, DELETE and OPTIONS',
    differs('content/get', 'content/get-whole', 'content/delete', 'content/options'),
    (request, { method }) => {
      if (!['GET', 'DELETE', 'OPTIONS'].includes(method)) return;
      request.framing = 'none';
      request.content = Buffer.alloc(0);
    },
  ),
  changesRequest(
    'chunks content of known length',
    differs('content/length-kept'),
    (request, { method }) => {
      if (typeof request.framing === 'object' && method === 'POST') request.framing = 'chunked';
    },
  ),
  wrong(
    'changes a byte of uploads',
    ['content/upload-1', 'content/upload-16k', 'content/upload-1m'],
    {
      waitsForRequest: ({ framing }) =>
        typeof framing === 'object' && [1, 16_384, 1_048_576].includes(framing.length),
      request: ({ content }) => content?.writeUInt8((content.at(-1) ?? 0) ^ 1, content.length - 1),
    },
  ),
  wrong(
    'loses the last byte of uploads between 128 KiB and 1 MiB',
    { 'content/upload-lengths': 'fail', 'http/1.1 expect/large': 'fail' },
    {
      waitsForRequest: ({ framing }) =>
        typeof framing === 'object' && framing.length > 131_072 && framing.length < 1_000_000,
      request: (request) => {
        if (!request.content) return;
        request.content = request.content.subarray(0, -1);
        request.framing = { length: request.content.length };
      },
    },
  ),
  wrong('ends chunked uploads after 16 MiB', 'content/upload-large', {
    waitsForRequest: ({ framing }) => framing === 'chunked',
    request: (request) => {
      request.content = request.content?.subarray(0, 16 * 1024 ** 2);
    },
  }),
  wrong('ends responses after 16 MiB', 'content/download-24m', {
    waitsForResponse: ({ framing }) =>
      typeof framing === 'object' && framing.length > 16 * 1024 ** 2,
    response: (response) => {
      if (response.content && response.content.length > 16 * 1024 ** 2)
        replaceContent(response, response.content.subarray(0, 16 * 1024 ** 2));
    },
  }),
  wrong(
    'drops chunked uploads',
    {
      'content/upload-unknown-length': 'fail',
      'content/upload-untyped': 'fail',
      'content/upload-trailers': 'fail',
      'content/upload-untyped-trailers': 'fail',
      'content/get-whole': 'differs',
      'http/1.1 framing/chunk-extension': 'fail',
      'http/1.1 hop/connection-content-length': 'fail',
      // All content of unknown length is lost, not that with trailers.
      'trailer/request': 'not-applicable',
      'trailer/request-forbidden': 'not-applicable',
    },
    {
      waitsForRequest: ({ framing: client }) => client === 'chunked',
      request: (request) => {
        if (request.framing !== 'chunked') return;
        request.framing = { length: 0 };
        request.content = Buffer.alloc(0);
      },
    },
  ),
  wrong(
    'loses content without a type of unknown length',
    {
      'content/upload-untyped': 'fail',
      'content/upload-untyped-trailers': 'fail',
      'content/get-whole': 'differs',
      'trailer/request': 'fail',
    },
    {
      waitsForRequest: isUntyped,
      request: (request, client) => {
        if (isUntyped(client)) request.content = Buffer.alloc(0);
      },
    },
  ),
  wrong(
    'loses content that trailers follow',
    ['content/upload-trailers', 'content/upload-untyped-trailers', 'trailer/request'],
    {
      waitsForRequest: ({ framing: client }) => client === 'chunked',
      request: (request) => {
        if (request.trailers.length > 0) request.content = request.content?.subarray(0, 3);
      },
    },
  ),
  wrong(
    'requires a length of POST',
    {
      ...differs('content/upload-none', 'method/post'),
    },
    {
      refuses: ({ method, framing }) => (method === 'POST' && framing === 'none' ? 411 : undefined),
    },
  ),
  wrong(
    'adds content to POST without any',
    'content/upload-none',
    onRequest((request, { method, framing }) => {
      if (method !== 'POST' || framing !== 'none') return;
      request.framing = { length: 1 };
      request.content = Buffer.from('x');
      request.fields.push(['Content-Length', '1']);
    }),
  ),
  wrong('refuses POST without content', 'content/upload-none', {
    refuses: ({ method, framing }) => (method === 'POST' && framing === 'none' ? 400 : undefined),
  }),
  {
    ...silent(
      'waits for content of POST without a length',
      'http/1.1 content/upload-none',
      readingHeads(
        /^(POST (?:(?!\r\nContent-Length:|\r\nTransfer-Encoding:)[^])*)\r\n\r\n$/,
        '$1\r\nContent-Length: 7\r\n\r\n',
      ),
    ),
    breaksOthers: true,
  },
  breaking(
    'takes the content of GET for the next request',
    'http/1.1 content/get-whole',
    readingHeads(/^(GET [^]*)\r\nContent-Length: [1-9]\d*(?=\r\n)/, '$1'),
  ),
  wrong('loses the end of the content of GET', 'content/get-whole', {
    waitsForRequest: ({ method, framing }) => method === 'GET' && framing === 'chunked',
    request: (request) => {
      if (request.method === 'GET') request.content = request.content?.subarray(0, -1);
    },
  }),
  wrong('adds a byte to empty uploads of unknown length', 'content/upload-empty-unknown-length', {
    waitsForRequest: ({ framing: client }) => client === 'chunked',
    request: (request) => {
      if (request.content?.length === 0) request.content = Buffer.from('x');
    },
  }),
  wrong('makes trailers of requests fields', 'trailer/request', {
    waitsForRequest: ({ framing }) => framing === 'chunked',
    request: (request) => request.fields.push(...request.trailers.splice(0)),
  }),
  wrong('forwards the first of the trailers of a request', 'trailer/several', {
    waitsForRequest: ({ fields }) => valueOf(fields, 'trailer') !== undefined,
    request: (request) => void request.trailers.splice(1),
  }),
  wrong('forwards the trailers of a response in reverse', 'trailer/several', {
    waitsForResponse: ({ fields: lines }) => valueOf(lines, 'trailer') !== undefined,
    response: (response) => {
      response.trailers = response.trailers.toReversed();
    },
  }),
  wrong('makes forbidden trailers fields', 'trailer/request-forbidden', {
    waitsForRequest: ({ framing }) => framing === 'chunked',
    request: (request) => {
      request.fields.push(...request.trailers.filter(([name]) => /^authorization$/i.test(name)));
    },
  }),
  wrong('drops trailers of requests', differs('trailer/request'), {
    waitsForRequest: ({ framing }) => framing === 'chunked',
    request: (request) => request.trailers.splice(0),
  }),
  wrong(
    'changes a byte of responses',
    ['content/download-1', 'content/download-16k', 'content/download-10m'],
    {
      waitsForResponse: ({ framing }) =>
        typeof framing === 'object' && [1, 16_384, 10_485_760].includes(framing.length),
      response: ({ content }) => content?.writeUInt8(0x41, content.length - 1),
    },
  ),
  changesContent('rewrites URLs to https', 'content/download-urls', (content, { fields }) =>
    valueOf(fields, 'content-type')?.startsWith('text/html')
      ? Buffer.from(String(content).replaceAll('http://', 'https://'))
      : undefined,
  ),
  changesResponse(
    'adds a byte to empty responses',
    'content/download-0',
    (response, { target }) => {
      if (!target.startsWith('/range/0')) return;
      response.fields = without(response.fields, 'content-length');
      response.framing = 'chunked';
      response.content = Buffer.from('x');
    },
  ),
  wrong('makes trailers of responses fields', 'trailer/response', {
    waitsForResponse: ({ fields: lines }) => valueOf(lines, 'trailer') !== undefined,
    response: (response) => response.fields.push(...response.trailers.splice(0)),
  }),
  wrong(
    'drops trailers of responses',
    { 'trailer/response': 'differs', 'trailer/error': 'not-applicable' },
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'trailer') !== undefined,
      response: (response) => response.trailers.splice(0),
    },
  ),
  wrong('answers 503 to every third response with trailers', 'trailer/response', losingTrailers()),
  wrong('drops trailers of errors', 'trailer/error', {
    waitsForResponse: ({ status }) => status >= 500,
    response: (response) => {
      if (response.status >= 500) response.trailers = [];
    },
  }),
];
