import { once } from 'node:events';
import type { ClientHttp2Stream } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { beginCall, prefixed } from '../grpc/_call.ts';
import { bytes, message, number } from '../grpc/_protobuf.ts';
import { converse, openSocket } from '../_raw.ts';
import {
  BATCH,
  breakOff,
  CONNECTIONS,
  destroyAll,
  flood,
  FLOOD,
  KiB,
  LIMITS,
  MAX_MESSAGE,
  openSessions,
  repeated,
  STAY,
  STREAMS,
  trickle,
} from './_flood.ts';
import { besieged } from './_siege.ts';

/** Streams of one session. */
const MANY = 1000;
/** Milliseconds that the event loop may be busy before an honest response, while thousands of calls begin. */
const BUSY = 1500;
/** Calls that wait, 240 on each of 32 connections. */
const WATCHES = 7680;

const siege = besieged([`--max-streams=${MANY}`, ...LIMITS], { connects: true });

const DUPLEX = 'FullDuplexCall';
const INPUT = 'StreamingInputCall';
const OUTPUT = 'StreamingOutputCall';
const UNARY = 'UnaryCall';
const GZIP = { 'grpc-encoding': 'gzip', 'grpc-accept-encoding': 'gzip' };
const path = (method: string) =>
  method.includes('/') ? `/${method}` : `/grpc.testing.TestService/${method}`;
const payload = (size: number) => bytes(1, bytes(2, Buffer.alloc(size)));
const responseOf = (size: number) => bytes(2, message(number(1, size)));

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

/** Asks, and leaves after a time. */
async function stays(stream: ClientHttp2Stream, content: Buffer): Promise<void> {
  stream.resume().end(content);
  await pause(STAY);
}

const EMPTY = prefixed('');
/** A delay of 60,000 ms. */
const MINUTE = Buffer.from('3100000000004ced40', 'hex');
const BATCH_OF_EMPTY = repeated(EMPTY);
const ASKS_FOR_MOST = prefixed(responseOf(MAX_MESSAGE));

const attacks: Readonly<Record<string, Attack>> = {
  'send messages without content': [
    INPUT,
    (stream) => flood(stream.resume(), BATCH_OF_EMPTY, FLOOD),
  ],
  'send messages without content, each of which has a response': [
    DUPLEX,
    (stream) => flood(stream.resume(), repeated(prefixed(responseOf(0))), FLOOD),
  ],
  'ask for much in each message, and read nothing': [
    DUPLEX,
    (stream) => flood(stream.pause(), repeated(ASKS_FOR_MOST), MAX_MESSAGE),
  ],
  'ask for much in each message': [
    DUPLEX,
    (stream) => flood(stream.resume(), ASKS_FOR_MOST, 5 * ASKS_FOR_MOST.length),
  ],
  'ask for 10,000 responses in a message, and leave': [
    OUTPUT,
    async (stream) => {
      stream.resume().end(prefixed(repeated(bytes(2, ''), 120_000)));
      await pause(STAY);
    },
  ],
  'ask for 10,000 responses in a message, and read nothing': [
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
    (stream) => trickle(stream, prefixed(payload(MAX_MESSAGE - 100))),
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
  'send fields that are all messages': [UNARY, asks(repeated(bytes(3, ''), MAX_MESSAGE))],
  'send as many fields as there can be': [OUTPUT, asks(repeated(bytes(2, ''), MAX_MESSAGE))],
  'keep as many details as there can be': [
    'wirebin.v1.Wirebin/Respond',
    async (stream) => {
      const details = repeated(bytes(3, bytes(2, '')), 4 * 4900);
      stream.resume().end(prefixed(message(details, MINUTE)));
      await pause(STAY);
    },
  ],
  'have thousands of binary values in their metadata, and wait': [
    DUPLEX,
    (stream) => stays(stream, EMPTY),
    { 'a-bin': 'A,'.repeat(7600) },
  ],
  'ask for the echo of thousands of binary values': [
    'wirebin.v1.Wirebin/Echo',
    asks(Buffer.alloc(0)),
    { 'a-bin': ','.repeat(15_600) },
  ],
  'ask for the echo of as many binary values as there can be': [
    'wirebin.v1.Wirebin/Echo',
    asks(Buffer.alloc(0)),
    { 'a-bin': ','.repeat(999) },
  ],
  'ask for thousands of messages in padded frames': [
    'wirebin.v1.Wirebin/Respond',
    (stream) => stays(stream, prefixed(number(7, 100_000))),
    { 'wirebin-fault': 'data_frame_padding' },
  ],
  'send more details than there can be': [
    'wirebin.v1.Wirebin/Respond',
    asks(repeated(bytes(3, bytes(2, '')), 4 * 30_000)),
  ],
  'send fields that are unknown': [UNARY, asks(repeated(number(15, 1), MAX_MESSAGE))],
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
    (stream) => breakOff(stream, prefixed(payload(1000)).subarray(0, 500)),
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
  // The first one, because that loads gRPC while all others wait.
  test(`${WATCHES} that watch, and end together`, async () => {
    const watch = 'grpc.health.v1.Health/Watch';
    await siege.endure(
      'watches',
      async () => {
        const sessions = await openSessions(siege.port, 32);
        const streams = sessions.flatMap((session) =>
          Array.from({ length: WATCHES / 32 }, () => beginCall(session, path(watch))),
        );
        const responses = streams.map(async (stream) => {
          stream.on('error', () => undefined).end(EMPTY);
          await once(stream, 'data');
        });
        await Promise.all(responses);
        expect(siege.usage().memory).toBeLessThan(300);
        await destroyAll(sessions);
      },
      BUSY,
    );
  });

  test.each(Object.entries(attacks))('of clients that %s', async (name, attack) => {
    const [method, run, headers] = attack;
    await siege.endure(name, async () => {
      const sessions = await openSessions(siege.port);
      const all = sessions.flatMap((session) =>
        Array.from({ length: STREAMS }, async () => {
          const stream = beginCall(session, path(method), headers);
          stream.on('error', () => undefined);
          await run(stream);
        }),
      );
      await Promise.all(all);
      expect(siege.usage().memory).toBeLessThan(400);
      await destroyAll(sessions);
    });
  });

  test(`${MANY} streams at once, of which each says something at times`, async () => {
    await siege.endure(`${MANY} streams`, async () => {
      const sessions = await openSessions(siege.port, 1);
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
      await destroyAll(sessions);
    });
  });

  test('100,000 messages on one stream, in both directions', async () => {
    await siege.endure('100,000 messages', async () => {
      const [session] = await openSessions(siege.port, 1);
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
      await destroyAll([session]);
    });
  });

  test('gRPC-Web in base64 that never ends', async () => {
    await siege.endure('gRPC-Web in base64', async () => {
      const sockets = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => openSocket(siege.port)),
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
    });
  });
});
