import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeFrame, Opcode } from '../../src/wire/websocket/frame.ts';
import { converse, openSocket } from '../_raw.ts';
import { frame, HANDSHAKE, MASK } from '../_websocket.ts';
import {
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

const siege = besieged(['--h2-enable-connect-protocol', '--websocket-deflate', ...LIMITS], {
  connects: true,
});

interface Attackers {
  readonly streams: readonly Duplex[];
  readonly leave: () => Promise<void>;
}

const OFFER = 'permessage-deflate';

async function openHttp1(target: string): Promise<Attackers> {
  const offer = `Sec-WebSocket-Extensions: ${OFFER}\r\n`;
  const request = `GET ${target} HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}${offer}\r\n`;
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

async function openHttp2(target: string): Promise<Attackers> {
  const sessions = await openSessions(siege.port);
  const opened = sessions.flatMap((session) =>
    Array.from({ length: STREAMS }, async () => {
      const stream = session.request({
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':path': target,
        'sec-websocket-version': '13',
        'sec-websocket-extensions': OFFER,
      });
      stream.on('error', () => undefined);
      const [fields] = await once(stream, 'response');
      expect(fields).toMatchObject({ ':status': 200 });
      return stream;
    }),
  );
  return { streams: await Promise.all(opened), leave: () => destroyAll(sessions) };
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
    await flood(stream, repeated(fragment), total);
  };

const attacks: Readonly<Record<string, Attack>> = {
  'send Pings': (stream) => flood(stream.resume(), repeated(frame(Opcode.ping)), FLOOD),
  'send Pings, and read nothing': async (stream) => {
    stream.pause();
    await flood(stream, repeated(frame(Opcode.ping, 'x'.repeat(125))), MAX_MESSAGE);
  },
  'send Pongs, which have no reply': (stream) =>
    flood(stream.resume(), repeated(frame(Opcode.pong)), FLOOD),
  'send messages without content': (stream) =>
    flood(stream.resume(), repeated(frame(Opcode.text)), FLOOD),
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
  'send a large frame byte by byte': (stream) =>
    trickle(stream, frame(Opcode.binary, Buffer.alloc(MAX_MESSAGE))),
  'end in the middle of a frame': async (stream) => {
    const over = ended(stream);
    stream.end(frame(Opcode.text, 'x'.repeat(1000)).subarray(0, 500));
    await over;
  },
  'disconnect in the middle of a frame': (stream) =>
    breakOff(stream, frame(Opcode.text, 'x'.repeat(1000)).subarray(0, 500)),
  'send on after Close': async (stream) => {
    stream.resume().write(frame(Opcode.close));
    await flood(stream, repeated(frame(Opcode.text, 'x'.repeat(1000))), 2 * MAX_MESSAGE);
  },
};

/** Content as RFC 7692 7.2.1 compresses it. */
const compress = (content: Buffer): Buffer =>
  deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);

const compressed = (content: Buffer, isFinal = true): Buffer =>
  encodeFrame({ isFinal, opcode: Opcode.binary, isCompressed: true, content }, MASK);

/** 1 KiB that inflates to the maximum, and 50 KiB that inflate to 50 times that. */
const MOST = compressed(compress(Buffer.alloc(MAX_MESSAGE)));
const BOMB = compressed(compress(Buffer.alloc(50 * MAX_MESSAGE)));

const compressedAttacks: Readonly<Record<string, Attack>> = {
  'send deflate bombs': (stream) => flood(stream.resume(), BOMB, 10 * BOMB.length),
  'send what inflates to the maximum': (stream) => flood(stream.resume(), MOST, 20 * MOST.length),
  'send what inflates to the maximum, and read nothing': async (stream) => {
    stream.pause();
    await flood(stream, MOST, 20 * MOST.length);
  },
  'send what inflates to the maximum, without its end': async (stream) => {
    stream.resume().write(compressed(compress(Buffer.alloc(MAX_MESSAGE)), false));
    await pause(STAY);
  },
  'send compressed fragments without content': async (stream) => {
    stream.resume().write(compressed(Buffer.of(), false));
    await flood(stream, repeated(frame(Opcode.continuation, '', false)), FLOOD);
  },
  'send compressed fragments of a byte': async (stream) => {
    stream.resume().write(compressed(Buffer.of(), false));
    for (const byte of compress(randomBytes(KiB))) {
      stream.write(frame(Opcode.continuation, Buffer.of(byte), false));
    }
    await pause(STAY);
  },
  'end a DEFLATE stream with every second byte': (stream) =>
    flood(stream.resume(), repeated(compressed(Buffer.alloc(30, Buffer.of(3, 0)))), FLOOD),
  'send small compressed messages': (stream) =>
    flood(stream.resume(), repeated(compressed(compress(Buffer.from('a')))), FLOOD / 8),
  'send what is no DEFLATE': (stream) =>
    flood(stream.resume(), repeated(compressed(randomBytes(100))), FLOOD),
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
/** Each protocol has one in so many attacks, HTTP/2 others than HTTP/1.1. */
const SHARE = Number(process.env['HOSTILE_SHARE'] ?? 1);

describe.each([
  ['HTTP/1.1', openHttp1, 0],
  ['HTTP/2', openHttp2, 1],
] as const)('WebSockets on %s', (protocol, open, first) => {
  const targets = ['/websocket/echo', '/websocket/echo?dialect=go-httpbin'];
  const inDialects = Object.entries({ ...attacks, ...compressedAttacks }).flatMap(
    ([name, attack]) =>
      // What a dialect does otherwise is to collect messages of fragments.
      (name.includes('send fragments') ? targets : targets.slice(0, 1)).map(
        (target) => [name, target, attack] as const,
      ),
  );

  const chosen = inDialects.filter((_, at) => at % SHARE === first % SHARE);
  test.each(chosen)('clients that %s, of %s', async (name, target, attack) => {
    await siege.endure(`${protocol}, ${name}`, async () => {
      const { streams, leave } = await open(target);
      await Promise.all(streams.map(attack));
      expect(siege.usage().memory).toBeLessThan(350);
      await leave();
    });
  });

  test.each(Object.entries(violations))('frames %s end each of them', async (name, bytes) => {
    await siege.endure(`${protocol}, frames ${name}`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { streams, leave } = await open('/websocket/echo');
        await Promise.all(
          streams.map(async (stream) => {
            const over = ended(stream);
            stream.write(bytes);
            await over;
          }),
        );
        await leave();
      }
    });
  });
});
