import { randomBytes } from 'node:crypto';
import { encodeFrame, Opcode, type WebSocketFrame } from '../../wire/websocket/frame.ts';
import { WebSocketError, WebSocketReader } from '../../wire/websocket/frame-reader.ts';
import { CLOSED } from './load-connection.ts';

const MAX_MESSAGE = 1024 * 1024;
const LIMITS = { isMasked: false, maxFrame: MAX_MESSAGE, maxMessage: MAX_MESSAGE };

/** Receives what becomes of the messages on a WebSocket. */
export interface EchoSink {
  /** Called when a message has come back. @param failure why it is wrong; undefined if it is right */
  onEcho(failure: string | undefined): void;
  /** Called with a frame that has to be sent. */
  onReply(frame: Buffer): void;
  /** Called when the WebSocket has ended, or broken the rules. */
  onClosed(failure: string): void;
}

/** The frame of a message of a client (RFC 6455 5.1). */
export const messageFrame = (content: Uint8Array): Buffer => maskedFrame(Opcode.binary, content);

function maskedFrame(opcode: number, content: Uint8Array): Buffer {
  const frame = { isFinal: true, opcode, content: Buffer.from(content) };
  return encodeFrame(frame, randomBytes(4));
}

/** Reads the frames of an echo. */
export class WebSocketEcho {
  readonly #sink: EchoSink;
  readonly #reader = new WebSocketReader(LIMITS);
  readonly #sent: Uint8Array;
  /** The fragments of the message so far. */
  #received: Buffer[] = [];

  /** @param sent content of all messages */
  constructor(sent: Uint8Array, sink: EchoSink) {
    this.#sent = sent;
    this.#sink = sink;
  }

  read(piece: Buffer): void {
    try {
      for (const frame of this.#reader.read(piece)) this.#handle(frame);
    } catch (error) {
      if (!(error instanceof WebSocketError)) throw error;
      this.#sink.onClosed(`malformed WebSocket: ${error.message}`);
    }
  }

  #handle({ opcode, content, isFinal }: WebSocketFrame): void {
    switch (opcode) {
      case Opcode.ping:
        this.#sink.onReply(maskedFrame(Opcode.pong, content));
        return;
      case Opcode.pong:
        return;
      case Opcode.close:
        this.#sink.onClosed(CLOSED);
        return;
      default:
    }
    this.#received.push(content);
    if (!isFinal) return;
    const isSame = Buffer.concat(this.#received).equals(this.#sent);
    this.#received = [];
    this.#sink.onEcho(isSame ? undefined : 'wrong content');
  }
}
