import { listOf, valuesOf } from '../../src/check/message.ts';
import {
  changingPaths,
  changingQueries,
  changingValues,
  keepingFields,
  onRequest,
  readingHeads,
  wrong,
  type WrongProxy,
} from './_wrong.ts';

const fields: readonly WrongProxy[] = [
  wrong(
    'drops fields with an underscore',
    keepingFields((name) => !name.includes('_')),
    {
      'field/underscore': 'fail',
    },
  ),
  wrong(
    'drops fields with a dot',
    keepingFields((name) => !name.includes('.')),
    {
      'field/dot': 'fail',
    },
  ),
  wrong(
    'drops fields with unusual characters',
    keepingFields((name) => /^[\w.-]+$/.test(name)),
    {
      'field/token-characters': 'fail',
    },
  ),
  wrong(
    'drops a field that it does not know',
    keepingFields((name) => name !== 'x-check-unknown'),
    {
      'field/unknown': 'fail',
    },
  ),
  wrong(
    'drops Authorization',
    keepingFields((name) => name !== 'authorization'),
    {
      'field/authorization': 'fail',
    },
  ),
  wrong(
    'drops Priority',
    keepingFields((name) => name !== 'priority'),
    { 'field/priority': 'fail' },
  ),
  wrong(
    'drops traceparent',
    keepingFields((name) => name !== 'traceparent'),
    {
      'field/traceparent': 'fail',
    },
  ),
  wrong(
    'drops empty fields',
    keepingFields((_name, value) => value !== ''),
    {
      'field/empty-value': 'fail',
    },
  ),
  wrong(
    'cuts long values',
    changingValues((value) => value.slice(0, 1024)),
    { 'field/long': 'fail' },
  ),
  wrong(
    'forwards 60 fields at most',
    onRequest((request) => {
      const own = request.fields.splice(-6);
      request.fields = [...request.fields.slice(0, 60), ...own];
    }),
    { 'field/many': 'fail' },
  ),
  wrong(
    'removes bytes above 0x7F',
    changingValues((value) => value.replaceAll(/[\u0080-\u00ff]/g, '')),
    { 'field/obs-text': 'fail' },
  ),
  wrong(
    'merges white space',
    changingValues((value) => value.replaceAll(/ +/g, ' ')),
    { 'field/whitespace-inside': 'fail' },
  ),
  wrong(
    'makes tabs spaces',
    changingValues((value) => value.replaceAll('\t', ' ')),
    { 'field/tab-inside': 'fail' },
  ),
  wrong(
    'decodes values',
    changingValues((value) => value.replaceAll('%2F', '/')),
    { 'field/percent': 'fail' },
  ),
  wrong(
    'unquotes values',
    changingValues((value) => value.replaceAll(String.raw`\"`, '')),
    { 'field/quotes': 'fail' },
  ),
  wrong(
    'reverses the lines of a field',
    onRequest((request) => {
      const lines = request.fields.filter(([name]) => /^x-check-repeated$/i.test(name));
      request.fields = request.fields.map((line) =>
        lines.includes(line) ? (lines.pop() ?? line) : line,
      );
    }),
    { 'field/repeated': 'fail' },
  ),
  wrong(
    'keeps the last line of a field only',
    onRequest((request) => {
      request.fields = [
        ...new Map(request.fields.map((line) => [line[0].toLowerCase(), line])).values(),
      ];
    }),
    { 'field/repeated': 'fail', 'hop/via-appended': 'fail' },
  ),
  wrong(
    'sorts fields',
    onRequest((request) => {
      request.fields.sort(([a], [b]) => a.localeCompare(b));
    }),
    { 'field/order': 'differs' },
  ),
  wrong(
    'changes the case of names',
    onRequest((request) => {
      request.fields = request.fields.map(([name, value]) => [name.toLowerCase(), value]);
    }),
    { 'field/name-case': 'differs' },
  ),
  wrong(
    'decrements Max-Forwards',
    changingValues((value, name) => (name === 'max-forwards' ? String(Number(value) - 1) : value)),
    { 'field/max-forwards': 'fail' },
  ),
  wrong(
    'sends the fields of one client to another',
    (() => {
      const seen: (readonly [string, string])[] = [];
      return onRequest((request) => {
        request.fields.push(...seen);
        if (seen.length === 0)
          seen.push(...request.fields.filter(([name]) => /^x-check-first$/i.test(name)));
      });
    })(),
    { 'connection/fields-of-others': 'fail' },
  ),
];

const cookies: readonly WrongProxy[] = [
  wrong(
    'forwards the first cookie only',
    changingValues((value, name) => (name === 'cookie' ? (value.split(';')[0] ?? '') : value)),
    { 'cookie/request': 'fail', 'cookie/crumbs': 'blocked' },
  ),
  wrong(
    'joins cookies by commas',
    changingValues((value, name) =>
      name === 'cookie' && !value.includes('"') ? value.replaceAll('; ', ', ') : value,
    ),
    { 'cookie/crumbs': 'fail' },
  ),
  wrong(
    'sends several Cookie lines on HTTP/1.1',
    onRequest((request, client) => {
      if (valuesOf(client.fields, 'cookie').length < 2) return;
      request.fields = request.fields.flatMap(([name, value]) =>
        name === 'Cookie'
          ? value.split('; ').map((crumb) => [name, crumb] as const)
          : [[name, value] as const],
      );
    }),
    { 'cookie/crumbs': 'fail' },
  ),
];

const withoutConnection: WrongProxy['deviation'] = {
  receive: (lines) => lines.filter(([name]) => !/^connection$/i.test(name)),
};

const hops: readonly WrongProxy[] = [
  wrong('forwards fields that Connection lists', withoutConnection, {
    'hop/connection-listed': 'fail',
    'hop/connection-listed-case': 'blocked',
    'hop/connection-several': 'blocked',
    'hop/connection-authorization': 'pass',
  }),
  wrong(
    'compares options of Connection by case',
    {
      receive: (lines) =>
        lines.filter(([name, value]) => !/^connection$/i.test(name) || !value.includes('CHECK')),
    },
    { 'hop/connection-listed-case': 'fail' },
  ),
  wrong(
    'reads the first line of Connection only',
    {
      receive: (lines) => {
        const first = lines.find(([name]) => /^connection$/i.test(name));
        return lines.filter((line) => line === first || !/^connection$/i.test(line[0]));
      },
    },
    { 'hop/connection-several': 'fail' },
  ),
  wrong(
    'forwards Connection',
    onRequest((request, client) => {
      const sent = valuesOf(client.fields, 'connection').map(
        (value) => ['Connection', value] as const,
      );
      request.fields.push(...sent);
    }),
    { 'hop/connection-itself': 'fail' },
  ),
  wrong('forwards Keep-Alive', { keepsHopByHop: ['keep-alive'] }, { 'hop/keep-alive': 'fail' }),
  wrong(
    'forwards Proxy-Connection',
    { keepsHopByHop: ['proxy-connection'] },
    { 'hop/proxy-connection': 'fail' },
  ),
  wrong(
    'lets Connection remove Content-Length',
    onRequest((request, client) => {
      if (!listOf(client.fields, 'connection').includes('content-length')) return;
      request.framing = 'none';
      request.content = Buffer.alloc(0);
    }),
    { 'hop/connection-content-length': 'fail' },
  ),
  wrong(
    'adds no Via',
    keepingFields((name, value) => name !== 'via' || !value.includes('test-gateway')),
    {
      'hop/via-request': 'fail',
    },
  ),
  wrong(
    'replaces Via',
    keepingFields((name, value) => name !== 'via' || value.includes('test-gateway')),
    {
      'hop/via-appended': 'fail',
    },
  ),
  wrong(
    'forwards Upgrade to h2c',
    {
      keepsHopByHop: ['upgrade', 'http2-settings'],
      receive: (lines) => lines.filter(([, value]) => value !== 'websocket'),
      request: (request) => {
        if (!listOf(request.fields, 'upgrade').includes('h2c')) return;
        request.fields = request.fields.filter(([name]) => name !== 'Connection');
        request.fields.push(['Connection', 'Upgrade, HTTP2-Settings']);
      },
    },
    { 'upgrade/h2c': 'fail' },
  ),
];

const targets: readonly WrongProxy[] = [
  wrong(
    'decodes %2F',
    changingPaths((path) => path.replaceAll('%2F', '/')),
    {
      'target/encoded-slash': 'fail',
    },
  ),
  wrong(
    'decodes %2f in lower case only',
    changingPaths((path) => path.replaceAll('%2f', '/')),
    {
      'target/encoded-slash-case': 'fail',
    },
  ),
  wrong(
    'decodes paths twice',
    changingPaths((path) => path.replaceAll('%25', '%')),
    {
      'target/encoded-percent': 'fail',
    },
  ),
  wrong(
    'decodes %3F',
    changingPaths((path) => path.replaceAll('%3F', '?')),
    {
      'target/encoded-question': 'fail',
    },
  ),
  wrong(
    'removes parameters of segments',
    changingPaths((path) => path.replaceAll(/;[^/]*/g, '')),
    {
      'target/semicolon': 'fail',
    },
  ),
  wrong(
    'encodes reserved characters',
    changingPaths((path) => path.replaceAll("'", '%27').replaceAll('(', '%28')),
    { 'target/sub-delims': 'fail' },
  ),
  wrong(
    'removes the slash at the end',
    changingPaths((path) => path.replace(/(.)\/$/, '$1')),
    {
      'target/trailing-slash': 'fail',
    },
  ),
  wrong(
    'encodes paths again',
    changingPaths((path) => path.replaceAll('%C3', '%25C3')),
    { 'target/encoded-utf8': 'fail' },
  ),
  wrong(
    'merges slashes',
    changingPaths((path) => path.replaceAll(/\/{2,}/g, '/')),
    {
      'target/double-slash': 'differs',
    },
  ),
  wrong(
    'encodes ~',
    changingPaths((path) => path.replaceAll('~', '%7E')),
    { 'target/plain': 'fail' },
  ),
  wrong(
    'removes dot segments',
    changingPaths((path) =>
      new URL(path.replaceAll(/%2e/gi, '%252e'), 'http://h').pathname.replaceAll('%252e', '%2e'),
    ),
    { 'target/dot-segments': 'differs', 'target/dot-segments-above-root': 'pass' },
  ),
  wrong(
    'decodes and removes dot segments',
    changingPaths((path) => (path.includes('%2e') ? new URL(path, 'http://h').pathname : path)),
    { 'target/encoded-dot-segments': 'differs' },
  ),
  wrong(
    'decodes unreserved characters',
    changingPaths((path) =>
      path.replaceAll('%41', 'A').replaceAll('%7E', '~').replaceAll('%2D', '-'),
    ),
    { 'target/encoded-unreserved': 'differs' },
  ),
  wrong(
    'writes hexadecimal digits in upper case',
    changingPaths((path) => path.replaceAll(/%c3%a9/g, (text) => text.toUpperCase())),
    { 'target/hex-case': 'differs' },
  ),
  wrong(
    'refuses targets of 4 KiB with 414',
    {
      refuses: ({ target }) =>
        target.startsWith('/anything') && target.length > 4096 ? 414 : undefined,
    },
    { 'target/long': 'fail' },
  ),
  wrong(
    'cuts %00 and what follows',
    changingPaths((path) => path.replace(/%00.*/, '')),
    {
      'target/encoded-nul': 'fail',
    },
  ),
  wrong(
    'mends malformed encodings',
    changingPaths((path) => path.replaceAll('%zz', '%25zz')),
    {
      'target/malformed-percent': 'fail',
    },
  ),
  wrong(
    'makes a backslash a slash',
    { ...readingHeads(/\\(?=.* HTTP)/, '/') },
    {
      'http/1.1 target/backslash': 'fail',
    },
  ),
  wrong(
    'decodes queries',
    changingQueries((query) => query.replaceAll('%2F', '/')),
    {
      'target/query': 'fail',
    },
  ),
  wrong(
    'writes + in queries as %20',
    changingQueries((query) => query.replaceAll('+', '%20')),
    {
      'target/query': 'fail',
      'target/query-encoded': 'fail',
    },
  ),
  wrong(
    'removes empty parts of queries',
    changingQueries((query) => query.replaceAll('&&', '&')),
    {
      'target/query': 'fail',
    },
  ),
  wrong(
    'ends queries at a second question mark',
    changingQueries((query) => query.replace(/\?.*/, '')),
    {
      'target/query-question': 'fail',
    },
  ),
  wrong(
    'encodes brackets in queries',
    changingQueries((query) => query.replaceAll('[', '%5B')),
    {
      'target/query-brackets': 'fail',
    },
  ),
  wrong('drops fragments', readingHeads(/^(\S+ [^\s#]*)#\S*/, '$1'), { 'target/fragment': 'fail' }),
  wrong('accepts a space in a target', readingHeads(/^(GET \S+) (a HTTP)/, '$1%20$2'), {
    'target/space': 'fail',
  }),
  wrong('encodes control characters in a target', readingHeads('\u0001', '%01'), {
    'target/control': 'fail',
  }),
];

const hosts: readonly WrongProxy[] = [
  wrong(
    'replaces Host',
    onRequest((request) => {
      request.host = 'origin.internal';
    }),
    { 'host/preserved': 'differs' },
  ),
  wrong(
    'accepts requests without Host',
    readingHeads(/^(GET .*\r\n)(?![^]*^host:)/im, '$1Host: a\r\n'),
    {
      'host/missing': 'fail',
    },
  ),
  wrong(
    'takes the first of two hosts',
    readingHeads(/^(host:.*\r\n)([^]*\r\n)?host:.*\r\n/im, '$1$2'),
    {
      'host/repeated': 'fail',
    },
  ),
  wrong('mends a malformed Host', readingHeads(/^Host: a b@c\/d/m, 'Host: a'), {
    'host/malformed': 'fail',
  }),
  wrong('prefers Host to an absolute target', readingHeads(/^(\S+) http:\/\/[^/]*/, '$1 '), {
    'host/absolute-form': 'fail',
  }),
  wrong(
    'prefers Host to :authority',
    onRequest((request, client) => {
      if (client.version === '2.0')
        request.host = valuesOf(client.fields, 'host')[0] ?? request.host;
    }),
    { 'host/differs-from-authority': 'fail' },
  ),
];

/** Forwards a field that only the gateway may set as the client sent it. */
const trusting = (name: string): WrongProxy['deviation'] =>
  onRequest((request, client) => {
    const sent = valuesOf(client.fields, name);
    if (sent.length === 0) return;
    request.fields = request.fields.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
    request.fields.push([name, sent.join(', ')]);
  });

const forwarding: readonly WrongProxy[] = [
  wrong('trusts X-Forwarded-For', trusting('X-Forwarded-For'), {
    'forwarding/spoofed-for': 'fail',
  }),
  wrong('trusts Forwarded', trusting('Forwarded'), { 'forwarding/spoofed-forwarded': 'fail' }),
  wrong('trusts X-Forwarded-Proto', trusting('X-Forwarded-Proto'), {
    'forwarding/spoofed-proto': 'fail',
  }),
  wrong('trusts X-Forwarded-Host', trusting('X-Forwarded-Host'), {
    'forwarding/spoofed-host': 'differs',
  }),
  wrong('trusts X-Real-IP', trusting('X-Real-IP'), { 'forwarding/spoofed-real-ip': 'differs' }),
  wrong('trusts Client-Cert', trusting('Client-Cert'), {
    'forwarding/spoofed-certificate': 'fail',
  }),
  wrong(
    'hides the client',
    keepingFields((name) => name !== 'x-forwarded-for'),
    {
      'forwarding/client-address': 'differs',
    },
  ),
];

const methods: readonly WrongProxy[] = [
  wrong(
    'writes methods in upper case',
    onRequest((request) => {
      request.method = request.method.toUpperCase();
    }),
    { 'method/case': 'fail' },
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
    { 'method/options': 'differs' },
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
];

const contents: readonly WrongProxy[] = [
  wrong(
    'drops content of GET',
    onRequest((request, { method }) => {
      if (method !== 'GET') return;
      request.framing = 'none';
      request.content = Buffer.alloc(0);
    }),
    { 'content/get': 'differs' },
  ),
  wrong(
    'chunks content of known length',
    onRequest((request, { method }) => {
      if (typeof request.framing === 'object' && method === 'POST') request.framing = 'chunked';
    }),
    { 'content/length-kept': 'differs' },
  ),
  wrong(
    'changes a byte of uploads',
    {
      waitsForRequest: ({ framing }) => typeof framing === 'object' && framing.length === 16_384,
      request: ({ content }) => content?.writeUInt8((content.at(-1) ?? 0) ^ 1, content.length - 1),
    },
    { 'content/upload-16k': 'fail' },
  ),
  wrong(
    'drops chunked uploads',
    {
      waitsForRequest: ({ framing: client }) => client === 'chunked',
      request: (request) => {
        if (request.framing !== 'chunked') return;
        request.framing = { length: 0 };
        request.content = Buffer.alloc(0);
      },
    },
    {
      'content/upload-unknown-length': 'fail',
      'http/1.1 framing/chunk-extension': 'fail',
      'trailer/request': 'differs',
    },
  ),
  wrong(
    'makes trailers of requests fields',
    {
      waitsForRequest: ({ framing }) => framing === 'chunked',
      request: (request) => request.fields.push(...request.trailers.splice(0)),
    },
    { 'trailer/request': 'fail', 'trailer/request-forbidden': 'blocked' },
  ),
  wrong(
    'makes forbidden trailers fields',
    {
      waitsForRequest: ({ framing }) => framing === 'chunked',
      request: (request) => {
        request.fields.push(...request.trailers.filter(([name]) => /^authorization$/i.test(name)));
      },
    },
    { 'trailer/request-forbidden': 'fail' },
  ),
  wrong(
    'drops trailers of requests',
    {
      waitsForRequest: ({ framing }) => framing === 'chunked',
      request: (request) => request.trailers.splice(0),
    },
    { 'trailer/request': 'differs' },
  ),
];

const framing: readonly WrongProxy[] = [
  wrong(
    'prefers Content-Length to chunked',
    readingHeads(/(^Content-Length.*\r\n)Transfer-Encoding.*\r\n/m, '$1'),
    {
      'framing/length-and-chunked': 'fail',
    },
  ),
  wrong(
    'takes the first of two lengths',
    readingHeads(/^(Content-Length: 2\r\n)Content-Length: 3\r\n/m, '$1'),
    {
      'framing/two-lengths': 'fail',
    },
  ),
  wrong('accepts a length with a sign', readingHeads(/^(Content-Length: )\+/m, '$1'), {
    'framing/length-sign': 'fail',
  }),
  wrong('accepts a length in hexadecimal', readingHeads(/^(Content-Length: )0x/m, '$1'), {
    'framing/length-hex': 'fail',
  }),
  wrong(
    'takes an empty length for 0',
    readingHeads(/^Content-Length:\r$/m, 'Content-Length: 0\r'),
    {
      'framing/length-empty': 'fail',
    },
  ),
  wrong('ignores unknown transfer codings', readingHeads(/^Transfer-Encoding: x-check\r\n/m, ''), {
    'framing/coding-unknown': 'fail',
  }),
  wrong('finds chunked anywhere', readingHeads(/^(Transfer-Encoding: chunked), x-check/m, '$1'), {
    'framing/coding-after-chunked': 'fail',
  }),
  wrong('trims control characters', readingHeads('\u000b', ''), {
    'framing/coding-spelling': 'fail',
  }),
  wrong('trims space before a colon', readingHeads(/^(X-Check-Space) :/m, '$1:'), {
    'framing/space-before-colon': 'fail',
  }),
  wrong(
    'trims space before the colon of a coding',
    readingHeads(/^(Transfer-Encoding) :/m, '$1:'),
    {
      'framing/coding-space-before-colon': 'fail',
    },
  ),
  wrong(
    'accepts chunk sizes with 0x',
    { readChunkSize: (line) => line.replace(/^0x/, '') },
    {
      'framing/chunk-size-prefix': 'fail',
    },
  ),
  wrong(
    'accepts chunk sizes with a sign',
    { readChunkSize: (line) => line.replace(/^\+/, '') },
    {
      'framing/chunk-size-sign': 'fail',
    },
  ),
  wrong(
    'wraps chunk sizes around',
    { readChunkSize: (line) => line.slice(-12) },
    {
      'framing/chunk-size-overflow': 'fail',
    },
  ),
  wrong('drops a repeated length', readingHeads(/^(?:Content-Length: 2\r\n){2}/m, ''), {
    'framing/same-length-twice': 'fail',
  }),
  wrong('drops a list of lengths', readingHeads(/^Content-Length: 2, 2\r\n/m, ''), {
    'framing/length-list': 'fail',
  }),
  wrong('drops repeated codings', readingHeads(/^Transfer-Encoding: chunked, chunked\r\n/m, ''), {
    'framing/chunked-twice': 'fail',
  }),
  wrong(
    'refuses chunk extensions',
    { readChunkSize: (line) => (line.includes(';') ? 'broken' : line) },
    {
      'framing/chunk-extension': 'fail',
    },
  ),
  wrong('drops folded lines', readingHeads(/\r\n b\r\n/, '\r\n'), { 'framing/obs-fold': 'fail' }),
  wrong('takes a line without a colon for a field', readingHeads(/^(X-Check-Line)\r$/m, '$1:\r'), {
    'framing/no-colon': 'fail',
  }),
  wrong('takes CR for the end of a line', readingHeads(/\r(?!\n)/, '\r\n'), {
    'framing/bare-cr': 'fail',
  }),
  wrong('drops fields without a name', readingHeads(/^: value\r\n/m, ''), {
    'framing/name-empty': 'fail',
  }),
  wrong(
    'refuses an empty line before a request',
    { readHead: (text) => (text === '\r\n' ? 'broken\r\n\r\n' : text) },
    { 'connection/empty-lines': 'fail' },
  ),
];

/** Gateways that receive or forward requests wrongly. */
export const wrongRequests: readonly WrongProxy[] = [
  ...fields,
  ...cookies,
  ...hops,
  ...targets,
  ...hosts,
  ...forwarding,
  ...methods,
  ...contents,
  ...framing,
];
