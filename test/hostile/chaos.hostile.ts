import { expect, test } from 'vitest';
import { DATA, END_STREAM, frame, get, post, PREFACE, SETTINGS } from '../_frames.ts';
import { exchange, GET, LAST, openPair, POST } from '../_raw.ts';
import { besieged } from './_siege.ts';

/** Connections at once, of which half use TLS, and the streams of each. */
const CONNECTIONS = 8;
const STREAMS = 220;
const ROUNDS = 3;

// Those of the connection are rare, so that many of the others meet on it.
const SHARES = [
  ...['close', 'reset', 'garbage', 'truncate-tls'].map((name) => `${name}:0.2%`),
  'goaway:0.5%',
  ...['stall', 'rst-stream', 'no-read', 'head', 'content-length'].map((name) => `${name}:15%`),
  'status=503:10%',
  'delay=20ms:10%',
];

const siege = besieged(
  [
    `--chaos=${SHARES.join(',')}`,
    '--chaos-seed=14',
    '--control=secret',
    '--max-duration=1',
    '--tap',
  ],
  { inspectMemory: 8, connects: true },
);

const TARGETS = ['/anything', '/bytes/50000', '/stream/20', '/upload', '/delay/0.05', '/trailers'];

const target = (at: number): string => TARGETS[at % TARGETS.length] ?? '/';

/** Requests with and without content, all at once. */
function streams(nth: number): Buffer {
  const frames = Array.from({ length: STREAMS }, (_, at) => {
    const stream = 2 * at + 1;
    if (at % 2 === 0) return [get(stream, target(nth + at))];
    const content = frame(DATA, at % 3 === 0 ? 0 : END_STREAM, stream, Buffer.alloc(100));
    return [post(stream, target(nth + at)), content];
  });
  return Buffer.concat([PREFACE, frame(SETTINGS, 0, 0), ...frames.flat()]);
}

/** Sends bytes on connections of their own, and leaves them after a while. */
async function repeat(alpn: string, bytesOf: (nth: number) => Buffer | string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, nth) => {
        const { clear, socket } = await openPair(siege.port, nth % 2 === 0 ? [alpn] : undefined);
        if (nth % 4 !== 3) socket.resume();
        const closed = new Promise((resolve) => {
          clear.once('close', resolve);
          setTimeout(resolve, 400);
        });
        socket.write(bytesOf(nth));
        await closed;
        if (nth % 3 === 0) clear.resetAndDestroy();
        else clear.destroy();
      }),
    );
    await exchange(siege.port, GET('/healthz', LAST));
  }
}

test('faults on hundreds of streams of a connection at once', async () => {
  await siege.endure('multiplexed', () => repeat('h2', streams));
});

function pipelined(nth: number): string {
  const requests = Array.from({ length: 50 }, (_, at) => GET(target(nth + at)));
  return requests.join('');
}

test('faults in pipelines', async () => {
  await siege.endure('pipelined', () => repeat('http/1.1', pipelined));
});

const TOKENS = ['', 'Authorization: Bearer wrong\r\n', `Authorization: ${'a'.repeat(4000)}\r\n`];
const STEERING = ['ready?ready=false', 'drain', 'exit?code=1'];

function steering(nth: number): string {
  const requests = Array.from({ length: 51 }, (_, at) =>
    POST(`/control/${STEERING[(nth + at) % 3]}`, `${TOKENS[at % 3]}Content-Length: 0\r\n`),
  );
  return requests.join('');
}

test('those who have no token, or a wrong one, steer nothing', async () => {
  await siege.endure('control', () => repeat('http/1.1', steering));
  expect(await exchange(siege.port, GET('/readyz', LAST))).toMatch(/^HTTP\/1\.1 200 /);
});
