import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import {
  breaking,
  changesRequest,
  changesResponse,
  changingResponseFields,
  changingStatus,
  differs,
  mapped,
  silent,
  without,
  wrong,
  type Turns,
  type WrongProxy,
  keepsFields,
  changesResponseFields,
} from '../_wrong.ts';

/** The name of the cookie that a Set-Cookie line sets. */
const cookieName = (value: string): string => value.slice(0, value.indexOf('='));

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
  'authentication-info',
  'strict-transport-security',
  'content-security-policy',
  'x-frame-options',
];

/** One that waits on a connection to the origin that stays open. */
const waitingForContent = (
  name: string,
  turns: Turns,
  expectsContent: NonNullable<Deviation['expectsContent']>,
): WrongProxy =>
  silent(name, turns, {
    expectsContent,
    request: (request) => {
      request.fields = without(request.fields, 'connection');
    },
  });

/** Gateways that change statuses and fields of responses, or conditional and range requests. */
export const wrongResponses: readonly WrongProxy[] = [
  changesResponse(
    'sends content with HEAD, 204 and 304 on HTTP/1.1',
    [
      'http/1.1 response/204-without-content',
      'http/1.1 response/not-modified',
      'http/1.1 response/not-modified-length',
      'http/1.1 method/head',
      'http/1.1 method/head-chunked',
    ],
    (response, { version, method }) => {
      const isEmpty = method === 'HEAD' || [204, 304].includes(response.status);
      if (version === '2.0' || !isEmpty) return;
      response.framing = { length: 7 };
      response.content = Buffer.from('content');
    },
  ),
  changesResponse(
    'sends Content-Length: 0 with 304',
    ['response/not-modified', 'response/not-modified-length'],
    (response) => {
      if (response.status === 304)
        response.fields = [...without(response.fields, 'content-length'), ['Content-Length', '0']];
    },
  ),
  changesResponse('refuses 304 with Content-Length', 'response/not-modified-length', (response) => {
    if (response.status === 304 && valuesOf(response.fields, 'content-length').length > 0)
      response.status = 502;
  }),
  waitingForContent(
    'waits for the content that 304 does not have',
    'http/1.1 response/not-modified-length',
    (_request, status) => status === 304,
  ),
  waitingForContent(
    'waits for the content that a response to HEAD does not have',
    'http/1.1 method/head-chunked',
    ({ method, target }) => method === 'HEAD' && target.startsWith('/raw'),
  ),
  breaking(
    'drops fields that it does not understand',
    {
      ...Object.fromEntries(END_TO_END.map((name) => [`response/field-${name}`, 'fail' as const])),
      'response/field-alt-svc': 'differs',
    },
    changingResponseFields((fields) => without(fields, ...END_TO_END, 'alt-svc')),
  ),
  changesResponseFields('replaces the type of content', 'response/field-content-type', (fields) =>
    mapped(fields, (value, name) =>
      name === 'content-type' && value.startsWith('text/x-check') ? 'text/html' : value,
    ),
  ),
  changesResponseFields('drops Allow', 'response/field-allow', (fields) =>
    valuesOf(fields, 'allow').join() === 'GET, CHECK' ? without(fields, 'allow') : fields,
  ),
  changesResponseFields(
    'quotes the tokens of Accept-Query',
    'response/field-accept-query',
    (fields) =>
      mapped(fields, (value, name) =>
        name === 'accept-query' ? value.replace('text/plain;', '"text/plain";') : value,
      ),
  ),
  changesResponseFields(
    'removes a space after commas, also in quoted strings',
    ['response/field-cache-control', 'response/field-www-authenticate'],
    (fields) =>
      mapped(fields, (value, name) =>
        /^(?:cache-control|vary|www-authenticate)$/.test(name)
          ? value.replaceAll(', ', ',')
          : value,
      ),
  ),
  wrong(
    'replaces the content of errors',
    ['response/error-content', 'response/status-503', 'trailer/error'],
    {
      waitsForResponse: ({ status }) => status === 503,
      response: (response) => {
        if (response.status !== 503 || !response.content) return;
        response.content = Buffer.from('<h1>503</h1>');
        const { length } = response.content;
        response.fields = without(response.fields, 'content-length', 'trailer');
        response.fields.push(['Content-Length', String(length)]);
        response.framing = { length };
        response.trailers = [];
      },
    },
  ),
  wrong(
    'makes 201 a 200',
    ['response/status-201', 'connection/pipelining', 'connection/pipelining-later'],
    changingStatus(201, 200),
  ),
  wrong('makes an unknown success a 200', 'response/status-299', changingStatus(299, 200)),
  wrong('follows redirects', 'response/status-302', changingStatus(302, 200)),
  wrong('makes 418 a 400', 'response/status-418', changingStatus(418, 400)),
  wrong('makes 421 a 502', 'response/status-421', changingStatus(421, 502)),
  wrong('makes 425 a 400', 'response/status-425', changingStatus(425, 400)),
  wrong('makes 451 a 403', 'response/status-451', changingStatus(451, 403)),
  wrong('hides errors of the origin', 'response/status-500', changingStatus(500, 502)),
  wrong(
    'replaces 503',
    {
      'response/status-503': 'fail',
      'response/error-content': 'not-applicable',
      'trailer/error': 'not-applicable',
    },
    changingStatus(503, 502),
  ),
  wrong('makes an unknown error a 500', 'response/status-599', changingStatus(599, 500)),
  changesResponse(
    'makes 204 a 200',
    ['response/status-204', 'response/204-without-content'],
    (response) => {
      if (response.status !== 204) return;
      response.status = 200;
      response.framing = { length: 0 };
      response.fields.push(['Content-Length', '0']);
    },
  ),
  changesResponse('adds Content-Length to 204', 'response/204-without-content', (response) => {
    if (response.status === 204) response.fields.push(['Content-Length', '0']);
  }),
  changesResponseFields('drops a field of responses', 'response/fields', (lines) =>
    without(lines, 'x-check-response'),
  ),
  changesResponseFields(
    'encodes fields of responses in UTF-8 once more',
    'response/obs-text',
    (lines) => mapped(lines, (value) => Buffer.from(value, 'utf8').toString('latin1')),
  ),
  changesResponseFields(
    'keeps the first line of fields that it knows',
    ['vary', 'link', 'www-authenticate', 'content-security-policy'].map(
      (name) => `response/field-${name}`,
    ),
    (lines) =>
      lines.filter(
        (line, at) =>
          !/^(?:vary|link|www-authenticate|content-security-policy)$/i.test(line[0]) ||
          lines.findIndex(([name]) => name.toLowerCase() === line[0].toLowerCase()) === at,
      ),
  ),
  changesResponseFields('drops the fragment of Location', 'response/field-location', (lines) =>
    mapped(lines, (value, name) => (name === 'location' ? value.replace(/#.*/, '') : value)),
  ),
  changesResponseFields('keeps one Set-Cookie of each name', 'cookie/set-cookie', (lines) => {
    return lines.filter(
      ([field, value], at) =>
        !/^set-cookie$/i.test(field) ||
        !lines.some(
          ([other, later], index) =>
            index > at && /^set-cookie$/i.test(other) && cookieName(later) === cookieName(value),
        ),
    );
  }),
  changesResponseFields('reverses repeated fields of responses', 'response/repeated', (lines) => {
    const repeated = lines.filter(([name]) => /^x-check-repeated$/i.test(name));
    return [...without(lines, 'x-check-repeated'), ...repeated.toReversed()];
  }),
  changesResponseFields(
    'keeps the first and the last line of a field',
    'response/repeated',
    (lines) => {
      const repeated = lines.filter(([name]) => /^x-check-repeated$/i.test(name));
      return lines.filter(
        (line) => !repeated.includes(line) || [repeated[0], repeated.at(-1)].includes(line),
      );
    },
  ),
  changesResponseFields(
    'loses the last of many fields of a response',
    'response/many-fields',
    (lines) => {
      const last = lines.findLastIndex(([name]) => /^x-check-\d+$/i.test(name));
      return lines.filter((_, at) => at !== last);
    },
  ),
  changesResponseFields(
    'cuts long fields of responses',
    { 'response/long-field': 'differs', 'limit/response-field': 'fail' },
    (lines) => mapped(lines, (value) => value.slice(0, 4096)),
  ),
  changesResponse(
    'adds another Date',
    // node:http2 sends one only.
    'http/1.1 response/date',
    (response, { version }) => {
      if (version === '2.0') return;
      response.fields.push(['Date', 'Wed, 16 Nov 1994 08:12:31 GMT']);
    },
  ),
  changesResponseFields('weakens all ETags', differs('response/etag'), (lines) =>
    mapped(lines, (value, name) => (name === 'etag' ? `W/${value}` : value)),
  ),
  changesResponseFields('names itself in Server', differs('response/server'), (lines) => [
    ...without(lines, 'server'),
    ['Server', 'test-gateway'],
  ]),
  changesResponseFields('merges Set-Cookie', 'cookie/set-cookie', (lines) => {
    const cookies = valuesOf(lines, 'set-cookie');
    return [
      ...without(lines, 'set-cookie'),
      ...(cookies.length > 0 ? [['Set-Cookie', cookies.join(', ')] as const] : []),
    ];
  }),
  changesResponseFields('reorders Set-Cookie', 'cookie/set-cookie', (lines) => {
    const cookies = lines.filter(([name]) => /^set-cookie$/i.test(name));
    return [...without(lines, 'set-cookie'), ...cookies.toReversed()];
  }),
  changesResponse(
    'drops Content-Length of HEAD',
    differs('method/head'),
    (response, { method }) => {
      if (method === 'HEAD') response.fields = without(response.fields, 'content-length');
    },
  ),
  changesResponseFields(
    'drops Proxy-Authentication-Info',
    differs('response/field-proxy-authentication-info'),
    (fields) => without(fields, 'proxy-authentication-info'),
  ),
  keepsFields(
    'drops Range',
    { ...differs('response/range', 'response/ranges'), 'response/if-range': 'not-applicable' },
    (name) => name !== 'range',
  ),
  changesRequest('answers a range with another', 'response/range', (request) => {
    request.fields = mapped(request.fields, (value) =>
      value.replace('bytes=100-199', 'bytes=100-198'),
    );
  }),
  keepsFields('drops If-Range', 'response/if-range', (name) => name !== 'if-range'),
  keepsFields(
    'drops If-None-Match',
    {
      'response/not-modified': 'fail',
      'response/not-modified-length': 'not-applicable',
      'field/if-none-match': 'fail',
    },
    (name) => name !== 'if-none-match',
  ),
  breaking(
    'asks for whole responses, and refuses 304',
    {
      'response/not-modified': 'fail',
      'response/not-modified-length': 'not-applicable',
      'field/if-none-match': 'fail',
    },
    {
      request: (request) => {
        request.fields = without(request.fields, 'if-none-match');
      },
      response: (response) => {
        if (response.status !== 304) return;
        response.status = 503;
        response.framing = { length: 7 };
        response.content = Buffer.from('refused');
      },
    },
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
