import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  type RawFrame,
} from '../../../src/wire/http2/frame.ts';
import type { Input } from './inputs.ts';
import { outcomeOf, type Outcome } from './outcome.ts';

/** How long a client waits for what a service still has to send. */
export interface Patience {
  /** Turns of the event loop, which client and services share, without a byte. */
  readonly turns: number;
  /** Milliseconds until a PING is answered, if it is at all. */
  readonly pong: number;
}

/** With many connections at once, and below, with few. */
export const SHORT: Patience = { turns: 5, pong: 150 };
export const LONG: Patience = { turns: 60, pong: 1000 };

const PING = frame(FrameType.ping, 0, 0, Buffer.from('what now'));

/** A client that keeps what it receives. */
class Client {
  readonly #socket: Socket;
  readonly #patience: Patience;
  readonly #splitter = new FrameSplitter();
  readonly frames: RawFrame[] = [];
  #pongs = 0;
  isClosed = false;
  /** Whether no further PING is answered. */
  #isOver = false;

  constructor(socket: Socket, patience: Patience) {
    this.#socket = socket;
    this.#patience = patience;
    const close = (): void => {
      this.isClosed = true;
      this.#isOver = true;
    };
    socket
      .on('error', () => undefined)
      .on('end', close)
      .on('close', close)
      .on('data', (piece: Buffer) => {
        for (const each of this.#splitter.push(piece)) this.#receive(each);
      });
  }

  #receive(received: RawFrame): void {
    const { type, flags, payload } = received;
    this.frames.push(received);
    if (type === FrameType.ping && (flags & Flag.ack) !== 0) this.#pongs++;
    if (type === FrameType.goaway && payload.readUInt32BE(4) !== 0) this.#isOver = true;
  }

  send(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  /** Sends bytes that end with a PING, and waits for its answer and what comes with it. */
  async sendUntilAnswered(bytes: Buffer): Promise<void> {
    const before = this.#pongs;
    this.send(bytes);
    const end = performance.now() + this.#patience.pong;
    while (this.#pongs === before && !this.#isOver && performance.now() < end) await turn();
    await this.#quiet();
  }

  async #quiet(): Promise<void> {
    let last = -1;
    for (let rest = this.#patience.turns; rest > 0 && !this.isClosed; rest--) {
      await turn();
      if (this.#socket.bytesRead === last) continue;
      last = this.#socket.bytesRead;
      rest = this.#patience.turns;
    }
  }
}

/** Sends an input on a connection of its own. @returns what has come back */
export async function deliver(port: number, input: Input, patience: Patience): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const client = new Client(socket, patience);
  await once(socket, 'connect');
  const last = input.pieces.length - 1;
  for (const [at, piece] of input.pieces.entries()) {
    if (at === last) await client.sendUntilAnswered(piece);
    else if (input.isSettled) await client.sendUntilAnswered(Buffer.concat([piece, PING]));
    else {
      client.send(piece);
      await turn();
    }
  }
  const outcome = outcomeOf(client.frames, input, client.isClosed);
  socket.destroy();
  return outcome;
}
