import http, { type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import tls from 'node:tls';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import type { Transport } from './_client.ts';
import { resetOrClose } from './_raw.ts';

/** The content of an answer as it arrives, on a connection of its own. */
export class Stream {
  /** When content came, in milliseconds since the request, and how much. */
  readonly arrivals: { readonly at: number; readonly length: number }[] = [];
  /** Settles with the first piece, before the next can come. */
  readonly began: Promise<void>;
  readonly ended: Promise<void>;
  /** Goes away with the connection, whether there is an answer or not. */
  readonly close: () => void;
  readonly #start = performance.now();
  #begin: () => void = () => undefined;
  #incoming: Readable | undefined;

  /** Sends a GET. */
  constructor(transport: Transport, port: number, target: string) {
    const open = transport === 'h2' || transport === 'h2c' ? openHttp2 : openHttp1;
    const { answer, close } = open(transport, port, target);
    this.close = close;
    this.began = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.ended = answer.then((incoming) => this.#read(incoming));
  }

  /** Reads no further: the windows and buffers on the way fill. */
  pause(): void {
    this.#incoming?.pause();
  }

  resume(): void {
    this.#incoming?.resume();
  }

  #read(incoming: Readable): Promise<void> {
    this.#incoming = incoming;
    incoming.on('data', ({ length }: Buffer) => {
      this.arrivals.push({ at: performance.now() - this.#start, length });
      this.#begin();
    });
    incoming.on('error', () => undefined);
    return new Promise((resolve) => {
      incoming.once('close', resolve);
    });
  }
}

interface Opened {
  readonly answer: Promise<Readable>;
  readonly close: () => void;
}

function openHttp1(transport: Transport, port: number, target: string): Opened {
  const clear = connect(port, '127.0.0.1');
  const socket =
    transport === 'http/1.1' ? clear : tls.connect({ socket: clear, rejectUnauthorized: false });
  const outgoing = http.get({ host: '127.0.0.1', path: target, createConnection: () => socket });
  outgoing.on('error', () => undefined);
  const answer = new Promise<IncomingMessage>((resolve) => {
    outgoing.once('response', resolve);
  });
  // A client that only closes its side may still read, as far as the service can see.
  return { answer, close: () => resetOrClose(clear, socket) };
}

function openHttp2(transport: Transport, port: number, target: string): Opened {
  const scheme = transport === 'h2' ? 'https' : 'http';
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  const answer = Promise.resolve(session.request({ ':path': target }));
  return { answer, close: () => session.destroy() };
}
