import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { Opcode } from '../../src/wire/websocket/frame.ts';
import { converse, openSocket } from '../_raw.ts';
import { frame, HANDSHAKE } from '../_websocket.ts';
import { besieged } from './_siege.ts';

/** Sessions of HTTP/2, streams of each, and connections of HTTP/1.1, which are as many in all. */
const SESSIONS = 4;
const STREAMS = 25;
const CONNECTIONS = SESSIONS * STREAMS;
/** Milliseconds that the event loop may be busy before an honest client has its response. */
const BUSY = 400;
/** Milliseconds that clients stay which do nothing. */
const STAY = 500;
const KiB = 1024;
const BATCH = 64 * KiB;
/** Maximum content of a message. */
const MAX_MESSAGE = 1024 * KiB;
/** Bytes of a flood of frames with 6 bytes each, on one connection. */
const FLOOD = 128 * KiB;

const siege = besieged(
  [
    '--h2-enable-connect-protocol',
    `--max-body-size=${MAX_MESSAGE}`,
    '--max-content-memory=64',
    '--stall-timeout=2',
  ],
  { connects: true },
);

interface Attackers {
  readonly streams: readonly Duplex[];
  readonly leave: () => Promise<void>;
}

async function openHttp1(): Promise<Attackers> {
  const request = `GET /websocket/echo HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}\r\n`;
  const streams = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = await openSocket(siege.port);
      const response = await converse(socket, request, (text) => text.endsWith('\r\n\r\n'));
      expect(response).toMatch(/^HTTP\/1\.1 101 /);
      return socket.removeAllListeners('data');
    }),
  );
  return {
    streams,
    leave: async () => {
      for (const socket of streams) socket.destroy();
    },
  };
}

async function openHttp2(): Promise<Attackers> {
  const sessions = Array.from({ length: SESSIONS }, () =>
    connectHttp2(`http://127.0.0.1:${siege.port}`),
  );
  const opened = await Promise.all(
    sessions.map(async (session) => {
      session.on('error', () => undefined);
      await once(session, 'remoteSettings');
      return Promise.all(
        Array.from({ length: STREAMS }, async () => {
          const stream = session.request({
            ':method': 'CONNECT',
            ':protocol': 'websocket',
            ':path': '/websocket/echo',
            'sec-websocket-version': '13',
          });
          stream.on('error', () => undefined);
          const [fields] = await once(stream, 'response');
          expect(fields).toMatchObject({ ':status': 200 });
          return stream;
        }),
      );
    }),
  );
  return {
    streams: opened.flat(),
    leave: async () => {
      // Not in an nghttp2 callback, which aborts Node 20.
      await turn();
      for (const session of sessions) session.destroy();
    },
  };
}

/** Writes bytes again and again, as fast as they are read, until so many are written or the service ends. */
async function flood(stream: Duplex, bytes: Buffer, total: number): Promise<void> {
  for (let written = 0; written < total && stream.writable; written += bytes.length) {
    if (!stream.write(bytes)) await drained(stream);
  }
}

/** Waits until more can be written, for a while. */
function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stream.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, STAY);
    stream.on('drain', done).on('close', done);
  });
}

/** As many of the frame as are in a batch. */
function batchOf(bytes: Buffer): Buffer {
  const count = Math.floor(BATCH / bytes.length);
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

const ended = (stream: Duplex): Promise<unknown> =>
  new Promise((resolve) => {
    stream.once('end', resolve).once('close', resolve).resume();
  });

type Attack = (stream: Duplex) => Promise<unknown>;

/** Fragments of a message that never ends. */
const endless =
  (fragment: Buffer, total = FLOOD): Attack =>
  async (stream) => {
    stream.resume().write(frame(Opcode.binary, '', false));
    await flood(stream, batchOf(fragment), total);
  };

const attacks: Readonly<Record<string, Attack>> = {
  'send Pings': (stream) => flood(stream.resume(), batchOf(frame(Opcode.ping)), FLOOD),
  'send Pings, and read nothing': async (stream) => {
    stream.pause();
    await flood(stream, batchOf(frame(Opcode.ping, 'x'.repeat(125))), MAX_MESSAGE);
  },
  'send Pongs, which have no reply': (stream) =>
    flood(stream.resume(), batchOf(frame(Opcode.pong)), FLOOD),
  'send messages without content': (stream) =>
    flood(stream.resume(), batchOf(frame(Opcode.text)), FLOOD),
  'send fragments without content': endless(frame(Opcode.continuation, '', false)),
  'send fragments of a byte': endless(frame(Opcode.continuation, 'x', false)),
  'send fragments of more than the maximum': endless(
    frame(Opcode.continuation, 'x'.repeat(KiB), false),
    1.5 * MAX_MESSAGE,
  ),
  'send messages of the maximum': (stream) =>
    flood(stream.resume(), frame(Opcode.text, 'x'.repeat(MAX_MESSAGE)), 2 * MAX_MESSAGE),
  'send messages of the maximum, and read nothing': async (stream) => {
    stream.pause();
    await flood(stream, frame(Opcode.binary, Buffer.alloc(MAX_MESSAGE)), 2 * MAX_MESSAGE);
  },
  'announce the maximum, send half, and wait': async (stream) => {
    const bytes = frame(Opcode.binary, Buffer.alloc(MAX_MESSAGE));
    stream.resume().write(bytes.subarray(0, MAX_MESSAGE / 2));
    await pause(STAY);
  },
  'send a large frame byte by byte': async (stream) => {
    const bytes = frame(Opcode.binary, Buffer.alloc(MAX_MESSAGE));
    stream.resume();
    for (let at = 0; at < 200 && stream.writable; at++) {
      stream.write(bytes.subarray(at, at + 1));
      await pause(STAY / 200);
    }
  },
  'end in the middle of a frame': async (stream) => {
    const over = ended(stream);
    stream.end(frame(Opcode.text, 'x'.repeat(1000)).subarray(0, 500));
    await over;
  },
  'disconnect in the middle of a frame': async (stream) => {
    stream.write(frame(Opcode.text, 'x'.repeat(1000)).subarray(0, 500));
    await pause(Math.random() * STAY);
    stream.destroy();
  },
  'send on after Close': async (stream) => {
    stream.resume().write(frame(Opcode.close));
    await flood(stream, batchOf(frame(Opcode.text, 'x'.repeat(1000))), 2 * MAX_MESSAGE);
  },
};

/** Frames that end the WebSocket. */
const violations: Readonly<Record<string, Buffer>> = {
  'that are not masked': Buffer.of(0x82, 1, 0x78),
  'of 2^63 bytes': Buffer.from(`82ff80${'00'.repeat(7)}01020304`, 'hex'),
  'of 2^62 bytes': Buffer.from(`82ff40${'00'.repeat(7)}01020304`, 'hex'),
  'of text that is not UTF-8': frame(Opcode.text, Buffer.alloc(10 * KiB, 0xff)),
  'with a reserved bit': Buffer.of(0xc2, 0x80, 1, 2, 3, 4),
  'that continue nothing': frame(Opcode.continuation),
};

const ROUNDS = 3;

describe.each([
  ['HTTP/1.1', openHttp1],
  ['HTTP/2', openHttp2],
])('WebSockets on %s', (protocol, open) => {
  test.each(Object.entries(attacks))('clients that %s', async (name, attack) => {
    await siege.endure(
      `${protocol}, ${name}`,
      async () => {
        const { streams, leave } = await open();
        await Promise.all(streams.map(attack));
        expect(siege.usage().memory).toBeLessThan(350);
        await leave();
      },
      BUSY,
    );
  });

  test.each(Object.entries(violations))('frames %s end each of them', async (name, bytes) => {
    await siege.endure(
      `${protocol}, frames ${name}`,
      async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { streams, leave } = await open();
          await Promise.all(
            streams.map(async (stream) => {
              const over = ended(stream);
              stream.write(bytes);
              await over;
            }),
          );
          await leave();
        }
      },
      BUSY,
    );
  });
});
