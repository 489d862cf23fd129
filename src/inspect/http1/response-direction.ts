import type { Framing } from '../../wire/http1/framing.ts';
import { MessageReader, type MessageSink } from '../../wire/http1/message-reader.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import { Http1Direction, type MessageListener } from './direction.ts';
import type { Http1Limits } from './message.ts';

const TOO_LONG: Framing = {
  content: 'unknown',
  reason: 'the header section is longer than the reader reads',
};

/** The responses of a connection, which it does not read itself. */
export class ResponseDirection extends Http1Direction implements MessageSink {
  readonly #framingOf: (head: string) => Framing;
  readonly #reader: MessageReader;

  /** @param framingOf called with each complete head */
  constructor(
    limits: Http1Limits,
    listener: MessageListener,
    framingOf: (head: string) => Framing,
  ) {
    super(limits, listener);
    this.#framingOf = framingOf;
    const { section, bytes: incomplete } = limits;
    this.#reader = new MessageReader(this, { section, incomplete, skipsEmptyLines: true });
    this.readBy(this.#reader);
  }

  /** @param time in milliseconds */
  push(piece: Buffer, time: number): void {
    const reader = this.#reader;
    this.beginPiece(time);
    let at = 0;
    while (at < piece.length && reader.state !== 'stopped') at = reader.read(piece, at);
    if (reader.state === 'stopped') this.onRest(piece, at);
    this.endPiece(piece.length);
  }

  /** Call at the end of the direction, which completes responses without a length (RFC 9112 6.3). */
  end(time: number): void {
    this.beginPiece(time);
    this.#reader.end();
  }

  onHead(head: RawText): Framing {
    const framing = head.length > head.text.length ? TOO_LONG : this.#framingOf(head.text);
    this.onFramedHead(head, framing);
    return framing;
  }
}
