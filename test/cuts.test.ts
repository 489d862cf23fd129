import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { until } from './_adapters.ts';
import { openClient } from './_client.ts';
import * as h2 from './_frames.ts';
import { converse, exchange, GET, LAST, openSocket, POST } from './_raw.ts';
import { startService, type Running } from './_service.ts';

/** What a client does to be cut; `undefined` as ALPN is in clear. */
interface Case {
  readonly reason: string;
  readonly name: string;
  readonly alpn?: string[] | undefined;
  /** Settings other than the short time limits. */
  readonly settings?: readonly string[];
  readonly act: (socket: Socket) => void;
}

const COUNTED = ['--metrics-enabled', '--log-level=debug'];
const SHORT = ['header', 'request', 'idle', 'stall'].map((name) => `--${name}-timeout=1`);
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const TLS_HELLO = Buffer.from('16030100050100000100', 'hex');
const NODE_HELLO = readFileSync(new URL('wire/hellos/node.bin', import.meta.url));
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
const odd = (at: number): number => 2 * at + 1;
/** A stream that the client takes back at once (CVE-2023-44487). */
const reset = (stream: number): Buffer =>
  Buffer.concat([h2.get(stream, '/ip'), h2.frame(h2.RST_STREAM, 0, stream, h2.uint32(8))]);

const first: readonly Case[] = [
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

const http1 = (alpn: string[] | undefined): Case[] => [
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
    settings: ['--answer-timeout=1'],
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
  { reason: 'refused', name: 'no message', alpn, act: sends('no message\r\n\r\n') },
];

const http2 = (alpn: string[] | undefined): Case[] => [
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
    settings: ['--answer-timeout=1'],
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
];

vi.setConfig({ maxConcurrency: 50 });

const reasonsOf = ({ logged }: Running): unknown[] =>
  logged.filter(({ msg }) => msg === 'cut').map(({ reason }) => reason);

async function expectCut(
  reason: string,
  running: Running,
  act: () => Promise<void>,
): Promise<void> {
  const { service } = running;
  const cuts = (): unknown => service.counts()?.cuts;
  await act();
  await until(() => reasonsOf(running).length > 0, reason);
  expect(reasonsOf(running)).toEqual([reason]);
  expect(cuts()).toEqual({ [reason]: 1 });
  service.close();
  expect(cuts()).toEqual({ [reason]: 1 });
}

describe.concurrent.each([
  ['before it is clear what it speaks', first],
  ['HTTP/1.1 in clear', http1(undefined)],
  ['HTTP/1.1 over TLS', http1(['http/1.1'])],
  ['HTTP/2 in clear', http2(undefined)],
  ['HTTP/2 over TLS', http2(['h2'])],
])('%s: counted once, and logged', (_, cases) => {
  test.each(cases.map((each) => ({ ...each })))(
    '$reason: $name',
    async ({ reason, alpn, settings = SHORT, act }) => {
      const running = await startService(...COUNTED, ...settings);
      let socket: Socket | undefined;
      await expectCut(reason, running, async () => {
        socket = await openSocket(running.port, alpn);
        socket.on('end', () => socket?.end());
        act(socket);
      });
      socket?.destroy();
    },
  );
});

describe.concurrent('counted once, and logged', () => {
  test('connection-limit', async () => {
    const running = await startService(...COUNTED, '--max-connections=1');
    await expectCut('connection-limit', running, async () => {
      const socket = await openSocket(running.port);
      await converse(socket, GET('/ip'), (text) => text.endsWith('}\n'));
      expect(await exchange(running.port, '')).toBe('');
      socket.destroy();
    });
  });

  test.each(['http/1.1', 'h2'])('request-limit: %s', async (alpn) => {
    const running = await startService(...COUNTED, '--max-requests-per-connection=1');
    await expectCut('request-limit', running, async () => {
      const client = openClient(alpn === 'h2' ? 'h2' : 'https/1.1', running.port);
      expect((await client.request('/ip')).status).toBe(200);
      client.close();
    });
  });

  test.each([
    ['resets', undefined, (at: number) => reset(odd(at))],
    ['resets', ['h2'], (at: number) => reset(odd(at))],
    ['flood', undefined, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8))],
    ['flood', ['h2'], () => h2.frame(h2.SETTINGS, 0, 0)],
  ] as const)('%s', async (reason, alpn, make) => {
    const running = await startService(...COUNTED);
    await expectCut(reason, running, async () => {
      const client = new h2.FrameClient(await openSocket(running.port, alpn && [...alpn]));
      for (let at = 0; at < 100_000 && !client.ended; at += 100) {
        client.send(...Array.from({ length: 100 }, (__, index) => make(at + index)));
        if (at % 1000 === 0) await pause(0);
      }
      client.socket.destroy();
    });
  });

  test('proxy-protocol', async () => {
    const running = await startService(...COUNTED, '--proxy-protocol=require');
    await expectCut('proxy-protocol', running, async () => {
      expect(await exchange(running.port, GET('/ip'))).toBe('');
    });
  });
});

test('what ends in order is no cut', async () => {
  const running = await startService(...COUNTED);
  const { port, service } = running;
  await exchange(port, GET('/ip', LAST));
  await exchange(port, GET('/status/413', LAST));
  (await openSocket(port)).end();
  const idle = await openSocket(port, ['http/1.1']);
  await converse(idle, GET('/ip'), (text) => text.endsWith('}\n'));
  expect(await service.drain()).toBe(0);
  expect(service.counts()?.cuts).toEqual({});
  expect(reasonsOf(running)).toEqual([]);
});
