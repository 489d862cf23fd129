import { gunzipSync, gzipSync } from 'node:zlib';
import { listOf, valueOf, valuesOf, type FieldLine } from '../../src/check/message.ts';
import { Malformed } from './_bytes.ts';
import type { ClientResponse, Deviation } from './_gateway-messages.ts';
import {
  changingResponseFields,
  changingStatus,
  keepingFields,
  mapped,
  onRequest,
  onResponse,
  wrong,
  type WrongProxy,
} from './_wrong.ts';

const without = (fields: readonly FieldLine[], ...names: readonly string[]): FieldLine[] =>
  fields.filter(([name]) => !names.includes(name.toLowerCase()));

const statuses: readonly WrongProxy[] = [
  wrong('makes 201 a 200', changingStatus(201, 200), {
    'response/status-201': 'fail',
    'connection/pipelining': 'fail',
  }),
  wrong('makes an unknown success a 200', changingStatus(299, 200), {
    'response/status-299': 'fail',
  }),
  wrong('follows redirects', changingStatus(302, 200), { 'response/status-302': 'fail' }),
  wrong('makes 418 a 400', changingStatus(418, 400), { 'response/status-418': 'fail' }),
  wrong('makes 421 a 502', changingStatus(421, 502), { 'response/status-421': 'fail' }),
  wrong('makes 425 a 400', changingStatus(425, 400), { 'response/status-425': 'fail' }),
  wrong('makes 451 a 403', changingStatus(451, 403), { 'response/status-451': 'fail' }),
  wrong('hides errors of the origin', changingStatus(500, 502), { 'response/status-500': 'fail' }),
  wrong('replaces 503', changingStatus(503, 502), { 'response/status-503': 'fail' }),
  wrong('makes an unknown error a 500', changingStatus(599, 500), {
    'response/status-599': 'fail',
  }),
  wrong(
    'makes 204 a 200',
    onResponse((response) => {
      if (response.status !== 204) return;
      response.status = 200;
      response.framing = { length: 0 };
      response.fields.push(['Content-Length', '0']);
    }),
    { 'response/status-204': 'fail', 'response/204-without-content': 'fail' },
  ),
  wrong(
    'adds Content-Length to 204',
    onResponse((response) => {
      if (response.status === 204) response.fields.push(['Content-Length', '0']);
    }),
    { 'response/204-without-content': 'fail' },
  ),
];

const fields: readonly WrongProxy[] = [
  wrong(
    'drops a field of responses',
    changingResponseFields((lines) => without(lines, 'x-check-response')),
    { 'response/fields': 'fail' },
  ),
  wrong(
    'reverses repeated fields of responses',
    changingResponseFields((lines) => {
      const repeated = lines.filter(([name]) => /^x-check-repeated$/i.test(name));
      return [...without(lines, 'x-check-repeated'), ...repeated.toReversed()];
    }),
    { 'response/repeated': 'fail' },
  ),
  wrong(
    'cuts long fields of responses',
    changingResponseFields((lines) => mapped(lines, (value) => value.slice(0, 4096))),
    { 'response/long-field': 'differs' },
  ),
  wrong(
    'adds another Date',
    // node:http2 sends one only.
    onResponse((response, { version }) => {
      if (version === '2.0') return;
      response.fields.push(['Date', 'Wed, 16 Nov 1994 08:12:31 GMT']);
    }),
    { 'http/1.1 response/date': 'fail' },
  ),
  wrong(
    'weakens all ETags',
    changingResponseFields((lines) =>
      mapped(lines, (value, name) => (name === 'etag' ? `W/${value}` : value)),
    ),
    { 'response/etag': 'differs' },
  ),
  wrong(
    'names itself in Server',
    changingResponseFields((lines) => [...without(lines, 'server'), ['Server', 'test-gateway']]),
    { 'response/server': 'differs' },
  ),
  wrong(
    'merges Set-Cookie',
    changingResponseFields((lines) => {
      const cookies = valuesOf(lines, 'set-cookie');
      return [
        ...without(lines, 'set-cookie'),
        ...(cookies.length > 0 ? [['Set-Cookie', cookies.join(', ')] as const] : []),
      ];
    }),
    { 'cookie/set-cookie': 'fail' },
  ),
  wrong(
    'reorders Set-Cookie',
    changingResponseFields((lines) => {
      const cookies = lines.filter(([name]) => /^set-cookie$/i.test(name));
      return [...without(lines, 'set-cookie'), ...cookies.toReversed()];
    }),
    { 'cookie/set-cookie': 'fail' },
  ),
  wrong(
    'forwards fields that Connection of a response lists',
    { readResponseHead: (text) => text.replace(/^Connection: X-Check-Hop\r\n/m, '') },
    { 'hop/response-connection-listed': 'fail' },
  ),
  wrong(
    'drops Content-Length of HEAD',
    onResponse((response, { method }) => {
      if (method === 'HEAD') response.fields = without(response.fields, 'content-length');
    }),
    { 'method/head': 'differs' },
  ),
];

const conditionals: readonly WrongProxy[] = [
  wrong(
    'drops Range',
    keepingFields((name) => name !== 'range'),
    {
      'response/range': 'differs',
      'response/ranges': 'differs',
    },
  ),
  wrong(
    'answers a range with another',
    onRequest((request) => {
      request.fields = mapped(request.fields, (value) =>
        value.replace('bytes=100-199', 'bytes=100-198'),
      );
    }),
    { 'response/range': 'fail' },
  ),
  wrong(
    'drops If-Range',
    keepingFields((name) => name !== 'if-range'),
    { 'response/if-range': 'fail' },
  ),
  wrong(
    'drops If-None-Match',
    keepingFields((name) => name !== 'if-none-match'),
    {
      'response/not-modified': 'fail',
    },
  ),
  wrong(
    'drops the ETag of 304',
    onResponse((response) => {
      if (response.status === 304) response.fields = without(response.fields, 'etag');
    }),
    { 'response/not-modified': 'fail' },
  ),
];

/** Codes the content of a response. */
function gzip(response: ClientResponse): void {
  if (!response.content || valueOf(response.fields, 'content-encoding') !== undefined) return;
  response.content = gzipSync(response.content);
  response.fields = without(response.fields, 'content-length');
  response.fields.push(['Content-Encoding', 'gzip']);
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

const codings: readonly WrongProxy[] = [
  wrong(
    'decodes gzip',
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'content-encoding') === 'gzip',
      response: (response) => {
        if (!response.content) return;
        response.content = gunzipSync(response.content);
        response.fields = without(response.fields, 'content-encoding', 'content-length');
        response.framing = 'chunked';
      },
    },
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
    { waitsForResponse: LARGE, response: gzip },
    {
      'coding/added': 'fail',
    },
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
    { 'coding/added': 'fail' },
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
];

const trailers: readonly WrongProxy[] = [
  wrong(
    'makes trailers of responses fields',
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'trailer') !== undefined,
      response: (response) => response.fields.push(...response.trailers.splice(0)),
    },
    { 'trailer/response': 'fail' },
  ),
  wrong(
    'drops trailers of responses',
    {
      waitsForResponse: ({ fields: lines }) => valueOf(lines, 'trailer') !== undefined,
      response: (response) => response.trailers.splice(0),
    },
    { 'trailer/response': 'differs' },
  ),
];

const dropping = (...codes: readonly number[]): Deviation => ({
  interim: (head) => (codes.includes(head.status) ? undefined : head),
});

const interims: readonly WrongProxy[] = [
  wrong('loses 103', dropping(103), {
    'interim/103': 'differs',
    'interim/several': 'differs',
    'interim/103-link': 'differs',
  }),
  wrong('loses 102', dropping(102), { 'interim/102': 'differs', 'interim/several': 'differs' }),
  wrong('loses 100', dropping(100), { 'http/1.1 expect/continue': 'fail' }),
  wrong(
    'fails for an unknown interim response',
    {
      interim: (head) => {
        if (head.status === 199) throw new Malformed('1xx', 502);
        return head;
      },
    },
    { 'interim/unregistered': 'fail' },
  ),
  wrong(
    'drops the fields of 103',
    { interim: ({ status }) => ({ status, fields: [] }) },
    {
      'interim/103-link': 'fail',
    },
  ),
  wrong('sends 1xx to HTTP/1.0', { sendsInterimToHttp10: true }, { 'interim/http10': 'fail' }),
  wrong(
    'sends 100 by itself',
    {
      waitsForRequest: ({ fields: lines, version }) =>
        version === '1.1' && listOf(lines, 'expect').includes('100-continue'),
    },
    { 'expect/refused': 'differs' },
  ),
  wrong(
    'ignores unknown expectations',
    keepingFields((_name, value) => value !== 'check-expectation'),
    {
      'expect/unknown': 'differs',
    },
  ),
];

const contents: readonly WrongProxy[] = [
  wrong(
    'changes a byte of large responses',
    {
      waitsForResponse: ({ framing }) => typeof framing === 'object' && framing.length === 16_384,
      response: ({ content }) => content?.writeUInt8(0x41, content.length - 1),
    },
    { 'content/download-16k': 'fail' },
  ),
  wrong(
    'ends truncated chunked responses cleanly',
    { endsTruncated: true },
    { 'truncation/chunked': 'fail', 'truncation/chunked-end': 'fail' },
  ),
  wrong(
    'ends truncated responses cleanly',
    {
      endsTruncated: true,
      response: (response) => {
        if (typeof response.framing !== 'object' || response.framing.length !== 10_000) return;
        response.fields = without(response.fields, 'content-length');
        response.framing = 'chunked';
      },
    },
    {
      'truncation/content-length': 'fail',
      'truncation/chunked': 'fail',
      'truncation/chunked-end': 'fail',
      'truncation/reset': 'fail',
    },
  ),
  wrong('chunks content for HTTP/1.0', { chunksForHttp10: true }, { 'connection/http10': 'fail' }),
  wrong(
    'closes after each response',
    { keepsAlive: () => false },
    {
      'connection/persistent': 'differs',
      'connection/pipelining': 'differs',
      'connection/origin-closes': 'differs',
      'upgrade/prior-knowledge': 'not-applicable',
    },
  ),
  wrong(
    'keeps connections in spite of close',
    { keepsAlive: ({ version }) => version === '1.1' },
    {
      'connection/close': 'fail',
    },
  ),
  wrong(
    'holds responses back',
    { waitsForResponse: () => true },
    { 'streaming/response': 'differs', 'streaming/events': 'differs', 'streaming/head': 'differs' },
  ),
];

const origins: readonly WrongProxy[] = [
  wrong(
    'prefers the length of a response to chunked',
    {
      readResponseHead: (text) =>
        /^content-length/im.test(text) ? text.replace(/^transfer-encoding.*\r\n/im, '') : text,
    },
    { 'origin/length-and-chunked': 'fail' },
  ),
  wrong(
    'takes the first length of a response',
    {
      readResponseHead: (text) =>
        text.replace(/^(content-length.*\r\n[^]*)content-length.*\r\n/im, '$1'),
    },
    { 'origin/two-lengths': 'fail' },
  ),
  wrong(
    'takes a bad chunk size for the last',
    {
      readResponseChunkSize: (line) => (line === 'size' ? '0' : line),
      endsTruncated: true,
    },
    { 'origin/chunk-size': 'fail', 'truncation/chunked': 'fail', 'truncation/chunked-end': 'fail' },
  ),
  wrong(
    'takes the last digits of a chunk size',
    { readResponseChunkSize: (line) => (line.length > 12 ? '8' : line) },
    { 'origin/chunk-overflow': 'fail' },
  ),
  wrong(
    'takes a missing status for 200',
    {
      readResponseHead: (text) => text.replace(/^HTTP\/1\.1(?: OK| ?)?\r\n/, 'HTTP/1.1 200 OK\r\n'),
    },
    { 'origin/no-status': 'fail' },
  ),
  wrong(
    'takes a line without a colon for a field of a response',
    { readResponseHead: (text) => text.replace(/^([\w-]+)\r\n/gm, '$1:\r\n') },
    { 'origin/no-colon': 'fail' },
  ),
  wrong(
    'answers for a broken origin with 500',
    { badGateway: 500 },
    {
      'origin/no-response': 'differs',
      'origin/reset': 'differs',
    },
  ),
];

/** Gateways that receive or forward responses wrongly. */
export const wrongResponses: readonly WrongProxy[] = [
  ...statuses,
  ...fields,
  ...conditionals,
  ...codings,
  ...trailers,
  ...interims,
  ...contents,
  ...origins,
];
