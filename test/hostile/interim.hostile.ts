import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { DATA, frame, get, post, PREFACE, RST_STREAM, SETTINGS, uint32 } from '../_frames.ts';
import { exchange, GET, LAST, openPair, POST } from '../_raw.ts';
import { besieged } from './_siege.ts';

/** Requests that are open at once: connections with as many pipelined requests or streams each. */
const CONNECTIONS = 20;
const REQUESTS = 50;
const ROUNDS = 2;
/** Milliseconds that clients stay. */
const STAY = 200;

const siege = besieged(['--max-duration=2', '--stall-timeout=2', '--request-timeout=2'], {
  connects: true,
});

const INTERIM = [
  '/informational/103,102?count=50&link=%3C/a%3E',
  `/informational/199?x=${'a'.repeat(1000)}&count=50`,
  '/informational/103?count=2&interval=1',
];
const EXPECTING = [
  '/expect',
  '/expect?then=continue&delay=1',
  '/expect?then=ignore',
  '/expect?then=refuse&delay=1',
  '/expect?then=final&status=200',
];
const EARLY = ['/early', '/early?after=5', '/early?then=close', '/early?after=5&then=close'];
const EXPECT: [string, string] = ['expect', '100-continue'];

const pick = <T>(list: readonly T[], at: number): T => {
  const item = list[at % list.length];
  if (item === undefined) throw new Error('the list is empty');
  return item;
};

type Way = (pair: { readonly clear: Socket; readonly socket: Socket }) => Promise<unknown>;

/** What clients do once their requests are sent. */
const ways: Readonly<Record<string, Way>> = {
  'read nothing': async ({ socket }) => {
    socket.pause();
    await pause(STAY);
  },
  'read, and send no content': async ({ socket }) => {
    socket.resume();
    await pause(STAY);
  },
  'end their side': async ({ socket }) => {
    socket.resume().end();
    await pause(STAY);
  },
  'reset at once': async ({ clear }) => {
    clear.resetAndDestroy();
  },
};

/** Attacks on connections of their own, all at once and again and again, of which some use TLS. */
async function besiege(alpn: string, bytesOf: (nth: number) => Buffer, way: Way): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, nth) => {
        const pair = await openPair(siege.port, nth % 4 === 0 ? [alpn] : undefined);
        await new Promise((resolve) => {
          pair.socket.write(bytesOf(nth), resolve);
        });
        await way(pair);
        pair.clear.destroy();
      }),
    );
    // A connection that its client has left waits to be accepted before an honest one.
    await exchange(siege.port, GET('/healthz', LAST));
  }
}

/** The last request lacks its content. */
function pipelined(nth: number): Buffer {
  const requests = Array.from({ length: REQUESTS }, (_, at) => GET(pick(INTERIM, nth + at)));
  const target = pick([...EXPECTING, ...EARLY], nth);
  const last = POST(target, 'Expect: 100-continue\r\nContent-Length: 10\r\n', 'abc');
  // Those that follow one with a second between its responses wait for it.
  return Buffer.from((nth % 2 === 0 ? requests.join('') : '') + last);
}

/** All requests but those for interim responses lack their content, or have some of it. */
function multiplexed(nth: number): Buffer {
  const targets = [
    ...INTERIM,
    ...EXPECTING,
    ...EARLY,
    '/early?then=stop',
    '/early?after=5&then=stop',
  ];
  const frames = Array.from({ length: REQUESTS }, (_, at) => {
    const stream = 2 * at + 1;
    const target = pick(targets, nth + at);
    if (INTERIM.includes(target)) return [get(stream, target)];
    return [
      post(stream, target, ...(at % 2 === 0 ? [EXPECT] : [])),
      ...(at % 3 === 0 ? [frame(DATA, 0, stream, Buffer.alloc(3))] : []),
      ...(at % 7 === 0 ? [frame(RST_STREAM, 0, stream, uint32(8))] : []),
    ];
  });
  return Buffer.concat([PREFACE, frame(SETTINGS, 0, 0), ...frames.flat()]);
}

test.each(Object.entries(ways))('clients that %s', async (name, way) => {
  await siege.endure(`pipelined, ${name}`, () => besiege('http/1.1', pipelined, way));
  await siege.endure(`multiplexed, ${name}`, () => besiege('h2', multiplexed, way));
});

/** A request with some of its content. */
function begun(nth: number): Buffer {
  const target = pick([...EXPECTING, ...EARLY], nth);
  return Buffer.from(POST(target, 'Content-Length: 10\r\n', 'abc'));
}

const sendSlowly: Way = async ({ socket }) => {
  socket.resume();
  for (let sent = 3; sent < 10 && socket.writable; sent++) {
    socket.write('x');
    await pause(STAY / 7);
  }
};

test('clients that send their content byte by byte', async () => {
  await siege.endure('slowly', () => besiege('http/1.1', begun, sendSlowly));
});
