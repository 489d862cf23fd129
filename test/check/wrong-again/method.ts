import { valuesOf } from '../../../src/check/message.ts';
import {
  answering,
  changesRequest,
  onRequest,
  onResponse,
  readingHeads,
  relaying,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';

const fails = (...ids: readonly string[]): WrongProxy['turns'] =>
  Object.fromEntries(ids.map((id) => [`method/${id}`, 'fail']));

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
    answeringMethod(name, status),
    fails(name === 'get' ? 'case' : name.toLowerCase()),
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
  wrong('GET becomes HEAD', replacing('GET', 'HEAD'), fails('get')),
  wrong('GET becomes QUERY', replacing('GET', 'QUERY'), fails('get')),
  wrong(
    'GET is answered with 200 by the gateway',
    {
      refuses: ({ method: name, target }) =>
        name === 'GET' && target.startsWith('/anything/check-') ? 200 : undefined,
    },
    fails('get'),
  ),
  wrong('POST without content becomes GET', replacing('POST', 'GET'), fails('post')),
  wrong(
    'POST without content is refused by 411',
    {
      refuses: ({ method: name, framing }) =>
        name === 'POST' && framing === 'none' ? 411 : undefined,
    },
    { 'method/post': 'differs' },
  ),
  answered('POST', 201),
  wrong('PUT becomes POST', replacing('PUT', 'POST'), fails('put')),
  answered('PUT', 204),
  wrong('PATCH becomes PUT', replacing('PATCH', 'PUT'), fails('patch')),
  answered('PATCH', 200),
  wrong('DELETE becomes POST', replacing('DELETE', 'POST'), fails('delete')),
  answered('DELETE', 204),
  wrong('PROPFIND becomes GET', replacing('PROPFIND', 'GET'), fails('propfind')),
  answered('PROPFIND', 207),
  changesRequest(
    'methods in lower case are in upper case on HTTP/2',
    'h2 method/case',
    (request, client) => {
      if (client.version === '2.0') request.method = request.method.toUpperCase();
    },
  ),
  answered('get', 200),
  wrong('get is Get', replacing('get', 'Get'), fails('case')),
  wrong('get is POST', replacing('get', 'POST'), fails('case')),
  wrong(
    'a response to HEAD has the length 0',
    responding('HEAD', 'Content-Length', '0'),
    fails('head'),
  ),
  wrong(
    'a response to HEAD has the length of a coding',
    responding('HEAD', 'Content-Length', '1020'),
    fails('head'),
  ),
  wrong(
    'a response to HEAD has one byte of content',
    {
      waitsForResponse: () => true,
      response: (response, client) => {
        if (client.method !== 'HEAD') return;
        response.content = Buffer.from('a');
        response.framing = 'until-close';
      },
    },
    fails('head'),
  ),
  wrong(
    'Allow is that of the gateway',
    responding('OPTIONS', 'Allow', 'GET, POST'),
    fails('options'),
  ),
  answered('OPTIONS', 200),
  wrong(
    'Max-Forwards is dropped',
    changingCount('5', () => undefined),
    fails('max-forwards'),
  ),
  wrong(
    'Max-Forwards is reset',
    changingCount('5', () => '10'),
    fails('max-forwards'),
  ),
  wrong(
    'Max-Forwards of 0 is decremented',
    changingCount('0', () => '-1'),
    fails('max-forwards-zero'),
  ),
  wrong(
    'Max-Forwards of 0 is dropped',
    changingCount('0', () => undefined),
    fails('max-forwards-zero'),
  ),
  wrong('Max-Forwards of 0 is forwarded as GET', onRequestZero(), fails('max-forwards-zero')),
  wrong(
    'a tunnel to any host is tried, and 502 the answer',
    answering((text) => text.startsWith('CONNECT '), 502),
    fails('connect'),
  ),
  wrong('CONNECT is forwarded to the origin', relaying(/^(CONNECT )/, '$1'), fails('connect')),
  wrong(
    'CONNECT is answered with 204',
    relaying(/^CONNECT \S+/, 'GET /status/204'),
    fails('connect'),
  ),
  wrong(
    'CONNECT to port 443 is forwarded as GET',
    relaying(/^CONNECT \S+/, 'GET /'),
    fails('connect'),
  ),
  wrong(
    'a character that no method has is removed',
    readingHeads(/^G\(T/, 'GT'),
    fails('malformed'),
  ),
  wrong('a method ends where it is malformed', readingHeads(/^G\(T/, 'G'), fails('malformed')),
  wrong(
    'a malformed method is forwarded, and the refusal shown as 200',
    relaying(/^(G\(T)/, '$1', accepted),
    fails('malformed'),
  ),
  wrong(
    'TRACE is forwarded, and 405 the answer',
    onResponse((response, client) => {
      if (client.method === 'TRACE') response.status = 405;
    }),
    { 'method/trace': 'differs' },
  ),
  wrong('TRACE is forwarded as GET', replacing('TRACE', 'GET'), { 'method/trace': 'differs' }),
  wrong(
    'TRACE is forwarded, and its response loses its content',
    {
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
    },
    { 'method/trace': 'differs' },
  ),
  wrong('QUERY becomes POST', replacing('QUERY', 'POST'), { 'method/query': 'differs' }),
  wrong('an unknown method is PROPFIND', replacing('CHECKMETHOD', 'PROPFIND'), {
    'method/unknown': 'differs',
  }),
  wrong(
    'a refused method is forwarded',
    relaying(/^G\(T/, 'GET', (text) => text.replace(/^HTTP\/1\.1 200/, 'HTTP/1.1 400')),
    fails('malformed'),
  ),
  wrong(
    'Max-Forwards of 0 is forwarded, and the response replaced',
    {
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
    },
    fails('max-forwards-zero'),
  ),
];

function onRequestZero(): Deviation {
  return {
    forwardsMaxForwards0: true,
    request: (request, client) => {
      if (client.method === 'OPTIONS' && hasCount(client, '0')) request.method = 'GET';
    },
  };
}
