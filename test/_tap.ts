import type { Socket } from 'node:net';
import { until } from './_adapters.ts';
import { alpnOf, type Client, type Transport } from './_client.ts';
import { eventsOf, type SentEvent } from './_events.ts';
import * as h2 from './_frames.ts';
import { GET, openSocket } from './_raw.ts';

/** More than any test sends. */
function windowOf(stream: number): Buffer {
  return h2.frame(h2.WINDOW_UPDATE, 0, stream, h2.uint32(100_000_000));
}

/** A reader of /tap that takes bytes only when it is told to. */
export class Reader {
  readonly socket: Socket;
  readonly #frames: h2.FrameClient | undefined;
  #text = '';

  constructor(socket: Socket, frames: h2.FrameClient | undefined) {
    this.socket = socket;
    this.#frames = frames;
    if (frames) return;
    socket.on('data', (chunk: Buffer) => (this.#text += chunk.toString('latin1')));
  }

  /** @param from the Last-Event-ID to go on from */
  static async open(
    transport: Transport,
    port: number,
    query = '',
    from?: string,
  ): Promise<Reader> {
    const fields: [string, string][] = from === undefined ? [] : [['last-event-id', from]];
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = await openSocket(port, alpnOf(transport));
    const frames = transport.startsWith('h2') ? new h2.FrameClient(socket) : undefined;
    if (frames) frames.send(h2.get(1, `/tap${query}`, ...fields));
    else socket.write(GET(`/tap${query}`, lines.join('')));
    const reader = new Reader(socket, frames);
    await until(() => reader.received.includes(':\n\n'));
    return reader;
  }

  /** Opens the flow-control windows of HTTP/2 for all that may come. */
  allow(): void {
    this.#frames?.send(windowOf(0), windowOf(1));
    this.socket.resume();
  }

  get received(): string {
    return this.#frames?.content(1) ?? withoutChunks(this.#text);
  }

  /** The last of what it has received. */
  get tail(): string {
    const frames = this.#frames?.frames.slice(-4).filter(({ type }) => type === h2.DATA);
    return frames?.map(({ payload }) => String(payload)).join('') ?? this.#text.slice(-1000);
  }

  /** Whether the answer came to its end. */
  get isDone(): boolean {
    return this.#frames?.isDone(1) ?? this.#text.endsWith('\r\n0\r\n\r\n');
  }

  get events(): SentEvent[] {
    return eventsOf(this.received);
  }
}

/** Chunks of HTTP/1.1 begin and end between events or in the midst of them. */
export function withoutChunks(text: string): string {
  return text.replace(/\r\n[\da-f]+\r\n/g, '');
}

/** Waits until the client's connection is the only one. */
export async function alone(client: Client): Promise<void> {
  let open = Infinity;
  while (open > 1) {
    const { body } = await client.request('/connections');
    const told = JSON.parse(body.toString()) as { readonly connections: { readonly open: number } };
    ({ open } = told.connections);
  }
}
