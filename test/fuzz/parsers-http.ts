import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { DescriptionReader, describedJson } from '../../src/endpoints/respond/describe.ts';
import { explainFields } from '../../src/echo/explain/message-fields.ts';
import { explainedText } from '../../src/echo/explain/explained-text.ts';
import { explainableFields } from '../../src/echo/explain/fields.ts';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { negotiateMediaType } from '../../src/http/accept.ts';
import { authorizationToken, hasBasicCredentials } from '../../src/http/authorization.ts';
import {
  evaluatePreconditions,
  ifRangeHolds,
  parseEntityTags,
} from '../../src/http/conditional.ts';
import { readMessageContent } from '../../src/http/content.ts';
import { parseCookies, setCookie } from '../../src/http/cookies.ts';
import { parseHttpDate } from '../../src/http/date.ts';
import { readDigestCredentials } from '../../src/http/digest.ts';
import {
  isDigestAlgorithm,
  parseDigests,
  serializeDigest,
  wantedDigests,
} from '../../src/http/integrity-fields.ts';
import { nodeAddress, parseForwarded } from '../../src/http/forwarded.ts';
import { readForwarding } from '../../src/server/forwarding.ts';
import { parseGoDuration } from '../../src/http/go-duration.ts';
import { SignatureBases } from '../../src/http/message-signatures/base.ts';
import { readVerificationKey } from '../../src/http/message-signatures/verification-key.ts';
import { jsonOrNull, parseJson } from '../../src/http/json-content.ts';
import { parseMediaType } from '../../src/http/media-type.ts';
import { multipartBoundary, parseMultipart } from '../../src/http/multipart.ts';
import { Nonces } from '../../src/server/nonces.ts';
import { decimal, duration, flag, int, int64 } from '../../src/server/params.ts';
import { groupByName, parseQuery, percentDecode, singleValue } from '../../src/http/query.ts';
import { rangeLength, selectRanges } from '../../src/http/range.ts';
import { validateRequest } from '../../src/server/validate-request.ts';
import { Router } from '../../src/server/router.ts';
import { isExecutableType, escapeMarkup, escapeMarkupInJson } from '../../src/server/safety.ts';
import { acceptDeflate } from '../../src/http/websocket.ts';
import {
  isInnerList,
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeList,
  serializeMember,
} from '../../src/http/structured-fields.ts';
import { isFieldValue, listMembers } from '../../src/http/syntax.ts';
import { isAuthority, parseTarget } from '../../src/http/target.ts';
import { readTraceContext } from '../../src/http/trace-context.ts';
import { FakeExchange } from '../_exchange.ts';
import { inputsLike, textsLike } from './mutations.ts';
import { expects, parser, refusing, type Parser } from './parser.ts';

const ETAG = '"a"';
const DATE = 'Mon, 01 Jan 2024 00:00:00 GMT';
const VALIDATORS = { etag: ETAG, lastModified: DATE };
const LISTS = [',', ';', '=', '"', '\\', ' ', '\t', '/', '*', 'q=0.5', ';q=', '\\"'];

const queries = textsLike(
  ['a=1&b=2&a=3', 'a=%C3%A9+b', 'name=value&secure&max_age=5', 'url=http://x/'],
  ['%', '%00', '%zz', '%ff', '&', '=', '+', ';', '#', '\xe9', '__proto__=', 'constructor='],
);
const dictionaries = textsLike(
  [
    'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:, md5=:AA==:',
    'sha-512=3, sha-256=10, unixsum=0',
    'a="b";c=?1, d=(1.5 e;f %"%c3%bc"), g=@1659578233, h',
  ],
  [...LISTS, ':', '?1', '@', '%"', '(', ')', '%c3', '-1', '0.123', '1234567890123456', '*'],
);
const signatureInputs = textsLike(
  [
    'a=("@method" "a";sf "b";key="c" "a";tr;bs "@query-param";name="d");created=1',
    'b=("@path" "@query")',
  ],
  [...LISTS, '("', '"@', '"a"', ';tr', ';bs', ';sf', ';req', ';key="a"', ';name=', '?0', ')'],
);
const signedTarget = {
  method: 'GET',
  scheme: 'http',
  authority: 'a',
  requestTarget: '/',
  targetUri: 'http://a/',
  path: '/',
};
const multiparts = inputsLike(
  [
    '--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\nContent-Type: x/y\r\n\r\n1\r\n--b--',
    'preamble\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b\r\n\r\n--b--\r\nepilogue',
  ],
  [
    '--b',
    '--b--',
    '\r\n',
    '\r\n--b',
    '\r\n\r\n',
    '\n',
    '"',
    ';',
    '; name=',
    'form-data',
    '--',
    ' \t',
  ],
);
const contents = inputsLike(
  [
    '{"a":[1,2,{"b":null}]}',
    '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}',
    'a=1&b=%20',
    '[[[[]]]]',
    '"\\u0000"',
    'é',
    '--b\r\n\r\n--b--',
  ],
  ['[', '{"a":', ']', '}', '"', '\\', ',', '1e999', '\ufffd', '&', '=', '%', '\xff', '--b'],
);
const extensions = textsLike(
  ['permessage-deflate; server_max_window_bits="15"; client_no_context_takeover', 'a; b=c, d'],
  [';', '=', ',', '"', '8', 'permessage-deflate'],
);
const fieldValues = textsLike(
  [
    'Basic dTpw',
    'Digest username="u", realm="r", nonce="n", uri="/", response="x", qop=auth, nc=00000001, cnonce="c"',
    'for=192.0.2.1;proto=https;host="x:1", for="[2001:db8::1]:80"',
    'chunked, gzip',
    '100-continue',
    'W/"a", "b", *',
    'bytes=0-1,-5,7-',
    'text/html;level="1";q=0.5, */*',
    'a=b; c="d"',
    DATE,
  ],
  [...LISTS, 'for=', 'bytes=', 'W/', '-', "utf-8''%", '00000000', '\xe9', ':', '[', ']', '%41'],
);

/** Methods that requests may have here. */
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'BREW');

const explainable = Array.from(explainableFields.values(), ({ name }) => name);

const endpoints = allEndpoints({ ...completeState, maxDuration: 0 });
const router = new Router(endpoints);

const descriptions = textsLike(
  [
    'status=200:90,503:10&header=X-A: 1&header=x-a: 2&content=lines:100&rate=1000&chunk=10',
    'body=%FF&type=text/html&fault=rst-stream@50%,code=CANCEL&informational=103&delay=10ms:50,1s:5',
    'base64=AAEC_w&encoding=gzip&digest=md5&trailer=X-T: 1&framing=chunked&body_delay=1s',
  ],
  [
    '&',
    '=',
    ':',
    ',',
    '@',
    '%',
    '%25',
    'fault=',
    'header=',
    'content=random:1m',
    'status=',
    '\xff',
  ],
);
const reader = new DescriptionReader(0);

export const httpParsers: readonly Parser[] = [
  parser('DescriptionReader', fc.tuple(descriptions, contents), ([text, content]) => {
    const read = refusing(() => reader.readText(text, 'here'));
    for (const [name, value] of read?.header ?? []) {
      expects(isFieldValue(name + value), 'the field can be sent');
    }
    refusing(() => reader.readJson(describedJson(content), 'content'));
    refusing(() => reader.readJson(Object.fromEntries(parseQuery(text)), 'content'));
  }),
  parser('parseQuery, groupByName, singleValue, percentDecode', queries, (query) => {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const pairs = parseQuery(query, encoding);
      expects(pairs.length <= query.split('&').length, 'no more pairs than parts');
      const values = Object.values(groupByName(pairs)).flat();
      expects(values.length === pairs.length, 'none is lost by its name');
      refusing(() => singleValue(pairs, pairs[0]?.[0] ?? ''));
      percentDecode(query, encoding);
    }
  }),
  parser('parseCookies', fieldValues, (value) => {
    expects(Object.getPrototypeOf(parseCookies(value)) === null, 'no name is special');
  }),
  parser('setCookie', fc.tuple(queries, queries), ([name, value]) => {
    const cookie = refusing(() => setCookie(name, value, { path: value, domain: value }));
    if (cookie !== undefined) expects(isFieldValue(cookie), 'it can be sent');
  }),
  parser(
    'parseMultipart, multipartBoundary',
    fc.tuple(multiparts, fieldValues),
    ([content, type]) => {
      const parts = parseMultipart(content, multipartBoundary(type) ?? 'b') ?? [];
      const length = parts.reduce((sum, part) => sum + part.content.length, 0);
      expects(length <= content.length, 'parts are of the content');
    },
  ),
  parser(
    'readMessageContent, parseJson, jsonOrNull',
    fc.tuple(
      fc.oneof(contents, multiparts),
      fc.oneof(
        fieldValues,
        fc.constantFrom('multipart/form-data; boundary=b', 'application/x-www-form-urlencoded'),
      ),
    ),
    ([content, type]) => {
      const { body, body_encoding: encoding } = readMessageContent(content, type);
      expects(Buffer.from(body, encoding).equals(content), 'the body is the content');
      const text = content.toString();
      JSON.stringify(jsonOrNull(text), null, 2);
      try {
        parseJson(text);
      } catch (error) {
        const isExpected = error instanceof SyntaxError || error instanceof RangeError;
        expects(isExpected, 'malformed, or beyond a bound');
      }
    },
  ),
  parser('selectRanges', fc.tuple(fieldValues, fc.nat(2000)), ([value, length]) => {
    for (const range of selectRanges(value, length, 10_000) ?? []) {
      expects(range.first >= 0 && range.last < length, 'within the representation');
      expects(rangeLength(range) > 0, 'of a byte or more');
    }
  }),
  parser('parseEntityTags, evaluatePreconditions, ifRangeHolds', fieldValues, (value) => {
    parseEntityTags(value);
    for (const name of ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since']) {
      evaluatePreconditions('GET', [name, value], VALIDATORS);
    }
    ifRangeHolds(['If-Range', value], VALIDATORS);
  }),
  parser('negotiateMediaType, parseMediaType, listMembers', fieldValues, (value) => {
    negotiateMediaType(value, ['text/html; charset=utf-8', 'application/json']);
    expects(listMembers(value).join('').length <= value.length, 'members are of the list');
    const media = parseMediaType(value);
    expects(media?.type.includes('/') !== true, 'a type has no slash');
    isExecutableType(value);
  }),
  parser('acceptDeflate', extensions, (value) => {
    const accepted = acceptDeflate(['Sec-WebSocket-Extensions', value]);
    if (accepted === undefined || accepted === 'malformed') return;
    const again = acceptDeflate(['Sec-WebSocket-Extensions', accepted.field]);
    expects(isDeepStrictEqual(again, accepted), 'what is accepted says the same');
  }),
  parser('parseTarget, isAuthority', fc.tuple(methods, queries), ([method, text]) => {
    isAuthority(text);
    for (const raw of [text, `/${text}`, `http://${text}`]) {
      const target = parseTarget(method, raw);
      if (target?.form === 'origin') {
        const { path, query } = target;
        expects(raw === path || raw === `${path}?${query}`, 'nothing is changed');
      }
    }
  }),
  parser('parseHttpDate, parseGoDuration', fieldValues, (value) => {
    for (const read of [parseHttpDate, parseGoDuration]) {
      expects(Number.isFinite(read(value) ?? 0), 'a number or none');
    }
  }),
  parser('int, int64, decimal, duration, flag', queries, (text) => {
    const bounds = { min: 1, max: 9 };
    const number = refusing(() => int(bounds).parse(text, 'n')) ?? 1;
    expects(number >= 1 && number <= 9, 'within the bounds');
    const exact = refusing(() => int64.parse(text, 'n'));
    if (exact !== undefined) expects(BigInt(text) === exact, 'exact');
    for (const parameter of [decimal(bounds), duration(9), flag]) {
      refusing<unknown>(() => parameter.parse(text, 'n'));
    }
  }),
  parser('validateRequest', fc.tuple(methods, queries, fieldValues), ([method, target, value]) => {
    for (const name of ['Host', 'Transfer-Encoding', 'Expect']) {
      const fields = ['Host', 'a', name, value];
      const fault = validateRequest(new FakeExchange(target, { method, fields }));
      expects(fault === undefined || fault.status !== 500, 'no defect');
    }
  }),
  parser('parseItem, parseList, parseDictionary', dictionaries, (value) => {
    const dictionary = parseDictionary(value);
    if (dictionary) {
      const again = parseDictionary(serializeDictionary(dictionary));
      expects(isDeepStrictEqual(again, dictionary), 'the canonical form says the same');
    }
    const list = parseList(value);
    if (list) expects(isDeepStrictEqual(parseList(serializeList(list)), list), 'so of a list');
    const item = parseItem(value);
    if (item) expects(isDeepStrictEqual(parseItem(serializeMember(item)), item), 'so of an item');
  }),
  parser('explainFields', fc.tuple(fc.constantFrom(...explainable), dictionaries), (line) => {
    const explained = explainFields(new FakeExchange('/', { fields: line }), undefined, 0);
    expects(explained.length === 1, 'one entry for each field');
    expects(explainedText(explained).length < 100_000, 'no more than that');
  }),
  parser(
    'SignatureBases',
    fc.tuple(signatureInputs, dictionaries, queries),
    ([text, value, query]) => {
      const message = {
        ...signedTarget,
        query,
        fields: ['A', value, 'B', value],
        trailers: ['A', value],
        typeOf: () => 'dictionary' as const,
      };
      const bases = new SignatureBases(message);
      for (const member of parseDictionary(text)?.values() ?? []) {
        if (!isInnerList(member)) continue;
        const made = bases.baseOf(member, { components: 64, characters: 10_000 });
        if ('reason' in made) continue;
        const lines = made.base.split('\n');
        expects(lines.length === member.items.length + 1, 'a line for each component');
      }
    },
  ),
  parser('readVerificationKey', contents, (content) => {
    for (const text of [content.toString('latin1'), content.toString('base64url')]) {
      const key = readVerificationKey(text);
      expects(typeof key === 'string' || key.thumbprint.length === 43, 'a key has a thumbprint');
    }
  }),
  parser('wantedDigests, parseDigests', dictionaries, (value) => {
    const preferred = wantedDigests(['Want-Repr-Digest', value])?.repr;
    expects(preferred === undefined || value.includes(preferred), 'what is wanted was sent');
    for (const [algorithm, digest] of parseDigests(value) ?? []) {
      if (!isDigestAlgorithm(algorithm)) continue;
      const again = parseDigests(serializeDigest(algorithm, digest));
      expects(again?.get(algorithm)?.equals(digest) === true, 'a digest can be sent back');
    }
  }),
  parser('parseForwarded, nodeAddress, readForwarding', fieldValues, (value) => {
    for (const element of parseForwarded(value) ?? []) {
      expects(element.size > 0, 'no empty elements');
      nodeAddress(element.get('for') ?? value);
    }
    const names = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host'];
    for (const name of names) readForwarding([name, value], () => true);
  }),
  parser('readTraceContext', fieldValues, (value) => {
    expects(typeof readTraceContext(['traceparent', value]) !== 'undefined', 'it is judged');
    const valid = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const context = readTraceContext(['traceparent', valid, 'tracestate', value]);
    const members = typeof context === 'object' ? (context.state ?? []) : [''];
    expects(
      members.every((member) => member.includes('=') && value.includes(member)),
      'its members are of what was sent',
    );
  }),
  parser('authorizationToken, readDigestCredentials', fieldValues, (value) => {
    const fields = ['Authorization', value];
    authorizationToken(fields, 'basic');
    hasBasicCredentials(fields, 'u', 'p');
    const credentials = readDigestCredentials(fields);
    expects(typeof credentials === 'string' || credentials.nonce !== undefined, 'all there');
    new Nonces(new Uint8Array(32)).isValid(value, 0);
  }),
  parser('escapeMarkupInJson, escapeMarkup', contents, (content) => {
    expects(!/[<>"']/.test(escapeMarkup(content).toString('latin1')), 'no markup');
    const json = JSON.stringify(content.toString());
    expects(JSON.parse(escapeMarkupInJson(json)) === JSON.parse(json), 'the same value');
  }),
  parser(
    'every endpoint',
    fc.tuple(
      fc.constantFrom(...endpoints),
      fc.array(queries, { minLength: 5, maxLength: 5 }),
      fc.constantFrom('Range', 'Accept', 'Cookie', 'Authorization', 'If-None-Match', 'Origin'),
      fieldValues,
      contents,
    ),
    ([endpoint, texts, name, value, content]) => {
      const [query = '', ...segments] = texts;
      const target = `/${texts.join('/')}?${query}`;
      router.find(target);
      const request = new FakeExchange(target, { fields: ['Host', 'a', name, value] });
      const answer = refusing(() => endpoint.respond(request, segments, content));
      // An asynchronous handler may refuse, too; any other error is unhandled and fails the run.
      if (answer instanceof Promise) {
        void answer.catch((error: unknown) =>
          refusing(() => {
            throw error;
          }),
        );
      }
    },
  ),
];
