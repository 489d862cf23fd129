import { violation, type Violation } from '../../wire/quic/violation.ts';
import type { OwnLimit } from './flow-control.ts';
import { receivingStateAfter, type ReceivingState, type ReceivingStep } from './part-state.ts';
import { ReceiveBuffer, type SmallPieces } from './receive-buffer.ts';
import type { StreamData } from './send-buffer.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/** What the receiving parts of a connection share. */
export interface SharedReceiving {
  /** Bytes of all streams (RFC 9000 4.1). */
  readonly limit: OwnLimit;
  readonly small: SmallPieces;
}

/** The receiving part of a stream (RFC 9000 3.2), with its flow control and that of the connection. */
export class ReceivingPart {
  /** Bytes of this stream. */
  readonly limit: OwnLimit;
  readonly #connection: OwnLimit;
  readonly #buffer: ReceiveBuffer;
  #state: ReceivingState = 'receive';
  /** Bytes that both limits count as consumed. */
  #consumed = 0;
  #isStopped = false;

  constructor(limit: OwnLimit, shared: SharedReceiving) {
    this.limit = limit;
    this.#connection = shared.limit;
    this.#buffer = new ReceiveBuffer(shared.small);
  }

  get state(): ReceivingState {
    return this.#state;
  }

  /** Whether all data was read or dropped, or the application knows of the reset. */
  get isClosed(): boolean {
    return this.#state === 'data-read' || this.#state === 'reset-read';
  }

  /** Whether the application has called `stop`. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether `read` gives bytes now. */
  get isReadable(): boolean {
    return this.#buffer.isReadable;
  }

  /** Whether to send MAX_STREAM_DATA. Not once the final size is known: the peer needs no credit (RFC 9000 3.2). */
  get needsLimit(): boolean {
    return this.#state === 'receive' && !this.#isStopped && this.limit.isDue;
  }

  /** Takes a STREAM frame. */
  receive({ offset, data, isLast }: StreamData): Violation | undefined {
    const end = offset + data.length;
    const wrong = this.#buffer.sizeViolation(end, isLast) ?? this.#count(end);
    if (wrong) return wrong;
    const refused = this.#buffer.receive(offset, data, isLast);
    this.#settle();
    return refused;
  }

  /** Takes RESET_STREAM. Drops bytes that were not read, unless all were received (RFC 9000 3.2). */
  reset(finalSize: number): Violation | undefined {
    const wrong = this.#buffer.sizeViolation(finalSize, true) ?? this.#count(finalSize);
    if (wrong || !this.#step('reset')) return wrong;
    this.#buffer.discard();
    this.#buffer.receive(finalSize, NOTHING, true);
    this.#settle();
    return undefined;
  }

  /** The next bytes in order; undefined if there are none yet. */
  read(): Buffer | undefined {
    const bytes = this.#buffer.read();
    if (bytes) this.#settle();
    return bytes;
  }

  /**
   * Drops what was not read, and what will be received. Flow control still counts it (RFC 9000 3.5).
   *
   * @returns whether to send STOP_SENDING
   */
  stop(): boolean {
    if (this.#isStopped || this.isClosed) return false;
    this.#isStopped = true;
    this.#buffer.discard();
    this.#settle();
    return this.#state === 'receive';
  }

  /** Counts bytes up to an offset as received (RFC 9000 4.1). */
  #count(end: number): Violation | undefined {
    const more = end - this.#buffer.end;
    if (more <= 0) return undefined;
    if (!this.limit.receive(more)) return exceeded(`${end} bytes of a stream`, this.limit);
    if (!this.#connection.receive(more)) return exceeded('bytes of all streams', this.#connection);
    return undefined;
  }

  /** Returns credit for what was read or dropped, and takes the steps that follow from what was received. */
  #settle(): void {
    const more = this.#buffer.offset - this.#consumed;
    this.#consumed += more;
    this.limit.consume(more);
    this.#connection.consume(more);
    if (this.#buffer.finalSize === undefined) return;
    this.#step('finish');
    if (this.#buffer.isComplete) this.#step('all-received');
    if (this.#buffer.isRead) this.#step('read');
  }

  #step(step: ReceivingStep): boolean {
    const next = receivingStateAfter(this.#state, step);
    if (next) this.#state = next;
    return next !== undefined;
  }
}

const exceeded = (what: string, { limit }: OwnLimit): Violation =>
  violation('RFC 9000 4.1', `${what} above the limit of ${limit}`, 'FLOW_CONTROL_ERROR');
