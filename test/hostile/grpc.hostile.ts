import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { beginCall, prefixed } from '../grpc/_call.ts';
import { bytes, message, number } from '../grpc/_protobuf.ts';
import { converse, openSocket } from '../_raw.ts';
import { besieged } from './_siege.ts';

const SESSIONS = 4;
const STREAMS = 25;
/** Streams of one session. */
const MANY = 1000;
/** Milliseconds that the event loop may be busy before an honest client has its response. */
const BUSY = 400;
/** Milliseconds that clients stay which do nothing. */
const STAY = 500;
const KiB = 1024;
const BATCH = 64 * KiB;
/** Maximum bytes of a message. */
const MAX_MESSAGE = 1024 * KiB;
/** Bytes of a flood of small messages on one stream. */
const FLOOD = 128 * KiB;

const siege = besieged(
  [
    `--max-streams=${MANY}`,
    `--max-body-size=${MAX_MESSAGE}`,
    '--max-content-memory=64',
    '--stall-timeout=2',
  ],
  { connects: true },
);

const DUPLEX = 'FullDuplexCall';
const INPUT = 'StreamingInputCall';
const OUTPUT = 'StreamingOutputCall';
const UNARY = 'UnaryCall';
const GZIP = { 'grpc-encoding': 'gzip', 'grpc-accept-encoding': 'gzip' };
const path = (method: string) => `/grpc.testing.TestService/${method}`;
const payload = (size: number) => bytes(1, bytes(2, Buffer.alloc(size)));
const responseOf = (size: number) => bytes(2, message(number(1, size)));
/** The field again and again, up to a size. */
const repeated = (field: Buffer, size = MAX_MESSAGE) =>
  Buffer.concat(Array.from({ length: Math.floor(size / field.length) }, () => field));

async function openSessions(count: number): Promise<ClientHttp2Session[]> {
  const sessions = Array.from({ length: count }, () =>
    // Node's limit of 10 MB would end streams here.
    connectHttp2(`http://127.0.0.1:${siege.port}`, { maxSessionMemory: 1000 }),
  );
  for (const session of sessions) session.on('error', () => undefined);
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
  return sessions;
}

async function leave(sessions: readonly ClientHttp2Session[]): Promise<void> {
  // Not in an nghttp2 callback, which aborts Node 20.
  await turn();
  for (const session of sessions) session.destroy();
}

/** Writes bytes again and again, as fast as they are read, until so many are written or the call has ended. */
async function flood(stream: ClientHttp2Stream, piece: Buffer, total: number): Promise<void> {
  for (let written = 0; written < total && stream.writable; written += piece.length) {
    if (!stream.write(piece))
      await Promise.race([once(stream, 'drain'), closed(stream), pause(STAY)]);
  }
}

const closed = (stream: ClientHttp2Stream): Promise<unknown> =>
  new Promise((resolve) => {
    stream.once('close', resolve);
  });

type Attack = readonly [
  method: string,
  attack: (stream: ClientHttp2Stream) => Promise<unknown>,
  headers?: Record<string, string>,
];

/** A call with one message, whose response is read. */
const asks =
  (content: Buffer, flags = 0) =>
  async (stream: ClientHttp2Stream): Promise<void> => {
    stream.resume().end(prefixed(content, flags));
    await closed(stream);
  };

const EMPTY = prefixed('');
const BATCH_OF_EMPTY = repeated(EMPTY, BATCH);
const ASKS_FOR_MOST = prefixed(responseOf(MAX_MESSAGE));

const attacks: Readonly<Record<string, Attack>> = {
  'send messages without content': [
    INPUT,
    (stream) => flood(stream.resume(), BATCH_OF_EMPTY, FLOOD),
  ],
  'send messages without content, each of which has a response': [
    DUPLEX,
    (stream) => flood(stream.resume(), repeated(prefixed(responseOf(0)), BATCH), FLOOD),
  ],
  'ask for much in each message, and read nothing': [
    DUPLEX,
    (stream) => flood(stream.pause(), repeated(ASKS_FOR_MOST, BATCH), MAX_MESSAGE),
  ],
  'ask for much in each message': [
    DUPLEX,
    (stream) => flood(stream.resume(), ASKS_FOR_MOST, 5 * ASKS_FOR_MOST.length),
  ],
  'ask for 60,000 responses in a message, and leave': [
    OUTPUT,
    async (stream) => {
      stream.resume().end(prefixed(repeated(bytes(2, ''), 120_000)));
      await pause(STAY);
    },
  ],
  'ask for 60,000 responses in a message, and read nothing': [
    OUTPUT,
    async (stream) => {
      stream.pause().end(prefixed(repeated(bytes(2, ''), 120_000)));
      await pause(STAY);
    },
  ],
  'send messages of the maximum': [
    INPUT,
    (stream) => flood(stream.resume(), prefixed(payload(MAX_MESSAGE - 100)), 2 * MAX_MESSAGE),
  ],
  'announce the maximum, send half, and wait': [
    INPUT,
    async (stream) => {
      stream.resume().write(prefixed(payload(MAX_MESSAGE - 100)).subarray(0, MAX_MESSAGE / 2));
      await pause(STAY);
    },
  ],
  'announce more than the maximum, and send on': [
    UNARY,
    (stream) => flood(stream.resume(), Buffer.alloc(BATCH, 0x00ff), 2 * MAX_MESSAGE),
  ],
  'send a large message byte by byte': [
    INPUT,
    async (stream) => {
      const whole = prefixed(payload(MAX_MESSAGE - 100));
      stream.resume();
      for (let at = 0; at < 200 && stream.writable; at++) {
        stream.write(whole.subarray(at, at + 1));
        await pause(STAY / 200);
      }
    },
  ],
  'send bombs within the maximum': [
    INPUT,
    (stream) => {
      const bomb = prefixed(gzipSync(payload(MAX_MESSAGE - 100)), 1);
      return flood(stream.resume(), bomb, 4 * bomb.length);
    },
    GZIP,
  ],
  'send bombs beyond the maximum': [
    UNARY,
    asks(gzipSync(Buffer.alloc(100 * MAX_MESSAGE)), 1),
    GZIP,
  ],
  'send fields that are all messages': [UNARY, asks(repeated(bytes(3, '')))],
  'send as many fields as there can be': [OUTPUT, asks(repeated(bytes(2, '')))],
  'send fields that are unknown': [UNARY, asks(repeated(number(15, 1)))],
  'ask for compressed responses of the maximum': [
    UNARY,
    asks(message(number(2, MAX_MESSAGE), bytes(6, number(1, 1)))),
    GZIP,
  ],
  'end within a message': [
    INPUT,
    async (stream) => {
      stream.resume().end(prefixed(payload(1000)).subarray(0, 500));
      await closed(stream);
    },
  ],
  'cancel within a message': [
    INPUT,
    async (stream) => {
      stream.write(prefixed(payload(1000)).subarray(0, 500));
      await pause(Math.random() * STAY);
      stream.destroy();
    },
  ],
  'have deadlines of a millisecond': [
    INPUT,
    async (stream) => {
      stream.resume().write(EMPTY);
      await closed(stream);
    },
    { 'grpc-timeout': '1m' },
  ],
};

describe('calls', () => {
  test.each(Object.entries(attacks))('of clients that %s', async (name, attack) => {
    const [method, run, headers] = attack;
    await siege.endure(
      name,
      async () => {
        const sessions = await openSessions(SESSIONS);
        const all = sessions.flatMap((session) =>
          Array.from({ length: STREAMS }, async () => {
            const stream = beginCall(session, path(method), headers);
            stream.on('error', () => undefined);
            await run(stream);
          }),
        );
        await Promise.all(all);
        expect(siege.usage().memory).toBeLessThan(400);
        await leave(sessions);
      },
      BUSY,
    );
  });

  test(`${MANY} streams at once, of which each says something at times`, async () => {
    await siege.endure(
      `${MANY} streams`,
      async () => {
        const sessions = await openSessions(1);
        const streams = sessions.flatMap((session) =>
          Array.from({ length: MANY }, () => beginCall(session, path(DUPLEX))),
        );
        const received = streams.map(async (stream) => {
          let length = 0;
          stream.on('error', () => undefined);
          for await (const piece of stream) length += Buffer.from(piece as Buffer).length;
          return length;
        });
        for (let round = 0; round < 5; round++) {
          for (const stream of streams) stream.write(prefixed(responseOf(100)));
          await pause(STAY / 5);
        }
        for (const stream of streams) stream.end();
        const expected = 5 * prefixed(bytes(1, bytes(2, Buffer.alloc(100)))).length;
        expect(new Set(await Promise.all(received))).toEqual(new Set([expected]));
        await leave(sessions);
      },
      BUSY,
    );
  });

  test('100,000 messages on one stream, in both directions', async () => {
    await siege.endure(
      '100,000 messages',
      async () => {
        const [session] = await openSessions(1);
        if (!session) throw new Error('there is no session');
        const stream = beginCall(session, path(DUPLEX));
        const piece = repeated(prefixed(responseOf(1)), 100 * prefixed(responseOf(1)).length);
        let received = 0;
        stream.on('data', ({ length }: Buffer) => {
          received += length;
        });
        await flood(stream, piece, 1000 * piece.length);
        stream.end();
        await closed(stream);
        expect(received).toBe(100_000 * prefixed(bytes(1, bytes(2, 'x'))).length);
        await leave([session]);
      },
      BUSY,
    );
  });

  test('gRPC-Web in base64 that never ends', async () => {
    await siege.endure(
      'gRPC-Web in base64',
      async () => {
        const sockets = await Promise.all(
          Array.from({ length: SESSIONS * STREAMS }, () => openSocket(siege.port)),
        );
        const head =
          `POST ${path(INPUT)} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n` +
          'Content-Type: application/grpc-web-text\r\n\r\n';
        await Promise.all(
          sockets.map(async (socket) => {
            socket.write(head);
            const text = BATCH_OF_EMPTY.subarray(0, 48 * KiB).toString('base64');
            const chunk = `${text.length.toString(16)}\r\n${text}\r\n`;
            for (let sent = 0; sent < 5; sent++) {
              if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), pause(STAY)]);
            }
            await converse(socket, '0\r\n\r\n', (got) => got.endsWith('0\r\n\r\n'));
            socket.destroy();
          }),
        );
      },
      BUSY,
    );
  });
});
