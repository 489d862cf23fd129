import { listOf, valuesOf } from '../../../src/check/message.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import {
  breaking,
  changesRequest,
  changesResponse,
  differs,
  without,
  wrong,
  type WrongProxy,
  keepsFields,
} from '../_wrong.ts';

const withoutConnection: WrongProxy['deviation'] = {
  receive: (lines) => lines.filter(([name]) => !/^connection$/i.test(name)),
};

/** Gateways that treat fields of one connection wrongly. */
export const wrongHops: readonly WrongProxy[] = [
  wrong(
    'forwards fields that Connection lists',
    {
      'hop/connection-listed': 'fail',
      'hop/connection-authorization': 'pass',
    },
    withoutConnection,
  ),
  wrong('compares options of Connection by case', 'hop/connection-listed-case', {
    receive: (lines) =>
      lines.filter(([name, value]) => !/^connection$/i.test(name) || !value.includes('CHECK')),
  }),
  wrong('reads the first line of Connection only', 'hop/connection-several', {
    receive: (lines) => {
      const first = lines.find(([name]) => /^connection$/i.test(name));
      return lines.filter((line) => line === first || !/^connection$/i.test(line[0]));
    },
  }),
  changesRequest(
    'removes what Connection lists after it has added its own fields',
    'hop/connection-added',
    (request, client) => {
      request.fields = without(request.fields, ...listOf(client.fields, 'connection'));
    },
  ),
  changesRequest('forwards Connection', 'hop/connection-itself', (request, client) => {
    const sent = valuesOf(client.fields, 'connection').map(
      (value) => ['Connection', value] as const,
    );
    request.fields.push(...sent);
  }),
  {
    ...breaking('forwards TE', 'http/1.1 hop/te', { keepsHopByHop: ['te'] }),
    setup: HTTP2_ORIGIN,
  },
  wrong(
    'forwards Keep-Alive',
    {
      'hop/keep-alive': 'fail',
      'http/1.1 interim/103-hop': 'fail',
      // node:http2 does not send it.
      'h2 interim/103-hop': 'not-applicable',
    },
    { keepsHopByHop: ['keep-alive'] },
  ),
  wrong('forwards Proxy-Connection', 'hop/proxy-connection', {
    keepsHopByHop: ['proxy-connection'],
  }),
  changesRequest(
    'lets Connection remove Content-Length',
    'hop/connection-content-length',
    (request, client) => {
      if (!listOf(client.fields, 'connection').includes('content-length')) return;
      request.framing = 'none';
      request.content = Buffer.alloc(0);
    },
  ),
  keepsFields(
    'adds no Via',
    { 'hop/via-request': 'fail', 'hop/loop': 'not-applicable' },
    (name, value) => name !== 'via' || !value.includes('test-gateway'),
  ),
  keepsFields(
    'replaces Via',
    'hop/via-appended',
    (name, value) => name !== 'via' || value.includes('test-gateway'),
  ),
  wrong('forwards Upgrade to h2c', 'upgrade/h2c', {
    keepsHopByHop: ['upgrade', 'http2-settings'],
    receive: (lines) => lines.filter(([, value]) => value !== 'websocket'),
    request: (request) => {
      if (!listOf(request.fields, 'upgrade').includes('h2c')) return;
      request.fields = request.fields.filter(([name]) => name !== 'Connection');
      request.fields.push(['Connection', 'Upgrade, HTTP2-Settings']);
    },
  }),
  wrong('forwards HTTP2-Settings alone', differs('upgrade/h2c'), {
    keepsHopByHop: ['http2-settings'],
  }),
  wrong('forwards fields that Connection of a response lists', 'hop/response-connection-listed', {
    readResponseHead: (text) => text.replace(/^Connection: X-Check-Hop\r\n/m, ''),
  }),
  changesRequest(
    'forwards the version of requests',
    { 'hop/version-request': 'fail', 'interim/http10': 'not-applicable' },
    (request, { version }) => {
      if (version === '1.0') request.version = 'HTTP/1.0';
    },
  ),
  changesResponse('forwards the version of responses', 'hop/version-response', (response) => {
    if (valuesOf(response.fields, 'x-request-id').length === 0) response.version = 'HTTP/1.0';
  }),
  keepsFields('removes CDN-Loop', 'hop/cdn-loop', (name) => name !== 'cdn-loop'),
  wrong(
    'refuses what it has forwarded before',
    { 'hop/loop': 'pass' },
    {
      refuses: ({ fields }) =>
        valuesOf(fields, 'via').some((value) => value.includes('test-gateway')) ? 508 : undefined,
    },
  ),
  keepsFields(
    'removes Proxy-Authorization',
    { 'hop/proxy-authorization': 'pass' },
    (name) => name !== 'proxy-authorization',
  ),
];
