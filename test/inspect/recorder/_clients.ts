import { setTimeout as pause } from 'node:timers/promises';
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { alpnOf, isHttp2, type Transport } from '../../_client.ts';
import { FrameClient, frame, PREFACE, SETTINGS } from '../../_frames.ts';
import { piecesOf } from '../../fuzz/mutations.ts';
import { openPair } from '../../_raw.ts';
import { ECHO_HTTP1, http1Inputs, type Http1Input } from './_http1-inputs.ts';
import { ECHO_HTTP2, http2Inputs, type Http2Input } from './_http2-inputs.ts';

/** How long a client waits for what may never come, in milliseconds. */
const PATIENCE = 500;
const AFTER_ERROR = 100;

async function open(port: number, transport: Transport): Promise<Socket> {
  const { clear, socket } = await openPair(port, alpnOf(transport));
  clear.setNoDelay();
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
async function sendHttp1(
  port: number,
  transport: Transport,
  { requests, after, cuts }: Http1Input,
): Promise<void> {
  const socket = await open(port, transport);
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
async function sendHttp2(
  port: number,
  transport: Transport,
  { opening, frames, streams, cuts }: Http2Input,
): Promise<void> {
  const socket = await open(port, transport);
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

/** What is sent, on a connection for each input, the first of which asks for what the connection shows. */
export interface Samples {
  /** About how many of 20 requests or fields are malformed. */
  readonly oddity: number;
  readonly seed: number;
  /** Inputs at most. */
  readonly connections: number;
  /** Requests after which there are no more inputs. */
  readonly requests?: number;
}

/** @returns the number of requests sent */
export async function sendSamples(
  port: number,
  transport: Transport,
  { oddity, seed, connections, requests = Infinity }: Samples,
): Promise<number> {
  const samples = { seed, numRuns: connections - 1 };
  let sent = 0;
  if (isHttp2(transport)) {
    for (const input of [ECHO_HTTP2, ...fc.sample(http2Inputs(oddity), samples)]) {
      if (sent >= requests) break;
      await sendHttp2(port, transport, input);
      sent += input.requests;
    }
    return sent;
  }
  for (const input of [ECHO_HTTP1, ...fc.sample(http1Inputs(oddity), samples)]) {
    if (sent >= requests) break;
    await sendHttp1(port, transport, input);
    sent += input.requests.length;
  }
  return sent;
}
