import { valueOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import {
  breaking,
  changesRequest,
  differs,
  mapped,
  readingHeads,
  without,
  wrong,
  type Turns,
  type WrongProxy,
  readsHeads,
} from '../_wrong.ts';

const refusing = (refused: string, status: number): Deviation => ({
  refuses: ({ method }) => (method === refused ? status : undefined),
});

const makesPost = (method: string, turns: Turns): WrongProxy =>
  changesRequest(`makes ${method} a POST`, turns, (request) => {
    if (request.method === method) request.method = 'POST';
  });

/** Gateways that change or refuse methods. */
export const wrongMethods: readonly WrongProxy[] = [
  changesRequest('writes methods in upper case', 'method/case', (request) => {
    request.method = request.method.toUpperCase();
  }),
  wrong('answers CORS preflights', differs('method/preflight'), {
    refuses: ({ method, fields }) =>
      method === 'OPTIONS' && valueOf(fields, 'origin') !== undefined ? 204 : undefined,
  }),
  breaking('makes GET a PUT', 'method/get', {
    request: (request) => {
      request.method = 'PUT';
    },
  }),
  changesRequest('makes POST without content a PUT', ['method/post', 'method/kept'], (request) => {
    if (request.method === 'POST' && request.framing === 'none') request.method = 'PUT';
  }),
  makesPost('PUT', ['method/put', 'method/kept']),
  makesPost('DELETE', {
    'method/delete': 'fail',
    'method/kept': 'fail',
    'content/delete': 'differs',
  }),
  makesPost('QUERY', { 'method/query': 'differs', 'method/kept': 'fail' }),
  changesRequest('makes PUT with content a POST', 'method/kept', (request) => {
    if (request.method === 'PUT' && request.framing !== 'none') request.method = 'POST';
  }),
  changesRequest(
    'makes HEAD a GET',
    { ...differs('method/head-forwarded'), 'method/head-chunked': 'not-applicable' },
    (request) => {
      if (request.method === 'HEAD') request.method = 'GET';
    },
  ),
  wrong('refuses PATCH', differs('method/patch'), refusing('PATCH', 405)),
  wrong(
    'refuses QUERY',
    { ...differs('method/query'), 'retry/query': 'not-applicable' },
    refusing('QUERY', 501),
  ),
  wrong('refuses PROPFIND', differs('method/propfind'), refusing('PROPFIND', 405)),
  wrong(
    'answers OPTIONS by itself',
    {
      ...differs('method/options', 'method/preflight', 'target/asterisk'),
      'method/max-forwards': 'not-applicable',
      'method/max-forwards-zero': 'not-applicable',
    },
    refusing('OPTIONS', 200),
  ),
  wrong('refuses TRACE', { 'method/trace': 'pass' }, refusing('TRACE', 405)),
  readsHeads('says that a tunnel is open', 'method/connect', /^CONNECT \S+/, 'GET /status/200'),
  readsHeads(
    'answers what follows a rejected CONNECT',
    'method/connect-rejected',
    /^CONNECT \S+/,
    'GET /status/405',
  ),
  wrong('mends a malformed method', 'method/malformed', readingHeads(/^G\(T/, 'GET')),
  changesRequest('does not decrement Max-Forwards', 'method/max-forwards', (request) => {
    if (request.method !== 'OPTIONS') return;
    request.fields = mapped(request.fields, (value, name) =>
      name === 'max-forwards' ? String(Number(value) + 1) : value,
    );
  }),
  changesRequest('drops Max-Forwards', 'method/max-forwards', (request) => {
    if (request.method === 'OPTIONS') request.fields = without(request.fields, 'max-forwards');
  }),
  wrong('forwards Max-Forwards: 0', 'method/max-forwards-zero', { forwardsMaxForwards0: true }),
  changesRequest('makes * a path', 'target/asterisk', (request) => {
    if (request.target === '*') request.target = '/*';
  }),
  wrong('refuses *', differs('target/asterisk'), {
    refuses: ({ target }) => (target === '*' ? 400 : undefined),
  }),
];
