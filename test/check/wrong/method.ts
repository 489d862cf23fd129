import {
  breaking,
  wrong,
  mapped,
  onRequest,
  readingHeads,
  without,
  type WrongProxy,
} from '../_wrong.ts';

/** Gateways that change or refuse methods. */
export const wrongMethods: readonly WrongProxy[] = [
  wrong(
    'writes methods in upper case',
    onRequest((request) => {
      request.method = request.method.toUpperCase();
    }),
    { 'method/case': 'fail' },
  ),
  breaking(
    'makes GET a PUT',
    onRequest((request) => {
      request.method = 'PUT';
    }),
    { 'method/get': 'fail' },
  ),
  wrong(
    'makes POST without content a PUT',
    onRequest((request) => {
      if (request.method === 'POST' && request.framing === 'none') request.method = 'PUT';
    }),
    { 'method/post': 'fail' },
  ),
  wrong(
    'makes PUT a POST',
    onRequest((request) => {
      if (request.method === 'PUT') request.method = 'POST';
    }),
    { 'method/put': 'fail' },
  ),
  wrong(
    'makes DELETE a POST',
    onRequest((request) => {
      if (request.method === 'DELETE') request.method = 'POST';
    }),
    { 'method/delete': 'fail' },
  ),
  wrong(
    'refuses PATCH',
    { refuses: ({ method }) => (method === 'PATCH' ? 405 : undefined) },
    { 'method/patch': 'differs' },
  ),
  wrong(
    'refuses QUERY',
    { refuses: ({ method }) => (method === 'QUERY' ? 501 : undefined) },
    { 'method/query': 'differs' },
  ),
  wrong(
    'refuses PROPFIND',
    { refuses: ({ method }) => (method === 'PROPFIND' ? 405 : undefined) },
    { 'method/propfind': 'differs' },
  ),
  wrong(
    'answers OPTIONS by itself',
    { refuses: ({ method }) => (method === 'OPTIONS' ? 200 : undefined) },
    { 'method/options': 'differs', 'target/asterisk': 'differs' },
  ),
  wrong(
    'refuses TRACE',
    { refuses: ({ method }) => (method === 'TRACE' ? 405 : undefined) },
    { 'method/trace': 'pass' },
  ),
  wrong('says that a tunnel is open', readingHeads(/^CONNECT \S+/, 'GET /status/200'), {
    'method/connect': 'fail',
  }),
  wrong('mends a malformed method', readingHeads(/^G\(T/, 'GET'), { 'method/malformed': 'fail' }),
  wrong(
    'does not decrement Max-Forwards',
    onRequest((request) => {
      if (request.method !== 'OPTIONS') return;
      request.fields = mapped(request.fields, (value, name) =>
        name === 'max-forwards' ? String(Number(value) + 1) : value,
      );
    }),
    { 'method/max-forwards': 'fail' },
  ),
  wrong(
    'drops Max-Forwards',
    onRequest((request) => {
      if (request.method === 'OPTIONS') request.fields = without(request.fields, 'max-forwards');
    }),
    { 'method/max-forwards': 'fail' },
  ),
  wrong(
    'forwards Max-Forwards: 0',
    { forwardsMaxForwards0: true },
    {
      'method/max-forwards-zero': 'fail',
    },
  ),
  wrong(
    'makes * a path',
    onRequest((request) => {
      if (request.target === '*') request.target = '/*';
    }),
    { 'target/asterisk': 'fail' },
  ),
  wrong(
    'refuses *',
    { refuses: ({ target }) => (target === '*' ? 400 : undefined) },
    { 'target/asterisk': 'differs' },
  ),
];
