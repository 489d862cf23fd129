import { randomBytes } from 'node:crypto';
import { onEnd, type Opened } from '../../check/client/connect.ts';
import { http1Request } from '../../check/client/http1-message.ts';
import { acceptKey, WEBSOCKET_VERSION } from '../../http/websocket.ts';
import { statusOf } from '../../wire/http1/framing.ts';
import type { Input } from './input.ts';
import {
  CLOSED,
  fieldLinesOf,
  MALFORMED,
  MAX_SECTION,
  RESET,
  TIMEOUT,
  type Done,
  type LoadConnection,
  type LoadRequest,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';
import { messageFrame, WebSocketEcho, type EchoSink } from './web-socket-echo.ts';

const KEY = randomBytes(16).toString('base64');
const ACCEPT = acceptKey(KEY);
/** Bytes of Pong frames that a server does not read. */
const MAX_UNREAD = 1024 * 1024;

/** The messages of a load on a WebSocket over HTTP/1.1. */
export function prepareMessage(request: LoadRequest): PreparedRequest {
  return { request, bytes: messageFrame(request.content ?? Buffer.alloc(0)) };
}

/** A WebSocket that carries one message at a time, and waits for its echo. */
export class WebSocketConnection implements LoadConnection, Pending, EchoSink {
  readonly #opened: Opened;
  readonly #echo: WebSocketEcho;
  /** The response to the handshake as far as it has arrived. */
  #head = '';
  #isUpgraded = false;
  #isOpen = true;
  #isReset = false;
  #done: Done | undefined;

  /** @param done called when the handshake is over (RFC 6455 4.1) */
  constructor(opened: Opened, input: Input, request: LoadRequest, done: Done) {
    this.#opened = opened;
    this.#done = done;
    this.#echo = new WebSocketEcho(request.content ?? Buffer.alloc(0), this);
    input.listen((piece) => this.#receive(piece));
    onEnd(
      opened,
      () => this.onClosed(this.#isReset ? RESET : CLOSED),
      () => {
        this.#isReset = true;
      },
    );
    opened.stream.write(handshake(request));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send({ bytes }: PreparedRequest, done: Done): Pending {
    this.#done = done;
    this.#opened.stream.write(bytes);
    return this;
  }

  /** Ends the connection, because the echo would be taken for that of the next message. */
  abort(reason: string): void {
    this.onClosed(reason);
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    this.#isOpen = false;
    this.#opened.stream.destroy();
  }

  onEcho(failure: string | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    if (done) done(failure);
    // A message that was not asked for would be taken for the next echo.
    else this.destroy();
  }

  onReply(frame: Buffer): void {
    this.#opened.stream.write(frame);
    if (this.#opened.stream.writableLength > MAX_UNREAD) this.onClosed('too many control frames');
  }

  onClosed(failure: string): void {
    this.destroy();
    this.onEcho(failure);
  }

  #receive(piece: Buffer): void {
    if (!this.#isOpen) return;
    if (this.#isUpgraded) {
      this.#echo.read(piece);
      return;
    }
    this.#head += piece.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end !== -1) this.#upgrade(this.#head.slice(0, end), this.#head.slice(end + 4));
    else if (this.#head.length > MAX_SECTION) this.onClosed(MALFORMED);
  }

  #upgrade(head: string, rest: string): void {
    const status = statusOf(head);
    const [, accept] = /\r\nsec-websocket-accept:[ \t]*(\S+)[ \t]*(?:\r\n|$)/i.exec(head) ?? [];
    if (status !== 101) this.onClosed(Number.isNaN(status) ? MALFORMED : `status ${status}`);
    else if (accept !== ACCEPT) this.onClosed('wrong Sec-WebSocket-Accept');
    else {
      this.#isUpgraded = true;
      this.#head = '';
      this.onEcho(undefined);
      if (rest !== '') this.#echo.read(Buffer.from(rest, 'latin1'));
    }
  }
}

function handshake(request: LoadRequest): Buffer {
  const fields = [
    ...fieldLinesOf(request),
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', WEBSOCKET_VERSION],
    ['Sec-WebSocket-Key', KEY],
  ] as const;
  return http1Request({ target: request.path, fields }, request.authority).head;
}

/** Opens a WebSocket. @param time limit of the handshake in milliseconds @throws Error why there is none */
export async function openWebSocket(
  opened: Opened,
  input: Input,
  request: LoadRequest,
  time: number,
): Promise<WebSocketConnection> {
  let timer: NodeJS.Timeout | undefined;
  try {
    let connection: WebSocketConnection | undefined;
    const failure = await new Promise<string | undefined>((resolve) => {
      connection = new WebSocketConnection(opened, input, request, resolve);
      timer = setTimeout(() => resolve(TIMEOUT), time);
    });
    if (failure === undefined && connection) return connection;
    opened.stream.destroy();
    throw new Error(failure ?? CLOSED);
  } finally {
    clearTimeout(timer);
  }
}
