import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { ResponseRecorder } from '../src/check/client/response-recorder.ts';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import { encodeFrame, Opcode, type WebSocketFrame } from '../src/wire/websocket/frame.ts';
import { WebSocketReader } from '../src/wire/websocket/frame-reader.ts';
import { isHttp2, isSecure, type Transport } from './_client.ts';
import { openSocket } from './_raw.ts';

/** RFC 6455 1.3: the key of its example, and what accepts it. */
export const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
export const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

export const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  `Sec-WebSocket-Key: ${KEY}\r\n`;

export const MASK = Uint8Array.of(1, 2, 3, 4);

/** A frame as a client sends it. */
export const frame = (opcode: number, content: string | Uint8Array = '', isFinal = true): Buffer =>
  encodeFrame({ isFinal, opcode, content: Buffer.from(content) }, MASK);

/** A WebSocket that is open, byte by byte. */
export class WebSocketClient {
  /** Fields of the handshake's response, by name in lower case. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly stream: Duplex;
  readonly frames: WebSocketFrame[] = [];
  /** When the server has ended the connection, or the stream. */
  readonly ended: Promise<void>;
  readonly destroy: () => void;
  readonly #waiting = new Set<() => void>();

  constructor(
    stream: Duplex,
    fields: WebSocketClient['fields'],
    first: Buffer,
    destroy: () => void,
  ) {
    this.stream = stream;
    this.fields = fields;
    this.destroy = destroy;
    const limits = { isMasked: false, mayCompress: true, maxFrame: 2 ** 30, maxMessage: 2 ** 30 };
    const reader = new WebSocketReader(limits);
    const read = (piece: Buffer): void => {
      for (const each of reader.read(piece)) this.frames.push(each);
      for (const check of this.#waiting) check();
    };
    stream.on('data', read);
    read(first);
    stream.resume();
    this.ended = new Promise((resolve) => {
      stream.once('end', resolve).once('close', resolve);
    });
  }

  send(...frames: readonly Buffer[]): this {
    this.stream.write(Buffer.concat(frames));
    return this;
  }

  /** The first frames received, as many as asked for. */
  async received(count: number): Promise<readonly WebSocketFrame[]> {
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.frames.length >= count) resolve();
      };
      this.#waiting.add(check);
      check();
    });
    return this.frames.splice(0, count);
  }

  /** Code and reason of the Close frame, which is the last one. */
  async closed(): Promise<string> {
    await this.ended;
    const last = this.frames.at(-1);
    if (last?.opcode !== Opcode.close) return 'no Close frame';
    const { content } = last;
    return content.length === 0 ? '' : `${content.readUInt16BE()} ${content.toString('utf8', 2)}`;
  }
}

const opened: WebSocketClient[] = [];

export function closeWebSockets(): void {
  for (const client of opened.splice(0)) client.destroy();
}

interface Handshake {
  /** Further fields of the request. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Frames that are sent with the request, before its response. */
  readonly ahead?: Buffer;
  /** Whether the client ends its direction with them. Default: false. */
  readonly ends?: boolean;
}

export async function openWebSocket(
  transport: Transport,
  port: number,
  target = '/websocket/echo',
  handshake: Handshake = {},
): Promise<WebSocketClient> {
  const open = isHttp2(transport) ? openHttp2 : openHttp1;
  const client = await open(transport, port, target, handshake);
  opened.push(client);
  return client;
}

async function openHttp1(
  transport: Transport,
  port: number,
  target: string,
  { fields: own = {}, ahead = Buffer.alloc(0), ends = false }: Handshake,
) {
  const socket = await openSocket(port, isSecure(transport) ? ['http/1.1'] : undefined);
  const given = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${target} HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}${given.join('')}\r\n`;
  socket.write(Buffer.concat([Buffer.from(request), ahead]));
  if (ends) socket.end();
  const reader = new ResponseRecorder('GET');
  while (!reader.hasHead) {
    const [piece] = await once(socket, 'data');
    reader.push(piece as Buffer);
  }
  socket.pause();
  const { status, fields: lines = [] } = reader.response ?? {};
  if (status !== 101) throw new Error(`status ${status}`);
  const fields = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]));
  return new WebSocketClient(socket, fields, reader.rest, () => void socket.destroy());
}

async function openHttp2(
  transport: Transport,
  port: number,
  target: string,
  { fields: own, ahead, ends = false }: Handshake,
) {
  const scheme = isSecure(transport) ? 'https' : 'http';
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': target,
    'sec-websocket-version': '13',
    ...own,
  });
  stream.on('error', () => undefined);
  if (ahead) stream.write(ahead);
  if (ends) stream.end();
  const [fields] = await once(stream, 'response');
  if ((fields as Record<string, unknown>)[':status'] !== 200) {
    session.destroy();
    throw new Error(JSON.stringify(fields));
  }
  return new WebSocketClient(stream, fields as Record<string, unknown>, Buffer.alloc(0), () =>
    session.destroy(),
  );
}
