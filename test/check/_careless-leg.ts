import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fieldLines } from '../../src/check/client/http1-message.ts';
import { ByteReader, ContentReader, Malformed, parseField } from './_bytes.ts';
import { responseFraming } from './_gateway-framing.ts';
import { listening, type Proxy } from './_gateway-server.ts';
import { pairs } from './_gateway-http2.ts';

/** What a connection to the origin is kept after, though it should be closed; `unsent`: OPTIONS without its content. */
export type Careless = 'canceled' | 'canceled-upload' | 'malformed' | 'surplus' | 'unsent';

interface Connection {
  readonly socket: Socket;
  readonly reader: ByteReader;
}

/** The side of a gateway that keeps its connections to the origin, also those that it should not keep. */
export async function startCarelessLeg(originPort: number, kept: Careless): Promise<Proxy> {
  const leg = new CarelessLeg(originPort, kept);
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (from, to) => {
    leg.forward(from, to).catch(() => to.destroy());
  });
  const proxy = await listening(server, 'http');
  return {
    url: proxy.url,
    close: async () => {
      leg.close();
      await proxy.close();
    },
  };
}

class CarelessLeg {
  readonly #port: number;
  readonly #kept: Careless;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Socket>();

  constructor(port: number, kept: Careless) {
    this.#port = port;
    this.#kept = kept;
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async forward(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', rawHeaders } = from;
    const isSentAtOnce = this.#kept === 'canceled-upload';
    const content = isSentAtOnce ? Buffer.alloc(0) : await buffer(from);
    const connection = this.#connection();
    const { socket } = connection;
    let isKept = false;
    const release = (): void => {
      if (isKept || socket.destroyed || connection.reader.isEnded) return;
      isKept = true;
      this.#idle.push(connection);
    };
    to.on('close', () => {
      if (to.writableFinished || isKept) return;
      if (this.#kept.startsWith('canceled')) release();
      else socket.destroy();
    });
    const lines = pairs(rawHeaders).filter(([name]) => !/^connection$/i.test(name));
    socket.write(`${method} ${url} HTTP/1.1\r\n${fieldLines(lines)}\r\n`, 'latin1');
    if (isSentAtOnce) from.on('data', (piece: Buffer) => void socket.write(piece));
    else if (this.#kept !== 'unsent' || method !== 'OPTIONS') socket.write(content);
    try {
      const isReusable = await respond(method, connection, to, () => isKept);
      if (this.#kept === 'surplus' ? isReusable : isReusable && connection.reader.isEmpty)
        release();
      else if (!isKept) socket.destroy();
    } catch (error) {
      if (!to.headersSent) to.writeHead(502).end();
      else to.destroy();
      if (this.#kept === 'malformed' && error instanceof Malformed) release();
      else if (!isKept) socket.destroy();
    }
  }

  #connection(): Connection {
    for (let idle; (idle = this.#idle.pop());) if (!idle.reader.isEnded) return idle;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    this.#open.add(socket);
    return { socket, reader: new ByteReader(socket) };
  }
}

/** Forwards a response. @returns whether the origin keeps the connection */
async function respond(
  method: string,
  { reader }: Connection,
  to: ServerResponse,
  isOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    const [line = '', ...rest] = await reader.section();
    // The response belongs to the next request now, which reads it.
    const [, status] = /^HTTP\/1\.1 (\d{3})(?: .*)?$/.exec(line) ?? [];
    if (status === undefined) throw new Malformed('the status line', 502);
    if (status.startsWith('1')) continue;
    const fields = rest.map(parseField);
    const content = new ContentReader(reader, responseFraming(method, Number(status), fields));
    to.writeHead(Number(status), fields.flat());
    for (let piece; !isOver() && (piece = await content.next()) !== undefined;) to.write(piece);
    if (isOver()) return false;
    to.end();
    return !fields.some((field) => /^connection: close$/i.test(field.join(': ')));
  }
}
