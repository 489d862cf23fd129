import { listOf, valuesOf } from '../../../src/check/message.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import {
  breaking,
  changesRequest,
  changesResponse,
  fails,
  keepingFields,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

const withoutConnection: WrongProxy['deviation'] = {
  receive: (lines) => lines.filter(([name]) => !/^connection$/i.test(name)),
};

/** Gateways that treat fields of one connection wrongly. */
export const wrongHops: readonly WrongProxy[] = [
  wrong('forwards fields that Connection lists', withoutConnection, {
    'hop/connection-listed': 'fail',
    'hop/connection-listed-case': 'blocked',
    'hop/connection-several': 'blocked',
    'hop/connection-authorization': 'pass',
  }),
  fails('compares options of Connection by case', 'hop/connection-listed-case', {
    receive: (lines) =>
      lines.filter(([name, value]) => !/^connection$/i.test(name) || !value.includes('CHECK')),
  }),
  fails('reads the first line of Connection only', 'hop/connection-several', {
    receive: (lines) => {
      const first = lines.find(([name]) => /^connection$/i.test(name));
      return lines.filter((line) => line === first || !/^connection$/i.test(line[0]));
    },
  }),
  changesRequest('forwards Connection', 'hop/connection-itself', (request, client) => {
    const sent = valuesOf(client.fields, 'connection').map(
      (value) => ['Connection', value] as const,
    );
    request.fields.push(...sent);
  }),
  {
    ...breaking('forwards TE', { keepsHopByHop: ['te'] }, { 'http/1.1 hop/te': 'fail' }),
    setup: HTTP2_ORIGIN,
  },
  wrong('forwards Keep-Alive', { keepsHopByHop: ['keep-alive'] }, { 'hop/keep-alive': 'fail' }),
  fails('forwards Proxy-Connection', 'hop/proxy-connection', {
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
  wrong(
    'adds no Via',
    keepingFields((name, value) => name !== 'via' || !value.includes('test-gateway')),
    { 'hop/via-request': 'fail' },
  ),
  wrong(
    'replaces Via',
    keepingFields((name, value) => name !== 'via' || value.includes('test-gateway')),
    { 'hop/via-appended': 'fail' },
  ),
  fails('forwards Upgrade to h2c', 'upgrade/h2c', {
    keepsHopByHop: ['upgrade', 'http2-settings'],
    receive: (lines) => lines.filter(([, value]) => value !== 'websocket'),
    request: (request) => {
      if (!listOf(request.fields, 'upgrade').includes('h2c')) return;
      request.fields = request.fields.filter(([name]) => name !== 'Connection');
      request.fields.push(['Connection', 'Upgrade, HTTP2-Settings']);
    },
  }),
  wrong(
    'forwards HTTP2-Settings alone',
    { keepsHopByHop: ['http2-settings'] },
    { 'upgrade/h2c': 'differs' },
  ),
  fails('forwards fields that Connection of a response lists', 'hop/response-connection-listed', {
    readResponseHead: (text) => text.replace(/^Connection: X-Check-Hop\r\n/m, ''),
  }),
  changesRequest(
    'forwards the version of requests',
    'hop/version-request',
    (request, { version }) => {
      if (version === '1.0') request.version = 'HTTP/1.0';
    },
  ),
  changesResponse('forwards the version of responses', 'hop/version-response', (response) => {
    if (valuesOf(response.fields, 'x-request-id').length === 0) response.version = 'HTTP/1.0';
  }),
  wrong(
    'removes CDN-Loop',
    keepingFields((name) => name !== 'cdn-loop'),
    { 'hop/cdn-loop': 'fail' },
  ),
  wrong(
    'refuses what it has forwarded before',
    {
      refuses: ({ fields }) =>
        valuesOf(fields, 'via').some((value) => value.includes('test-gateway')) ? 508 : undefined,
    },
    { 'hop/loop': 'pass' },
  ),
  wrong(
    'removes Proxy-Authorization',
    keepingFields((name) => name !== 'proxy-authorization'),
    { 'hop/proxy-authorization': 'pass' },
  ),
];
