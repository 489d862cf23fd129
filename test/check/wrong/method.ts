import type { Deviation } from '../_gateway-messages.ts';
import {
  breaking,
  changesRequest,
  fails,
  mapped,
  onRequest,
  readingHeads,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

const refusing = (refused: string, status: number): Deviation => ({
  refuses: ({ method }) => (method === refused ? status : undefined),
});

/** Gateways that change or refuse methods. */
export const wrongMethods: readonly WrongProxy[] = [
  changesRequest('writes methods in upper case', 'method/case', (request) => {
    request.method = request.method.toUpperCase();
  }),
  breaking(
    'makes GET a PUT',
    onRequest((request) => {
      request.method = 'PUT';
    }),
    { 'method/get': 'fail' },
  ),
  changesRequest('makes POST without content a PUT', 'method/post', (request) => {
    if (request.method === 'POST' && request.framing === 'none') request.method = 'PUT';
  }),
  ...['PUT', 'DELETE'].map((method) =>
    wrong(
      `makes ${method} a POST`,
      onRequest((request) => {
        if (request.method === method) request.method = 'POST';
      }),
      { [`method/${method.toLowerCase()}`]: 'fail' },
    ),
  ),
  wrong('refuses PATCH', refusing('PATCH', 405), { 'method/patch': 'differs' }),
  wrong('refuses QUERY', refusing('QUERY', 501), { 'method/query': 'differs' }),
  wrong('refuses PROPFIND', refusing('PROPFIND', 405), { 'method/propfind': 'differs' }),
  wrong('answers OPTIONS by itself', refusing('OPTIONS', 200), {
    'method/options': 'differs',
    'target/asterisk': 'differs',
  }),
  wrong('refuses TRACE', refusing('TRACE', 405), { 'method/trace': 'pass' }),
  wrong('says that a tunnel is open', readingHeads(/^CONNECT \S+/, 'GET /status/200'), {
    'method/connect': 'fail',
  }),
  wrong('mends a malformed method', readingHeads(/^G\(T/, 'GET'), { 'method/malformed': 'fail' }),
  changesRequest('does not decrement Max-Forwards', 'method/max-forwards', (request) => {
    if (request.method !== 'OPTIONS') return;
    request.fields = mapped(request.fields, (value, name) =>
      name === 'max-forwards' ? String(Number(value) + 1) : value,
    );
  }),
  changesRequest('drops Max-Forwards', 'method/max-forwards', (request) => {
    if (request.method === 'OPTIONS') request.fields = without(request.fields, 'max-forwards');
  }),
  fails('forwards Max-Forwards: 0', 'method/max-forwards-zero', { forwardsMaxForwards0: true }),
  changesRequest('makes * a path', 'target/asterisk', (request) => {
    if (request.target === '*') request.target = '/*';
  }),
  wrong(
    'refuses *',
    { refuses: ({ target }) => (target === '*' ? 400 : undefined) },
    { 'target/asterisk': 'differs' },
  ),
];
