import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import * as h2 from './_frames.ts';
import { GET, POST } from './_raw.ts';

/** What a client does to be cut; `undefined` as ALPN is in clear. */
export interface Case {
  readonly reason: string;
  readonly name: string;
  readonly alpn?: string[] | undefined;
  /** What else than a short limit of time brings it about. */
  readonly settings?: readonly string[];
  readonly act: (socket: Socket) => void;
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const TLS_HELLO = Buffer.from('16030100050100000100', 'hex');
const NODE_HELLO = readFileSync(new URL('net/client-hello/hellos/node.bin', import.meta.url));
const LONG = 'a'.repeat(20_000);

const sends =
  (bytes: string | Buffer) =>
  (socket: Socket): void =>
    void socket.resume().write(bytes);
const takesNothing =
  (bytes: string) =>
  (socket: Socket): void =>
    void socket.pause().write(bytes);
const speaksH2 =
  (...frames: Buffer[]) =>
  (socket: Socket): void =>
    new h2.FrameClient(socket).send(...frames);
/** A header section that is too long for one frame. */
function inParts(headers: Buffer): Buffer[] {
  const block = headers.subarray(9);
  const parts = [h2.frame(h2.HEADERS, h2.END_STREAM, 1, block.subarray(0, 16_000))];
  for (let at = 16_000; at < block.length; at += 16_000) {
    const flags = at + 16_000 < block.length ? 0 : h2.END_HEADERS;
    parts.push(h2.frame(h2.CONTINUATION, flags, 1, block.subarray(at, at + 16_000)));
  }
  return parts;
}
/** Before it is clear what it speaks. */
export const first: readonly Case[] = [
  { reason: 'header-timeout', name: 'not a byte', act: () => undefined },
  { reason: 'header-timeout', name: 'half a ClientHello', act: sends(TLS_HELLO.subarray(0, 7)) },
  { reason: 'handshake-failed', name: 'no ClientHello', act: sends(TLS_HELLO) },
  { reason: 'handshake-timeout', name: 'a ClientHello and no more', act: sends(NODE_HELLO) },
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
    name: 'half of the content',
    alpn,
    act: sends(POST('/post', 'Content-Length: 9\r\n', 'a')),
  },
  {
    reason: 'request-timeout',
    name: 'content that nobody reads',
    alpn,
    act: sends(POST('/delay/0', 'Content-Length: 9\r\n', 'a')),
  },
  { reason: 'idle-timeout', name: 'no further request', alpn, act: sends(GET('/ip')) },
  {
    reason: 'stalled',
    name: 'an answer that is not taken',
    alpn,
    act: takesNothing(GET('/bytes/10485760')),
  },
  {
    reason: 'answer-timeout',
    name: 'an answer that goes on',
    alpn,
    act: sends(GET('/drip?duration=60')),
  },
  { reason: 'target-too-long', name: 'a target', alpn, act: sends(GET(`/${LONG}`)) },
  {
    reason: 'target-too-long',
    name: 'a longer one',
    alpn,
    act: sends(GET(`/${LONG}${LONG}`)),
  },
  {
    reason: 'fields-too-large',
    name: 'a field',
    alpn,
    act: sends(GET('/ip', `X: ${LONG}${LONG}\r\n`)),
  },
  {
    reason: 'fields-too-large',
    name: 'fields',
    alpn,
    act: sends(GET('/ip', 'a: b\r\n'.repeat(2200))),
  },
  {
    reason: 'content-too-large',
    name: 'content',
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
    name: 'chunk extensions that nobody reads',
    alpn,
    act: sends(POST('/delay/1', CHUNKED, `1;${LONG}${LONG}\r\n`)),
  },
  {
    reason: 'overloaded',
    name: 'content with a large answer',
    alpn,
    settings: ['--max-content-memory=8'],
    act: sends(POST('/post', 'Content-Length: 2097152\r\n', '\0'.repeat(2_097_152))),
  },
  {
    reason: 'overloaded',
    name: 'a request too many',
    alpn,
    settings: ['--max-open-requests=1'],
    act: sends(GET('/delay/1') + GET('/ip')),
  },
  { reason: 'refused', name: 'no message', alpn, act: sends('no message\r\n\r\n') },
];

export const http2 = (alpn: string[] | undefined): Case[] => [
  { reason: 'header-timeout', name: 'no request', alpn, act: speaksH2() },
  {
    reason: 'request-timeout',
    name: 'content that nobody reads',
    alpn,
    act: speaksH2(h2.post(1, '/get')),
  },
  { reason: 'request-timeout', name: 'no content', alpn, act: speaksH2(h2.post(1, '/post')) },
  { reason: 'idle-timeout', name: 'no further request', alpn, act: speaksH2(h2.get(1, '/ip')) },
  {
    reason: 'stalled',
    name: 'an answer that its window holds back',
    alpn,
    act: speaksH2(h2.get(1, '/bytes/10485760')),
  },
  {
    reason: 'answer-timeout',
    name: 'an answer that goes on',
    alpn,
    act: speaksH2(h2.get(1, '/drip?duration=60')),
  },
  {
    reason: 'target-too-long',
    name: 'a target',
    alpn,
    act: speaksH2(...inParts(h2.get(1, `/${LONG}`))),
  },
  {
    reason: 'fields-too-large',
    name: 'a field',
    alpn,
    act: speaksH2(...inParts(h2.get(1, '/ip', ['x', LONG], ['y', LONG]))),
  },
  {
    reason: 'fields-too-large',
    name: 'fields',
    alpn,
    act: speaksH2(
      h2.get(1, '/ip', ...Array.from({ length: 2200 }, (): [string, string] => ['a', 'b'])),
    ),
  },
  {
    reason: 'content-too-large',
    name: 'content',
    alpn,
    act: speaksH2(h2.post(1, '/post', ['content-length', '2097153'])),
  },
  {
    reason: 'overloaded',
    name: 'a request too many',
    alpn,
    settings: ['--max-open-requests=1'],
    act: speaksH2(h2.get(1, '/delay/1'), h2.get(3, '/ip')),
  },
];
