import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'vitest';
import { get, OPENING } from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { captured } from '../wire/tls/_hellos.ts';
import { besieged } from './_siege.ts';

// Many clients that each ask for one thing that takes some milliseconds, at the same time. No limit of a connection
// applies to them.

const siege = besieged([], { connects: true });

/** Milliseconds that the event loop may be busy before an honest response. */
const BUSY = 1500;
const HEAD = ['Host: a', ...Array.from({ length: 1980 }, (_, at) => `a${at}: b`)];
const UPLOAD = 1_000_000;
const DIGESTS = ['sha-256', 'sha-512', 'md5', 'sha'].map((name) => `${name}=:AAAA:`).join(', ');

test('four hundred requests with 1,980 fields', async () => {
  const request = Buffer.from(`GET /anything HTTP/1.1\r\n${HEAD.join('\r\n')}\r\n\r\n`);
  await siege.endure('many fields', () => all(400, request), BUSY);
});

test('three thousand ClientHellos', async () => {
  await siege.endure('ClientHellos', () => all(3000, captured('node')), BUSY);
});

test('three thousand HTTP/2 connections', async () => {
  const request = Buffer.concat([OPENING, get(1, '/healthz')]);
  await siege.endure('HTTP/2 connections', () => all(3000, request));
});

test('four hundred uploads with four digests', async () => {
  const head = `POST /upload HTTP/1.1\r\nHost: a\r\nContent-Digest: ${DIGESTS}\r\nContent-Length: ${UPLOAD}\r\n\r\n`;
  const request = Buffer.concat([Buffer.from(head), randomBytes(UPLOAD)]);
  await siege.endure('uploads with digests', () => all(400, request), BUSY);
});

/** Sends the same bytes on as many connections at once, and waits until each has an answer. */
async function all(count: number, bytes: Uint8Array): Promise<void> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const opened = Array.from({ length: 100 }, () => openSocket(siege.port));
    sockets.push(...(await Promise.all(opened)));
  }
  await Promise.all(
    sockets.map(async (socket) => {
      const answered = once(socket, 'data');
      socket.write(bytes);
      await answered;
      socket.destroy();
    }),
  );
}
