import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';

/** Sessions of HTTP/2, streams of each, and connections of HTTP/1.1, which are as many in all. */
export const SESSIONS = 4;
export const STREAMS = 25;
export const CONNECTIONS = SESSIONS * STREAMS;
/** Milliseconds for which idle clients stay. */
export const STAY = 500;
export const KiB = 1024;
export const BATCH = 64 * KiB;
/** Maximum content of a message. */
export const MAX_MESSAGE = 1024 * KiB;
/** Bytes of a flood of messages with a few bytes each, on one stream. */
export const FLOOD = 128 * KiB;

/** Limits of a service that reads messages. */
export const LIMITS = [
  `--max-body-size=${MAX_MESSAGE}`,
  '--max-content-memory=64',
  '--stall-timeout=2',
];

export async function openSessions(port: number, count = SESSIONS): Promise<ClientHttp2Session[]> {
  const sessions = Array.from({ length: count }, () =>
    // Node's limit of 10 MB would end streams here.
    connectHttp2(`http://127.0.0.1:${port}`, { maxSessionMemory: 1000 }),
  );
  for (const session of sessions) session.on('error', () => undefined);
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
  return sessions;
}

export async function destroyAll(sessions: readonly ClientHttp2Session[]): Promise<void> {
  // Not in an nghttp2 callback, which aborts Node 20.
  await turn();
  for (const session of sessions) session.destroy();
}

/** The bytes again and again, up to a size. */
export function repeated(bytes: Buffer, size = BATCH): Buffer {
  return Buffer.concat(Array.from({ length: Math.floor(size / bytes.length) }, () => bytes));
}

/** Writes bytes again and again, as fast as they are read, until so many are written or the service ends. */
export async function flood(stream: Duplex, bytes: Buffer, total: number): Promise<void> {
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

/** Writes the first bytes one by one, for as long as clients stay. */
export async function trickle(stream: Duplex, bytes: Buffer): Promise<void> {
  stream.resume();
  for (let at = 0; at < 200 && stream.writable; at++) {
    stream.write(bytes.subarray(at, at + 1));
    await pause(STAY / 200);
  }
}

/** Writes the first bytes, and leaves some time later. */
export async function breakOff(stream: Duplex, bytes: Buffer): Promise<void> {
  stream.write(bytes);
  await pause(Math.random() * STAY);
  stream.destroy();
}
