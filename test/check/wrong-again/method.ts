import { valuesOf } from '../../../src/check/message.ts';
import {
  answering,
  changesRequest,
  changesResponse,
  differs,
  onRequest,
  onResponse,
  readingHeads,
  relaying,
  without,
  wrong,
  type WrongProxy,
  readsHeads,
} from '../_wrong.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';

const replacing = (from: string, to: string): Deviation =>
  onRequest((request) => {
    if (request.method !== from) return;
    request.method = to;
    request.fields.push(['X-HTTP-Method-Override', from]);
  });

const answeringMethod = (method: string, status: number): Deviation => ({
  refuses: (request) => (request.method === method && request.target !== '*' ? status : undefined),
});

/** The gateway answers such requests by itself. */
const answered = (name: string, status: number): WrongProxy =>
  wrong(
    `${name} is answered with ${status} by the gateway`,
    `method/${name === 'get' ? 'case' : name.toLowerCase()}`,
    answeringMethod(name, status),
  );

/** Replaces fields of responses to a method. */
const responding = (method: string, name: string, value: string): Deviation =>
  onResponse((response, client) => {
    if (client.method !== method) return;
    response.fields = [...without(response.fields, name.toLowerCase()), [name, value]];
  });

const hasCount = ({ fields }: ClientRequest, count: string): boolean =>
  valuesOf(fields, 'max-forwards').includes(count);

const changingCount = (from: string, change: (count: string) => string | undefined): Deviation => ({
  ...onRequest((request, client) => {
    if (client.method !== 'OPTIONS' || !hasCount(client, from)) return;
    const count = change(from);
    request.fields = without(request.fields, 'max-forwards');
    if (count !== undefined) request.fields.push(['Max-Forwards', count]);
  }),
  forwardsMaxForwards0: true,
});

const accepted = (text: string): string => text.replace(/^HTTP\/1\.1 400[^\r]*/, 'HTTP/1.1 200 OK');

export const method: readonly WrongProxy[] = [
  wrong('GET becomes HEAD', 'method/get', replacing('GET', 'HEAD')),
  wrong('GET becomes QUERY', 'method/get', replacing('GET', 'QUERY')),
  wrong('GET is answered with 200 by the gateway', 'method/get', {
    refuses: ({ method: name, target }) =>
      name === 'GET' && target.startsWith('/anything/check-') ? 200 : undefined,
  }),
  wrong('POST without content becomes GET', 'method/post', replacing('POST', 'GET')),
  wrong('POST without content is refused by 411', differs('method/post'), {
    refuses: ({ method: name, framing }) =>
      name === 'POST' && framing === 'none' ? 411 : undefined,
  }),
  answered('POST', 201),
  wrong('PUT becomes POST', 'method/put', replacing('PUT', 'POST')),
  answered('PUT', 204),
  wrong('PATCH becomes PUT', 'method/patch', replacing('PATCH', 'PUT')),
  answered('PATCH', 200),
  wrong('DELETE becomes POST', 'method/delete', replacing('DELETE', 'POST')),
  answered('DELETE', 204),
  wrong('PROPFIND becomes GET', 'method/propfind', replacing('PROPFIND', 'GET')),
  answered('PROPFIND', 207),
  changesRequest(
    'methods in lower case are in upper case on HTTP/2',
    'h2 method/case',
    (request, client) => {
      if (client.version === '2.0') request.method = request.method.toUpperCase();
    },
  ),
  answered('get', 200),
  wrong('get is Get', 'method/case', replacing('get', 'Get')),
  wrong('get is POST', 'method/case', replacing('get', 'POST')),
  wrong(
    'a response to HEAD has the length 0',
    'method/head',
    responding('HEAD', 'Content-Length', '0'),
  ),
  wrong(
    'a response to HEAD has the length of a coding',
    'method/head',
    responding('HEAD', 'Content-Length', '1020'),
  ),
  wrong('a response to HEAD has one byte of content', 'method/head', {
    waitsForResponse: () => true,
    response: (response, client) => {
      if (client.method !== 'HEAD') return;
      response.content = Buffer.from('a');
      response.framing = 'until-close';
    },
  }),
  wrong(
    'Allow is that of the gateway',
    'method/options',
    responding('OPTIONS', 'Allow', 'GET, POST'),
  ),
  wrong(
    'Max-Forwards is reset',
    'method/max-forwards',
    changingCount('5', () => '10'),
  ),
  wrong(
    'Max-Forwards of 0 is decremented',
    'method/max-forwards-zero',
    changingCount('0', () => '-1'),
  ),
  wrong(
    'Max-Forwards of 0 is dropped',
    'method/max-forwards-zero',
    changingCount('0', () => undefined),
  ),
  wrong('Max-Forwards of 0 is forwarded as GET', 'method/max-forwards-zero', onRequestZero()),
  wrong(
    'a tunnel to any host is tried, and 502 the answer',
    'method/connect',
    answering((text) => text.startsWith('CONNECT '), 502),
  ),
  wrong('CONNECT is forwarded to the origin', 'method/connect', relaying(/^(CONNECT )/, '$1')),
  wrong(
    'CONNECT is answered with 204',
    'method/connect',
    relaying(/^CONNECT \S+/, 'GET /status/204'),
  ),
  wrong(
    'CONNECT to port 443 is forwarded as GET',
    'method/connect',
    relaying(/^CONNECT \S+/, 'GET /'),
  ),
  readsHeads('a character that no method has is removed', 'method/malformed', /^G\(T/, 'GT'),
  wrong('a method ends where it is malformed', 'method/malformed', readingHeads(/^G\(T/, 'G')),
  wrong(
    'a malformed method is forwarded, and the refusal shown as 200',
    'method/malformed',
    relaying(/^(G\(T)/, '$1', accepted),
  ),
  changesResponse(
    'TRACE is forwarded, and 405 the answer',
    differs('method/trace'),
    (response, client) => {
      if (client.method === 'TRACE') response.status = 405;
    },
  ),
  wrong('TRACE is forwarded as GET', differs('method/trace'), replacing('TRACE', 'GET')),
  wrong('TRACE is forwarded, and its response loses its content', differs('method/trace'), {
    waitsForResponse: () => true,
    response: (response, client) => {
      if (client.method === 'TRACE')
        Object.assign(response, {
          status: 403,
          content: Buffer.from('no'),
          framing: { length: 2 },
          fields: [['Content-Length', '2']],
        });
    },
  }),
  wrong('QUERY becomes POST', differs('method/query'), replacing('QUERY', 'POST')),
  wrong(
    'an unknown method is PROPFIND',
    differs('method/unknown'),
    replacing('CHECKMETHOD', 'PROPFIND'),
  ),
  wrong(
    'a refused method is forwarded',
    'method/malformed',
    relaying(/^G\(T/, 'GET', (text) => text.replace(/^HTTP\/1\.1 200/, 'HTTP/1.1 400')),
  ),
  wrong('Max-Forwards of 0 is forwarded, and the response replaced', 'method/max-forwards-zero', {
    forwardsMaxForwards0: true,
    waitsForResponse: () => true,
    response: (response, client) => {
      if (client.method === 'OPTIONS' && hasCount(client, '0'))
        Object.assign(response, {
          status: 204,
          content: Buffer.alloc(0),
          framing: 'none',
          fields: [['Allow', 'GET']],
        });
    },
  }),
];

function onRequestZero(): Deviation {
  return {
    forwardsMaxForwards0: true,
    request: (request, client) => {
      if (client.method === 'OPTIONS' && hasCount(client, '0')) request.method = 'GET';
    },
  };
}
