import type { ServerHttp2Session } from 'node:http2';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { JavaScriptSocket } from '../../net/javascript-socket.ts';
import { queuedBytes } from '../../net/node-internals.ts';
import { turns } from '../../net/scheduler.ts';

/** Minimum milliseconds between two checks. The interval doubles while nothing is sent. */
const MIN_INTERVAL = 5;
/** Maximum milliseconds between two checks. */
const MAX_INTERVAL = 640;

/** A call that waits for the bytes queued before it. */
interface Waiting {
  /** Number of the write in progress when the call was made. */
  readonly write: number;
  readonly call: () => void;
}

/**
 * The bytes that a session still has to send. nghttp2 closes a stream when its last frame is serialized, but the bytes
 * stay in memory until the client reads. Node writes them natively, without an event, so they have to be polled.
 */
export class Backlog {
  readonly #session: ServerHttp2Session;
  readonly #connection: TcpConnection;
  readonly #inspected: JavaScriptSocket | undefined;
  readonly #stallTimeout: number;
  readonly #waiting: Waiting[] = [];
  readonly #large: (() => void)[] = [];
  /** Whether sending the next large header section is already scheduled. */
  #isInTurn = false;
  #isChecking = false;
  #interval = 0;
  #progress = { sent: 0, at: 0 };

  /** @param stallTimeout milliseconds without a sent byte after which the connection is reset, if a call waits */
  constructor(
    session: ServerHttp2Session,
    connection: TcpConnection,
    inspected: JavaScriptSocket | undefined,
    stallTimeout: number,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.#inspected = inspected;
    this.#stallTimeout = stallTimeout;
  }

  /** Whether frames other than DATA are queued. Those in nghttp2 count only until they are serialized. */
  get hasFrames(): boolean {
    const { destroyed, state } = this.#session;
    if (destroyed) return false;
    return (state.outboundQueueSize ?? 0) > 0 || (this.#inspected?.writableLength ?? 0) > 0;
  }

  /** Calls the function once everything queued now has been written to the socket or dropped. */
  afterSent(call: () => void): void {
    if (this.#isEmpty) call();
    else {
      this.#waiting.push({ write: this.#write, call });
      this.#checkLater();
    }
  }

  /**
   * Calls functions that send large header sections one at a time, each within the turn budget and after the previous
   * one has been written. nghttp2 would serialize all queued ones together.
   */
  sendLarge(send: () => void): void {
    this.#large.push(send);
    this.#sendNext();
  }

  /** Call when the socket has closed, which drops queued bytes. */
  onSocketClosed(): void {
    this.#check();
  }

  /** Whether the system has taken all bytes that the session has written. The session itself may have queued more. */
  get isWritten(): boolean {
    return queuedBytes(this.#connection.stream) + (this.#inspected?.writableLength ?? 0) === 0;
  }

  get #isEmpty(): boolean {
    return this.#connection.stream.destroyed || (!this.hasFrames && this.isWritten);
  }

  /** A number that changes with each write of the session. At most one write is in progress. */
  get #write(): number {
    return this.#inspected?.writes ?? this.#connection.stream.bytesWritten;
  }

  #sendNext(): void {
    if (this.#isInTurn || this.#large.length === 0) return;
    if (!this.#isEmpty) {
      this.#checkLater();
      return;
    }
    this.#isInTurn = true;
    turns.run(() => {
      this.#isInTurn = false;
      this.#large.shift()?.();
      // Checked later, because Node writes only in a later immediate.
      if (this.#large.length > 0) this.#checkLater();
    });
  }

  #checkLater(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const check = (): void => {
      this.#isChecking = false;
      this.#check();
    };
    if (this.#interval === 0) {
      this.#progress = { sent: this.#connection.writeProgress, at: performance.now() };
      setImmediate(check);
    } else setTimeout(check, this.#interval).unref();
  }

  #check(): void {
    const isEmpty = this.#isEmpty;
    const write = this.#write;
    const first = this.#waiting.findIndex((waiting) => !isEmpty && waiting.write === write);
    const sent = this.#waiting.splice(0, first < 0 ? this.#waiting.length : first);
    for (const { call } of sent) call();
    if (isEmpty || !this.#isStalled()) {
      if (isEmpty) this.#interval = 0;
      this.#sendNext();
      if (this.#waiting.length > 0) this.#checkLater();
    }
  }

  #isStalled(): boolean {
    const sent = this.#connection.writeProgress;
    const now = performance.now();
    const hasProgressed = sent !== this.#progress.sent;
    if (hasProgressed) this.#progress = { sent, at: now };
    this.#interval = hasProgressed
      ? MIN_INTERVAL
      : Math.min(MAX_INTERVAL, Math.max(MIN_INTERVAL, 2 * this.#interval));
    if (now - this.#progress.at < this.#stallTimeout) return false;
    // A reset, because the system would otherwise keep queued bytes for a client that does not read.
    this.#connection.close('reset', 'stalled');
    return true;
  }
}
