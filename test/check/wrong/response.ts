import { valuesOf } from '../../../src/check/message.ts';
import {
  breaking,
  changesRequest,
  changesResponse,
  changingResponseFields,
  changingStatus,
  fails,
  keepingFields,
  mapped,
  onResponse,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

const END_TO_END = [
  'cache-control',
  'vary',
  'last-modified',
  'expires',
  'location',
  'content-location',
  'content-language',
  'content-disposition',
  'link',
  'retry-after',
  'www-authenticate',
  'strict-transport-security',
  'content-security-policy',
  'x-frame-options',
];

/** Gateways that change statuses and fields of responses, or conditional and range requests. */
export const wrongResponses: readonly WrongProxy[] = [
  wrong(
    'sends content with HEAD, 204 and 304 on HTTP/1.1',
    onResponse((response, { version, method }) => {
      const isEmpty = method === 'HEAD' || [204, 304].includes(response.status);
      if (version === '2.0' || !isEmpty) return;
      response.framing = { length: 7 };
      response.content = Buffer.from('content');
    }),
    {
      'http/1.1 response/204-without-content': 'fail',
      'http/1.1 response/not-modified': 'fail',
      'http/1.1 method/head': 'fail',
    },
  ),
  breaking(
    'drops fields that it does not understand',
    changingResponseFields((fields) => without(fields, ...END_TO_END, 'alt-svc')),
    {
      ...Object.fromEntries(END_TO_END.map((name) => [`response/field-${name}`, 'fail' as const])),
      'response/field-alt-svc': 'differs',
    },
  ),
  fails('replaces the content of errors', 'response/error-content', {
    waitsForResponse: ({ status }) => status === 503,
    response: (response) => {
      if (response.status !== 503 || !response.content) return;
      response.content = Buffer.from('<h1>503</h1>');
      response.fields = without(response.fields, 'content-length');
      response.framing = { length: response.content.length };
    },
  }),
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
  changesResponse('adds Content-Length to 204', 'response/204-without-content', (response) => {
    if (response.status === 204) response.fields.push(['Content-Length', '0']);
  }),
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
    'drops Content-Length of HEAD',
    onResponse((response, { method }) => {
      if (method === 'HEAD') response.fields = without(response.fields, 'content-length');
    }),
    { 'method/head': 'differs' },
  ),
  wrong(
    'drops Range',
    keepingFields((name) => name !== 'range'),
    { 'response/range': 'differs', 'response/ranges': 'differs' },
  ),
  changesRequest('answers a range with another', 'response/range', (request) => {
    request.fields = mapped(request.fields, (value) =>
      value.replace('bytes=100-199', 'bytes=100-198'),
    );
  }),
  wrong(
    'drops If-Range',
    keepingFields((name) => name !== 'if-range'),
    { 'response/if-range': 'fail' },
  ),
  wrong(
    'drops If-None-Match',
    keepingFields((name) => name !== 'if-none-match'),
    { 'response/not-modified': 'fail' },
  ),
  changesResponse('drops the ETag of 304', 'response/not-modified', (response) => {
    if (response.status === 304) response.fields = without(response.fields, 'etag');
  }),
  changesResponse('adds no Date', 'http/1.1 response/date-added', (response, { version }) => {
    // node:http2 adds one.
    if (version === '2.0' || valuesOf(response.fields, 'x-request-id').length > 0) return;
    response.fields = without(response.fields, 'date');
  }),
];
