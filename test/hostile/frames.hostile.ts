import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  fieldBlock,
  frame,
  FrameClient,
  get,
  GOAWAY,
  HEADERS,
  openingWith,
  PING,
  post,
  PREFACE,
  PRIORITY,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { besieged } from './_siege.ts';

const siege = besieged();

const BATCH = 1000;

/** Its answer says that all before it has been read. */
const LAST = Buffer.from('the last');

interface Outcome {
  /** Frames written before the service hung up. */
  readonly written: number;
  readonly hungUp: boolean;
  /** The error code of GOAWAY, undefined without one. */
  readonly goaway: number | undefined;
  readonly answers: number;
}

/** Writes frames as fast as they are taken, until so many are written or the service hangs up. */
async function flood(
  count: number,
  make: (at: number) => Buffer,
  ...opening: Buffer[]
): Promise<Outcome> {
  const client = new FrameClient(
    await openSocket(siege.port),
    Buffer.concat([PREFACE, frame(SETTINGS, 0, 0), ...opening]),
  );
  const { socket } = client;
  let written = 0;
  while (written < count && !client.ended) {
    const batch = Array.from({ length: BATCH }, (_, at) => make(written + at));
    written += BATCH;
    const taken = socket.write(Buffer.concat(batch));
    if (!taken) await Promise.race([drained(socket), pause(2000)]);
    else await pause(0);
  }
  const timeUp = performance.now() + 2000;
  const isRead = (): boolean => client.got(PING).some(({ payload }) => payload.equals(LAST));
  while (!client.ended && !isRead() && performance.now() < timeUp) await pause(20);
  const outcome = {
    written,
    hungUp: client.ended,
    goaway: client.goaway(),
    answers: client.got(HEADERS).length,
  };
  socket.destroy();
  return outcome;
}

function drained(socket: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve).once('close', resolve);
  });
}

const odd = (at: number): number => 2 * at + 1;
const started = get(1, '/delay/5');
const unfinished = frame(HEADERS, 0, 1, fieldBlock([[':method', 'GET']]));

interface Flood {
  readonly name: string;
  readonly make: (at: number) => Buffer;
  readonly opening?: Buffer;
}

const ended: readonly Flood[] = [
  {
    name: 'CONTINUATION',
    make: () => frame(CONTINUATION, 0, 1, fieldBlock([['a', 'b']])),
    opening: unfinished,
  },
  { name: 'SETTINGS', make: () => frame(SETTINGS, 0, 0) },
  { name: 'PING', make: () => frame(PING, 0, 0, Buffer.alloc(8)) },
];

test.each(ended)(
  '$name: the session is ended',
  async ({ name, make, opening = Buffer.alloc(0) }) => {
    const outcome = await siege.withstand(name, () => flood(100_000, make, opening));
    expect(outcome.hungUp).toBe(true);
    expect(outcome.answers).toBeLessThan(5000);
  },
);

test.each([
  ['PRIORITY', (at: number) => frame(PRIORITY, 0, odd(at), Buffer.from([0, 0, 0, 0, 15]))],
  ['WINDOW_UPDATE', () => frame(WINDOW_UPDATE, 0, 0, uint32(1))],
  ['DATA without bytes', () => frame(DATA, 0, 1)],
  ['unknown frames', () => frame(0xbb, 0, 0, Buffer.alloc(16))],
] as const)('%s: absorbed or ended', async (name, make) => {
  const opening = name === 'DATA without bytes' ? post(1, '/post') : started;
  const { written, hungUp } = await siege.withstand(name, () =>
    flood(100_000, (at) => (at === 99_999 ? frame(PING, 0, 0, LAST) : make(at)), opening),
  );
  expect(hungUp || written >= 100_000).toBe(true);
});

test('fields that unfold to megabytes (HPACK bomb) reach no handler', async () => {
  // One literal of 4,000 bytes enters the dynamic table, and each byte 0xbe is that field again.
  const large = Buffer.concat([
    Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
    Buffer.alloc(4000, 'b'),
  ]);
  const repeated = Buffer.alloc(4000, 0xbe);
  const bomb = (): Promise<Outcome> =>
    flood(20_000, (at) => {
      const fields = fieldBlock([
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/anything'],
        [':authority', 'x'],
      ]);
      const block =
        at === 0 ? Buffer.concat([fields, large, repeated]) : Buffer.concat([fields, repeated]);
      return frame(HEADERS, END_HEADERS | END_STREAM, odd(at), block);
    });
  let outcome: Outcome | undefined;
  const growth = await siege.withstand('HPACK bomb', () =>
    siege.growth(async () => {
      outcome = await bomb();
    }),
  );
  process.stdout.write(`  resident + ${growth.toFixed(0)} MiB at most\n`);
  expect(growth).toBeLessThan(40);
  expect(outcome?.answers).toBe(0);
});

test.each([0, 1])('answers of 10 MiB into windows of %d: memory stays', async (window) => {
  await siege.withstand(`window ${window}`, async () => {
    const initialWindow = Buffer.concat([Buffer.from([0, 4]), uint32(window)]);
    const opening = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, initialWindow)]);
    const clients: FrameClient[] = [];
    for (let session = 0; session < 5; session++) {
      const client = new FrameClient(await openSocket(siege.port), opening);
      client.send(...Array.from({ length: 200 }, (_, at) => get(odd(at), '/bytes/10485760')));
      clients.push(client);
    }
    await pause(2000);
    expect(siege.usage().memory).toBeLessThan(300);
    for (const { socket } of clients) socket.destroy();
  });
});

test('streams that are opened and never read: memory stays', async () => {
  await siege.withstand('never read', async () => {
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => new FrameClient(await openSocket(siege.port))),
    );
    for (const client of clients) {
      client.socket.pause();
      client.send(...Array.from({ length: 250 }, (_, at) => get(odd(at), '/range/10485760')));
    }
    await pause(3000);
    expect(siege.usage().memory).toBeLessThan(400);
    for (const { socket } of clients) socket.destroy();
  });
});

test('answers without content that are never read: others are served', async () => {
  await siege.withstand('unread', async () => {
    const window = uint32(2 ** 30);
    const opening = [openingWith(2 ** 30), frame(WINDOW_UPDATE, 0, 0, window)];
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(siege.port)));
    for (const socket of sockets) {
      // Fills what the system keeps for the client.
      socket.pause().write(Buffer.concat([...opening, get(1, '/bytes/10485760')]));
    }
    for (let sent = 1; sent < 10_000; sent += 200) {
      const next = Array.from({ length: 200 }, (_, at) => get(odd(sent + at), '/status/204'));
      for (const socket of sockets) if (socket.writable) socket.write(Buffer.concat(next));
      await pause(20);
    }
    expect(siege.usage().memory).toBeLessThan(300);
    for (const socket of sockets) socket.destroy();
  });
});

test('answers of 10 MiB, abandoned at random points', async () => {
  const count = Number(process.env['HOSTILE_ABANDONED'] ?? 2000);
  await siege.withstand(`${count} abandoned`, async () => {
    for (let left = count; left > 0; left -= 20) {
      await Promise.all(Array.from({ length: 20 }, () => abandon(siege.port)));
    }
  });
});

function abandon(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const most = Math.random() * 4_000_000;
    socket.on('error', () => undefined).once('close', () => resolve());
    socket.on('data', () => {
      if (socket.bytesRead >= most) socket.resetAndDestroy();
    });
    socket.write('GET /bytes/10485760 HTTP/1.1\r\nHost: x\r\n\r\n');
  });
}

test('every error that is fatal to a session, many times, leaves no socket', async () => {
  const fatal = [
    frame(HEADERS, END_HEADERS, 1, Buffer.from([0xff, 0xff, 0xff, 0xff])),
    frame(CONTINUATION, END_HEADERS, 1, Buffer.from([0])),
    frame(DATA, 0, 99, Buffer.from('x')),
    frame(SETTINGS, 0, 0, Buffer.alloc(5)),
    frame(PING, 0, 0, Buffer.alloc(7)),
    frame(GOAWAY, 0, 0, Buffer.alloc(3)),
    frame(WINDOW_UPDATE, 0, 0, uint32(0)),
    Buffer.concat([Buffer.from([0x7f, 0xff, 0xff, 0, 0, 0, 0, 0, 1]), Buffer.alloc(1000)]),
  ];
  await siege.withstand('fatal errors', async () => {
    for (let round = 0; round < 10; round++) {
      const clients = await Promise.all(
        fatal.map(async (bytes) => {
          const client = new FrameClient(await openSocket(siege.port));
          client.send(bytes);
          return client;
        }),
      );
      await pause(100);
      // Half close: what the service has not closed stays in CLOSE_WAIT.
      for (const { socket } of clients) socket.end();
    }
  });
});
