import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
} from '../../../../src/wire/http2/frame.ts';

/** Frames that are sent, milliseconds to wait, or how the connection ends. */
export type Step = Buffer | number | 'FIN' | 'RST';

/** What an origin does with each connection, and with each call. */
export interface Behaviour {
  /** Sent at once; by default an empty SETTINGS. */
  readonly connection?: readonly Step[];
  /**
   * Sent when all of a request has arrived.
   *
   * @param attempt from 1
   */
  readonly call: (stream: number, attempt: number) => readonly Step[];
}

const SETTINGS = frame(FrameType.settings, 0, 0);

async function perform(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (typeof step === 'number') await delay(step, undefined, { ref: false });
    else if (step === 'FIN') socket.end();
    else if (step === 'RST') socket.resetAndDestroy();
    else if (socket.writable) socket.write(step);
  }
}

/** An HTTP/2 server in cleartext that sends any frames, right or wrong. It counts calls. */
export class Origin {
  readonly #behaviour: Behaviour;
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  /** Of each connection with a call, in order. */
  readonly #calls: Socket[] = [];

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** @returns its port */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  get calls(): number {
    return this.#calls.length;
  }

  /** The number of connections with a call. */
  get connections(): number {
    return new Set(this.#calls).size;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    void perform(socket, this.#behaviour.connection ?? [SETTINGS]);
    const splitter = new FrameSplitter();
    let preface = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      if (preface.length >= PREFACE.length) return this.#read(socket, splitter, piece);
      preface = Buffer.concat([preface, piece]);
      this.#read(socket, splitter, preface.subarray(PREFACE.length));
    });
  }

  #read(socket: Socket, splitter: FrameSplitter, bytes: Buffer): void {
    for (const { type, flags, stream, payload } of splitter.push(bytes)) {
      const isAck = (flags & Flag.ack) !== 0;
      if (type === FrameType.settings && !isAck) socket.write(frame(type, Flag.ack, 0));
      if (type === FrameType.ping && !isAck) socket.write(frame(type, Flag.ack, 0, payload));
      const isRequest = type === FrameType.headers || type === FrameType.data;
      if (isRequest && (flags & Flag.endStream) !== 0) {
        this.#calls.push(socket);
        void perform(socket, this.#behaviour.call(stream, this.#calls.length));
      }
    }
  }
}
