import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { frame } from '../../../src/wire/http2/frame.ts';
import { resetOrClose } from '../../_raw.ts';
import { listening, type Proxy } from '../_gateway-server.ts';
import { bench, those } from '../_run.ts';

/** Milliseconds for each transfer: most are never answered. */
const TIME = 100;

/** Numbers from 0 to 1, the same for each seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What becomes of a piece of bytes; undefined ends the connection. */
type Damage = (piece: Buffer, next: () => number) => Buffer | undefined;

const flip: Damage = (piece, next) => {
  const copy = Buffer.from(piece);
  copy[Math.floor(next() * copy.length)] = Math.floor(256 * next());
  return copy;
};
const cut: Damage = (piece, next) => piece.subarray(0, Math.floor(next() * piece.length));
const repeat: Damage = (piece) => Buffer.concat([piece, piece]);
const junk: Damage = (_piece, next) => Buffer.from(Array.from({ length: 64 }, () => 256 * next()));
const frames: Damage = (piece, next) => {
  const [type, flags, stream] = [0, 0, 0].map(() => Math.floor(12 * next()));
  const payload = piece.subarray(0, Math.floor(64 * next()));
  return Buffer.concat([piece, frame(type ?? 0, flags ?? 0, stream ?? 0, payload)]);
};
const close: Damage = () => undefined;
const DAMAGES = [flip, cut, repeat, junk, frames, close];

/** Forwards to a gateway, and damages some of the pieces that it sends. */
function damaging(gateway: Proxy, seed: number): Promise<Proxy> {
  const next = numbers(seed);
  const server = createServer((client) => {
    const onward = connect(Number(gateway.url.port), '127.0.0.1');
    onward.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    if (next() < 0.1) resetOrClose(client);
    client.pipe(onward);
    onward.on('data', (piece: Buffer) => {
      const damage = next() < 0.3 ? DAMAGES[Math.floor(DAMAGES.length * next())] : undefined;
      const bytes = damage ? damage(piece, next) : piece;
      if (bytes) client.write(bytes);
      else if (next() < 0.5) client.end();
      else resetOrClose(client);
    });
  });
  return listening(server, 'http').then((proxy) => ({
    url: proxy.url,
    close: async () => void (await Promise.all([proxy.close(), gateway.close()])),
  }));
}

const saying = (answer: (socket: Socket) => void) => (): Promise<Proxy> =>
  listening(
    createServer((socket) => {
      socket.on('error', () => undefined).resume();
      answer(socket);
    }),
    'http',
  );

const repeating = (text: string) =>
  saying((socket) => {
    socket.on('data', () => socket.write(text, 'latin1'));
  });

const started = bench();
const chosen = checks.filter(({ isSlow }) => isSlow !== true);
let targets = 0;
/** Another quarter of the checks for each target: all of them meet three. */
const sample = () => {
  const first = targets++ % 4;
  return chosen.filter((_, at) => at % 4 === first);
};

test.each<[name: string, start: () => Promise<Proxy>]>([
  ['resets each connection', saying((socket) => socket.resetAndDestroy())],
  ['ends each connection', saying((socket) => socket.end())],
  ['says nothing', saying(() => undefined)],
  ['sends 200 for anything', repeating('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')],
  ['sends 100 for anything', repeating('HTTP/1.1 100 Continue\r\n\r\n')],
  ['sends 101 for anything', repeating('HTTP/1.1 101 -\r\nUpgrade: websocket\r\n\r\n\x81\x7f')],
  ['sends an alert of TLS', repeating('\x15\x03\x03\x00\x02\x02\x28')],
  [
    'sends SETTINGS and GOAWAY',
    repeating('\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\x0b'),
  ],
  ...[1, 2, 3, 4].map(
    (seed) =>
      [
        `damages responses, seed ${seed}`,
        async () => damaging(await started().gateway({ scheme: 'http', hasUpgrade: true }), seed),
      ] as const satisfies [string, () => Promise<Proxy>],
  ),
])(
  'no check is at fault for a target that %s',
  { concurrent: true, timeout: 120_000 },
  async (_name, start) => {
    const { facts } = await started().reference({ scheme: 'http' }, []);
    const results = (await started().run(await start(), sample(), facts, TIME)).results;
    expect(results.length).toBeGreaterThan(20);
    expect(those(results, 'error')).toEqual([]);
  },
);
