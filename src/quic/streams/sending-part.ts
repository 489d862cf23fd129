import type { PeerLimit } from './flow-control.ts';
import { sendingStateAfter, type SendingState, type SendingStep } from './part-state.ts';
import { SendBuffer, type StreamData } from './send-buffer.ts';

/** The sending part of a stream (RFC 9000 3.1), with its flow control and that of the connection. */
export class SendingPart {
  /** Bytes of this stream. */
  readonly limit: PeerLimit;
  /** Bytes of all streams. */
  readonly #connection: PeerLimit;
  readonly #buffer = new SendBuffer();
  #state: SendingState = 'ready';

  constructor(limit: PeerLimit, connection: PeerLimit) {
    this.limit = limit;
    this.#connection = connection;
  }

  get state(): SendingState {
    return this.#state;
  }

  /** Whether all data, or the reset, was acknowledged. */
  get isClosed(): boolean {
    return this.#state === 'data-received' || this.#state === 'reset-received';
  }

  /** Bytes that were written, and never sent. */
  get waiting(): number {
    return this.#buffer.end - this.#buffer.sent;
  }

  /** Bytes that were sent at least once: the final size if the stream is reset. */
  get sent(): number {
    return this.#buffer.sent;
  }

  /** Offset of what `take` gives next. */
  get nextOffset(): number {
    return this.#buffer.nextOffset;
  }

  /** Whether there is something to send that needs no flow-control credit: lost bytes, or only FIN. */
  get needsNoCredit(): boolean {
    return this.#buffer.needsNoCredit;
  }

  /** Whether new bytes can be sent if the connection has credit. */
  get hasNewData(): boolean {
    return this.waiting > 0 && this.limit.left > 0;
  }

  /** Whether to send STREAM_DATA_BLOCKED. */
  get isBlocked(): boolean {
    return this.waiting > 0 && this.limit.isBlocked;
  }

  /** Appends bytes, which must not change afterwards. @returns false if the part has ended or was reset */
  write(bytes: Buffer, isLast: boolean): boolean {
    if (this.#buffer.isEnded || this.#isReset) return false;
    this.#buffer.append(bytes);
    if (isLast) this.#buffer.finish();
    return true;
  }

  /** Takes what a STREAM frame carries. @param max bytes of data, at least 1 */
  take(max: number): StreamData | undefined {
    const { sent } = this.#buffer;
    const limit = Math.min(this.limit.limit, sent + this.#connection.left);
    const taken = this.#buffer.take(max, limit);
    if (!taken) return undefined;
    const more = this.#buffer.sent - sent;
    this.limit.use(more);
    this.#connection.use(more);
    this.#step('send');
    if (this.#buffer.isSent) this.#step('finish');
    return taken;
  }

  /** Notes that STREAM_DATA_BLOCKED is sent. @returns its limit */
  announceBlocked(): number {
    this.#step('send');
    return this.limit.announceBlocked();
  }

  /** Drops what is not acknowledged. @returns whether to send RESET_STREAM */
  reset(): boolean {
    if (!this.#step('reset')) return false;
    this.#buffer.clear();
    return true;
  }

  acknowledge({ offset, data, isLast }: StreamData): void {
    this.#buffer.acknowledge(offset, offset + data.length, isLast);
    if (this.#buffer.isAcknowledged) this.#step('all-acknowledged');
  }

  lose({ offset, data, isLast }: StreamData): void {
    this.#buffer.lose(offset, offset + data.length, isLast);
  }

  acknowledgeReset(): void {
    this.#step('reset-acknowledged');
  }

  get #isReset(): boolean {
    return this.#state === 'reset-sent' || this.#state === 'reset-received';
  }

  #step(step: SendingStep): boolean {
    const next = sendingStateAfter(this.#state, step);
    if (next) this.#state = next;
    return next !== undefined;
  }
}
