import * as fc from 'fast-check';
import { place } from '../../fuzz/mutations.ts';

/** HTTP/1.x requests as a client sends them: ordinary, odd and malformed. Text is latin1. */

/** The bytes of one connection. */
export interface Http1Input {
  readonly requests: readonly string[];
  /** What follows after the last request. */
  readonly after: string;
  /** Where the bytes are cut into pieces, as parts of the whole. */
  readonly cuts: readonly number[];
}

const token = fc.constantFrom('x-a', 'X-Mixed-Case', 'accept', 'x_b', '!#$%', 'Cookie', 'x-long');
const value = fc.oneof(
  fc.constantFrom('', 'a', 'a, b', '"quoted, \\" text"', 'caf\xe9', 'a;b=c', 'a\tb', '\x80\xff'),
  fc.stringMatching(/^[!-~]{1,30}$/),
  fc.nat(3000).map((length) => 'v'.repeat(length)),
);
const ows = fc.constantFrom('', ' ', '  ', '\t', ' \t ');
const field = fc
  .tuple(token, ows, value, ows)
  .map(([name, before, text, after]) => `${name}:${before}${text}${after}\r\n`);
const badField = fc.constantFrom(
  'X-Lf: a\n',
  'X-Fold: a\r\n b\r\n',
  'X-Fold: a\r\n\tb\r\n  c\r\n',
  'X-Fold:\n b\n',
  'X-Space : a\r\n',
  'X Name: a\r\n',
  'X-Nul: a\0b\r\n',
  'X-Cr: a\rb\r\n',
  'X-Bell: \x07\r\n',
  'X-Del: \x7f\r\n',
  'no colon\r\n',
  ': no name\r\n',
  ' leading: space\r\n',
  'n\xe4me: a\r\n',
);

const target = fc.constantFrom(
  '/anything',
  '/anything/a%20b?x=1&y=%C3%A9',
  '/get?a=b',
  '/headers',
  '/status/404',
  'http://x.example/anything?absolute',
  '/anything//..;/x',
  '/nowhere',
);
const badStart = fc.constantFrom(
  'GET /a b HTTP/1.1\r\n',
  'GET /get HTTP/9.9\r\n',
  'GET /get\r\n',
  'G(T /get HTTP/1.1\r\n',
  'get /get HTTP/1.1\r\n',
  'GET  /get HTTP/1.1\r\n',
  'GET /\xe9\x01 HTTP/1.1\r\n',
  'GET /get HTTP/1.1\n',
  'HTTP/1.1 200 OK\r\n',
);

const text = fc.oneof(
  fc.stringMatching(/^[ -~]{0,60}$/),
  fc.constantFrom('\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', '\0\xff', '{"a":1}'),
  fc.nat(20_000).map((length) => 'z'.repeat(length)),
);
const extension = fc.constantFrom('', '', ';a', ';a=b', ' ; a="b;c"', ';a=b;c="\\""');
const chunk = fc
  .tuple(
    fc.stringMatching(/^[ -~]{1,40}$/),
    extension,
    fc.constantFrom('', '0', '00'),
    fc.boolean(),
  )
  .map(([data, after, zeros, isUpper]) => {
    const size = data.length.toString(16);
    return `${zeros}${isUpper ? size.toUpperCase() : size}${after}\r\n${data}\r\n`;
  });
const badChunk = fc.constantFrom(
  '3\nabc\n',
  '3\r\nabcd\r\n',
  'g\r\nabc\r\n',
  '3 \r\nabc\r\n',
  '-1\r\n',
  '3;\x01\r\nabc\r\n',
  'fffffffffffffffff\r\n',
  '3\r\nabc\n',
);
const trailers = fc.array(fc.constantFrom('X-T: 1\r\n', 'x-u:\r\n', 'Content-Length: 9\r\n'), {
  maxLength: 2,
});

/** A request whose response shows the connection. */
export const ECHO_HTTP1: Http1Input = {
  requests: ['GET /get HTTP/1.1\r\nHost: x\r\n\r\n'],
  after: '',
  cuts: [],
};

interface Body {
  readonly fields: string;
  readonly content: string;
}

const lengthBody = text.map((content): Body => ({
  fields: `Content-Length: ${content.length}\r\n`,
  content,
}));
const chunkedBody = fc
  .tuple(
    fc.array(chunk, { maxLength: 6 }),
    fc.constantFrom('0', '00', '0;x=y'),
    trailers,
    fc.constantFrom('chunked', 'Chunked'),
  )
  .map(([chunks, last, lines, coding]): Body => ({
    fields: `Transfer-Encoding: ${coding}\r\n`,
    content: `${chunks.join('')}${last}\r\n${lines.join('')}\r\n`,
  }));
const manyChunks: fc.Arbitrary<Body> = fc.integer({ min: 60, max: 70 }).map((count) => ({
  fields: 'Transfer-Encoding: chunked\r\n',
  content: `${'1\r\nm\r\n'.repeat(count)}0\r\n\r\n`,
}));
const badBody = fc.oneof(
  fc.constantFrom<Body>(
    { fields: 'Content-Length: 3\r\nContent-Length: 4\r\n', content: 'abcd' },
    { fields: 'Content-Length: 3\r\nContent-Length: 3\r\n', content: 'abc' },
    { fields: 'Content-Length: 3, 3\r\n', content: 'abc' },
    { fields: 'Content-Length: +3\r\n', content: 'abc' },
    { fields: 'Content-Length: 0x3\r\n', content: 'abc' },
    { fields: 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', content: '0\r\n\r\n' },
    { fields: 'Transfer-Encoding: chunked, identity\r\n', content: '0\r\n\r\n' },
    { fields: 'Transfer-Encoding: gzip, chunked\r\n', content: '0\r\n\r\n' },
    { fields: 'Transfer-Encoding:\r\n chunked\r\n', content: '0\r\n\r\n' },
  ),
  fc.tuple(fc.array(chunk, { maxLength: 2 }), badChunk).map(([chunks, bad]): Body => ({
    fields: 'Transfer-Encoding: chunked\r\n',
    content: `${chunks.join('')}${bad}0\r\n\r\n`,
  })),
);

const ordinary = fc
  .record({
    empty: fc.constantFrom('', '', '', '\r\n', '\r\n\r\n'),
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    target,
    version: fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
    fields: fc.array(field, { maxLength: 5 }),
    body: fc.oneof(lengthBody, { weight: 2, arbitrary: chunkedBody }, manyChunks),
  })
  .map(({ empty, method, target: path, version, fields, body }) => {
    const keep = version === '1.0' ? 'Connection: keep-alive\r\n' : '';
    const head = `${method} ${path} HTTP/${version}\r\nHost: x.example\r\n${keep}`;
    return `${empty}${head}${fields.join('')}${version === '1.0' ? '' : body.fields}\r\n${
      version === '1.0' ? '' : body.content
    }`;
  });
const get = fc
  .tuple(fc.constantFrom('GET', 'HEAD', 'OPTIONS'), target, fc.array(field, { maxLength: 8 }))
  .map(
    ([method, path, fields]) =>
      `${method} ${path} HTTP/1.1\r\nHost: x.example\r\n${fields.join('')}\r\n`,
  );
const malformed = fc.oneof(
  badStart.map((start) => `${start}Host: x\r\n\r\n`),
  fc
    .tuple(fc.array(field, { maxLength: 2 }), badField, fc.array(field, { maxLength: 2 }))
    .map(
      ([before, bad, after]) =>
        `GET /anything HTTP/1.1\r\nHost: x\r\n${before.join('')}${bad}${after.join('')}\r\n`,
    ),
  {
    weight: 2,
    arbitrary: badBody.map(
      ({ fields, content }) => `POST /anything HTTP/1.1\r\nHost: x\r\n${fields}\r\n${content}`,
    ),
  },
  fc.constantFrom(
    'GET /get HTTP/1.1\r\n\r\n',
    'GET /get HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'GET /get HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    '\n\nGET /get HTTP/1.1\nHost: x\n\n',
  ),
);
/** After the last request: nothing, or bytes that are no complete request. */
const after = fc.constantFrom(
  '',
  '',
  '\r\n',
  '\r\n\r',
  'GET /anything HTTP/1.1\r\nHo',
  'POST /anything HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc',
  'POST /anything HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab',
  'POST /anything HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5;',
  '\x16\x03rubbish',
);

/** @param oddity how many of 20 requests are malformed */
export function http1Inputs(oddity: number): fc.Arbitrary<Http1Input> {
  const request = fc.oneof(
    { weight: 12 - Math.ceil(oddity / 2), arbitrary: ordinary },
    { weight: 8 - Math.floor(oddity / 2), arbitrary: get },
    { weight: oddity, arbitrary: malformed },
  );
  return fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 7 }),
    after: oddity > 0 ? after : fc.constant(''),
    cuts: fc.array(place, { maxLength: 6 }),
  });
}
