import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';
import tls from 'node:tls';
import { FrameClient, frame, PREFACE, SETTINGS } from '../../_frames.ts';
import { piecesOf } from '../../fuzz/mutations.ts';
import type { Http1Input } from './_http1-inputs.ts';
import type { Http2Input } from './_http2-inputs.ts';

/** How long a client waits for what may never come, in milliseconds. */
const PATIENCE = 500;
const AFTER_ERROR = 100;

/** @param alpn for TLS 1.3; undefined for cleartext */
async function open(port: number, alpn: string | undefined): Promise<Socket> {
  const clear = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const options = { socket: clear, rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;
  const socket = alpn === undefined ? clear : tls.connect({ ...options, ALPNProtocols: [alpn] });
  socket.on('error', () => undefined);
  clear.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once(alpn === undefined ? 'connect' : 'secureConnect', resolve);
    clear.once('close', () => reject(new Error('the connection was closed')));
  });
  return socket;
}

async function write(socket: Socket, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (!socket.writable) return;
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends requests and waits for as many final responses, or until the server closes. */
export async function sendHttp1(
  port: number,
  isSecure: boolean,
  { requests, after, cuts }: Http1Input,
): Promise<void> {
  const socket = await open(port, isSecure ? 'http/1.1' : undefined);
  let received = '';
  const ended = closedOf(socket);
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const finals = received.match(/^HTTP\/1\.[01] [2-5]\d\d /gm)?.length ?? 0;
      // The last response may still be incomplete; the server sends it before it closes.
      if (finals >= requests.length) resolve();
    });
  });
  await write(socket, piecesOf(Buffer.from(requests.join('') + after, 'latin1'), cuts));
  await Promise.race([done, ended, pause(PATIENCE)]);
  socket.end();
  await Promise.race([ended, pause(PATIENCE)]);
  socket.destroy();
}

/** Sends frames and waits until all streams are ended or reset, or until the server closes. */
export async function sendHttp2(
  port: number,
  isSecure: boolean,
  { opening, frames, streams, cuts }: Http2Input,
): Promise<void> {
  const socket = await open(port, isSecure ? 'h2' : undefined);
  const ended = closedOf(socket);
  const client = new FrameClient(socket, Buffer.concat([PREFACE, opening]));
  const until = (condition: () => boolean): Promise<unknown> => {
    const met = new Promise<void>((resolve) => {
      socket.on('data', () => {
        if (condition()) resolve();
      });
      if (condition()) resolve();
    });
    return Promise.race([met, ended, pause(PATIENCE)]);
  };
  await until(() => client.got(SETTINGS).length > 0);
  const bytes = Buffer.concat([frame(SETTINGS, 1, 0), ...frames]);
  await write(socket, piecesOf(bytes, cuts));
  const isDone = (stream: number): boolean =>
    client.isDone(stream) || client.reset(stream) !== undefined;
  await until(() => streams.every(isDone) || client.goaway() !== undefined);
  socket.end();
  // Node 20 keeps some connections open that nghttp2 has given up.
  await Promise.race([ended, pause(AFTER_ERROR)]);
  socket.destroy();
}

function closedOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve());
  });
}
