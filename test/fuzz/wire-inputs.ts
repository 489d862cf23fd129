import { allowedMethods } from '../../src/server/endpoint.ts';
import * as fc from 'fast-check';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import * as h2 from '../_frames.ts';
import { INET6, tlv, v2, V1 } from '../_proxy.ts';
import { quickTarget } from '../_walk.ts';
import { preface, prefaces } from '../net/_client-prefaces.ts';
import { captured, captures } from '../wire/tls/_hellos.ts';
import { mutations, piecesOf, place, rubbish } from './mutations.ts';

/** What one client sends: in how many pieces, and whether it then closes its side. */
export interface Input {
  readonly pieces: readonly Buffer[];
  readonly ends: boolean;
}

/** One way to come, and what to send there. */
export interface Approach {
  readonly name: string;
  /** The ALPN list of a handshake before it; without one the bytes are the connection's first. */
  readonly alpn?: readonly string[];
  /** Whether they go below TLS though there was a handshake. */
  readonly below?: boolean;
  readonly input: fc.Arbitrary<Input>;
}

const targets = allEndpoints(completeState).map((endpoint) => ({
  methods: allowedMethods(endpoint.methods),
  target: quickTarget(endpoint),
}));

const FIELDS = [
  '',
  'Connection: close\r\n',
  'Range: bytes=0-5,7-\r\n',
  'Accept: application/json;q=0.5, text/html\r\nAccept-Encoding: gzip, br;q=0\r\n',
  'Cookie: a=b; c="d"\r\nIf-None-Match: W/"a", "b"\r\n',
  'Forwarded: for=192.0.2.1;proto=https;host="x:1"\r\nOrigin: http://x\r\n',
  'Authorization: Digest username="u", realm="r", nonce="n", uri="/", response="0", qop=auth, nc=00000001, cnonce="c"\r\n',
  'Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello',
  'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\na=1&b=2',
  'Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n--b\r\n\r\n4;x=y\r\n--b-\r\n0\r\nX: y\r\n\r\n',
  'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n',
];

const requests: fc.Arbitrary<Buffer> = fc
  .array(
    fc
      .tuple(fc.constantFrom(...targets), fc.nat(7), fc.constantFrom(...FIELDS))
      .map(([{ methods, target }, method, fields]) => {
        const line = `${methods[method % methods.length]} ${target} HTTP/1.1`;
        return `${line}\r\nHost: x\r\n${fields}${fields.includes('\r\n\r\n') ? '' : '\r\n'}`;
      }),
    { minLength: 1, maxLength: 3 },
  )
  .map((texts) => Buffer.from(texts.join(''), 'latin1'));

const MARKS = '\r\n \n \r \0 \t : , ; = " % %00 ? # / * ../ \xff -1 0 99999999999999999999 0x1';
const REQUEST_TOKENS = [
  ' ',
  ...MARKS.split(' '),
  'HTTP/1.0',
  'HTTP/2.0',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Host: y\r\n',
  'Connection: close\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  '0\r\n\r\n',
  'a'.repeat(40_000),
  'X: y\r\n'.repeat(3000),
  h2.PREFACE.toString('latin1'),
];

const streams = fc.oneof(fc.constantFrom(0, 1, 3, 5, 7), fc.nat(2 ** 31 - 1));
const fieldSections = fc
  .tuple(
    fc.constantFrom(...targets),
    fc.nat(7),
    fc.subarray([':method', ':scheme', ':authority', ':path'], { minLength: 3 }),
    fc.array(fc.tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 })), { maxLength: 4 }),
  )
  .map(([{ methods, target }, method, pseudo, fields]) => {
    const values: Record<string, string> = {
      ':method': methods[method % methods.length] ?? 'GET',
      ':scheme': 'http',
      ':authority': 'x',
      ':path': target,
    };
    return h2.fieldBlock([
      ...pseudo.map((name) => [name, values[name] ?? ''] as const),
      ...fields.map(([name, value]) => [name.toLowerCase(), value] as const),
    ]);
  });
const payloads = fc.oneof(
  fieldSections,
  fc.constantFrom(Buffer.alloc(0), h2.uint32(1), h2.uint32(2 ** 31 - 1), Buffer.alloc(8)),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
);
const requestFrames = fc
  .tuple(streams, fieldSections, fc.constantFrom(0, h2.END_STREAM))
  .map(([stream, block, end]) => h2.frame(h2.HEADERS, h2.END_HEADERS | end, stream, block));
const anyFrames = fc
  .tuple(fc.nat(17), fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d, 0xff), streams, payloads)
  .map(([type, flags, stream, payload]) => h2.frame(type, flags, stream, payload));
const sessions = fc
  .array(fc.oneof(requestFrames, anyFrames), { maxLength: 12 })
  .map((list) => Buffer.concat([h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), ...list]));
const FRAME_TOKENS = [
  '\0\0\0\x04\x01\0\0\0\0',
  '\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08',
  '\xff\xff\xff',
];

const hellos = fc.constantFrom(...captures.map(captured));
const PROXY = [V1, v2(), v2({ family: 0x21, addresses: INET6 }), v2({ tlvs: [tlv(5, 'id')] })];
const proxied = fc
  .tuple(fc.constantFrom(...PROXY), fc.oneof(requests, hellos, sessions))
  .map((parts) => Buffer.concat(parts));

/** Cut at up to three places, and nearly always closed behind. */
function sent(inputs: fc.Arbitrary<Buffer>): fc.Arbitrary<Input> {
  const ends = fc.integer({ min: 0, max: 19 }).map((number) => number > 0);
  return fc.tuple(inputs, fc.array(place, { maxLength: 3 }), ends).map(([bytes, places, end]) => {
    return { pieces: piecesOf(bytes, places), ends: end };
  });
}

const http1 = sent(
  fc.oneof(rubbish, { weight: 9, arbitrary: mutations(requests, REQUEST_TOKENS) }),
);
const opened = fc.constantFrom(...prefaces.map(preface));
const http2 = sent(
  fc.oneof(
    rubbish,
    { weight: 3, arbitrary: sessions },
    { weight: 6, arbitrary: mutations(fc.oneof(sessions, opened), FRAME_TOKENS) },
  ),
);
const records = sent(
  fc.oneof(
    mutations(hellos, ['\x16\x03\x01', '\x17\x03\x03\0\x10', '\x15\x03\x03\0\x02\x02\x28', '\x14']),
    rubbish.map((bytes) => Buffer.concat([Buffer.from([0x16, 3, 1]), bytes])),
  ),
);

export const approaches: readonly Approach[] = [
  { name: 'HTTP/1.1 in clear', input: http1 },
  { name: 'HTTP/1.1 over TLS', alpn: ['http/1.1'], input: http1 },
  { name: 'HTTP/2 in clear', input: http2 },
  { name: 'HTTP/2 over TLS', alpn: ['h2'], input: http2 },
  { name: 'TLS records', input: records },
  { name: 'TLS records behind a handshake', alpn: ['h2', 'http/1.1'], below: true, input: records },
  { name: 'PROXY headers', input: sent(mutations(proxied, ['PROXY ', '\r\n', '\0\x04', '\x20'])) },
];
