import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import * as h2 from './_frames.ts';
import { GET, POST } from './_raw.ts';

/** How a client causes a termination. Without `alpn` the connection is plaintext. */
export interface Case {
  readonly reason: string;
  readonly name: string;
  readonly alpn?: string[] | undefined;
  /** Settings that the case needs besides a short timeout. */
  readonly settings?: readonly string[];
  readonly act: (socket: Socket) => void;
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const TLS_HELLO = Buffer.from('16030100050100000100', 'hex');
const NODE_HELLO = readFileSync(new URL('wire/tls/hellos/node.bin', import.meta.url));
const LONG = 'a'.repeat(20_000);

const sends =
  (bytes: string | Buffer) =>
  (socket: Socket): void =>
    void socket.resume().write(bytes);
const sendsWithoutReading =
  (bytes: string) =>
  (socket: Socket): void =>
    void socket.pause().write(bytes);
const speaksH2 =
  (...frames: Buffer[]) =>
  (socket: Socket): void =>
    new h2.FrameClient(socket).send(...frames);
/** Splits a header section that is too long for one frame. */
function withContinuations(headers: Buffer): Buffer[] {
  const block = headers.subarray(9);
  const parts = [h2.frame(h2.HEADERS, h2.END_STREAM, 1, block.subarray(0, 16_000))];
  for (let at = 16_000; at < block.length; at += 16_000) {
    const flags = at + 16_000 < block.length ? 0 : h2.END_HEADERS;
    parts.push(h2.frame(h2.CONTINUATION, flags, 1, block.subarray(at, at + 16_000)));
  }
  return parts;
}
/** Before the protocol is detected. */
export const first: readonly Case[] = [
  { reason: 'header-timeout', name: 'no data', act: () => undefined },
  { reason: 'header-timeout', name: 'half a ClientHello', act: sends(TLS_HELLO.subarray(0, 7)) },
  { reason: 'handshake-failed', name: 'an invalid ClientHello', act: sends(TLS_HELLO) },
  { reason: 'handshake-timeout', name: 'only a ClientHello', act: sends(NODE_HELLO) },
  {
    reason: 'protocol-error',
    name: 'a first frame that is not SETTINGS',
    act: sends(Buffer.concat([h2.PREFACE, h2.frame(h2.PING, 0, 0, Buffer.alloc(8))])),
  },
];

export const http1 = (alpn: string[] | undefined): Case[] => [
  { reason: 'header-timeout', name: 'half a head', alpn, act: sends('GET / HTTP/1.1\r\nHo') },
  {
    reason: 'request-timeout',
    name: 'half a body',
    alpn,
    act: sends(POST('/post', 'Content-Length: 9\r\n', 'a')),
  },
  {
    reason: 'request-timeout',
    name: 'a body that the endpoint does not read',
    alpn,
    act: sends(POST('/delay/0', 'Content-Length: 9\r\n', 'a')),
  },
  { reason: 'idle-timeout', name: 'no further request', alpn, act: sends(GET('/ip')) },
  { reason: 'connection-age', name: 'an old connection', alpn, act: sends(GET('/ip')) },
  {
    reason: 'stalled',
    name: 'a response that is not read',
    alpn,
    act: sendsWithoutReading(GET('/bytes/10485760')),
  },
  {
    reason: 'answer-timeout',
    name: 'a long response',
    alpn,
    act: sends(GET('/drip?duration=60')),
  },
  { reason: 'target-too-long', name: 'a long target', alpn, act: sends(GET(`/${LONG}`)) },
  {
    reason: 'target-too-long',
    name: 'a longer target',
    alpn,
    act: sends(GET(`/${LONG}${LONG}`)),
  },
  {
    reason: 'fields-too-large',
    name: 'a long field',
    alpn,
    act: sends(GET('/ip', `X: ${LONG}${LONG}\r\n`)),
  },
  {
    reason: 'fields-too-large',
    name: 'many fields',
    alpn,
    act: sends(GET('/ip', 'a: b\r\n'.repeat(2200))),
  },
  {
    reason: 'content-too-large',
    name: 'a large body',
    alpn,
    act: sends(POST('/post', 'Content-Length: 2097153\r\n')),
  },
  {
    reason: 'content-too-large',
    name: 'chunk extensions',
    alpn,
    act: sends(POST('/post', CHUNKED, `1;${LONG}${LONG}\r\n`)),
  },
  {
    reason: 'content-too-large',
    name: 'chunk extensions that the endpoint does not read',
    alpn,
    act: sends(POST('/delay/1', CHUNKED, `1;${LONG}${LONG}\r\n`)),
  },
  {
    reason: 'overloaded',
    name: 'a body with a large response',
    alpn,
    settings: ['--max-content-memory=8'],
    // More than 8 MB of indentation.
    act: sends(POST('/post', 'Content-Length: 4092\r\n', '['.repeat(2046) + ']'.repeat(2046))),
  },
  {
    reason: 'overloaded',
    name: 'one request too many',
    alpn,
    settings: ['--max-open-requests=1'],
    act: sends(GET('/delay/1') + GET('/ip')),
  },
  { reason: 'refused', name: 'not an HTTP message', alpn, act: sends('no message\r\n\r\n') },
];

export const http2 = (alpn: string[] | undefined): Case[] => [
  { reason: 'header-timeout', name: 'no request', alpn, act: speaksH2() },
  {
    reason: 'request-timeout',
    name: 'a body that the endpoint does not read',
    alpn,
    act: speaksH2(h2.post(1, '/get')),
  },
  { reason: 'request-timeout', name: 'no body', alpn, act: speaksH2(h2.post(1, '/post')) },
  { reason: 'idle-timeout', name: 'no further request', alpn, act: speaksH2(h2.get(1, '/ip')) },
  { reason: 'connection-age', name: 'an old connection', alpn, act: speaksH2(h2.get(1, '/ip')) },
  {
    reason: 'stalled',
    name: 'a response that exceeds the flow-control window',
    alpn,
    act: speaksH2(h2.get(1, '/bytes/10485760')),
  },
  {
    reason: 'answer-timeout',
    name: 'a long response',
    alpn,
    act: speaksH2(h2.get(1, '/drip?duration=60')),
  },
  {
    reason: 'target-too-long',
    name: 'a long target',
    alpn,
    act: speaksH2(...withContinuations(h2.get(1, `/${LONG}`))),
  },
  {
    reason: 'fields-too-large',
    name: 'a long field',
    alpn,
    act: speaksH2(...withContinuations(h2.get(1, '/ip', ['x', LONG], ['y', LONG]))),
  },
  {
    reason: 'fields-too-large',
    name: 'many fields',
    alpn,
    act: speaksH2(
      h2.get(1, '/ip', ...Array.from({ length: 2200 }, (): [string, string] => ['a', 'b'])),
    ),
  },
  {
    reason: 'content-too-large',
    name: 'a large body',
    alpn,
    act: speaksH2(h2.post(1, '/post', ['content-length', '2097153'])),
  },
  {
    reason: 'overloaded',
    name: 'one request too many',
    alpn,
    settings: ['--max-open-requests=1'],
    act: speaksH2(h2.get(1, '/delay/1'), h2.get(3, '/ip')),
  },
];
