import type { CloseMethod, CloseReason } from '../../../net/close-reason.ts';
import type { TcpConnection } from '../../../net/tcp-connection.ts';
import type { FieldLines } from '../../../http/fields.ts';
import { sendAtRate, type FaultStage } from '../../../server/fault-plan.ts';
import { isWhole, splitIntoPieces, type Payload } from '../../../server/payload.ts';
import type { Delivery } from '../../../server/pump.ts';
import type { SessionControl } from '../../../server/request.ts';
import { ErrorCode } from '../../../wire/http2/names.ts';
import type { SoundResponse } from '../../http2-shared/exchange.ts';
import type { Http2Step } from '../../http2-shared/faults/plan.ts';
import type { Output } from '../output.ts';
import type { ResponseSink } from '../response-sink.ts';

/** A session, as faults use it. */
export interface FaultySession {
  readonly connection: TcpConnection;
  readonly control: SessionControl;
  readonly output: Output;
  readonly http2: {
    readonly outputLength: number;
    sendRaw(bytes: Uint8Array): void;
    clearTable(): void;
    goAway(code: number, lastStream?: number, debugData?: Uint8Array): void;
  };
  /** Ends requests without a frame. @param above only on streams with higher identifiers */
  abandon(code: number, above: number): void;
  /** Closes the connection without GOAWAY. */
  cut(how: CloseMethod, reason: CloseReason): void;
  /** Resolves when no request is open. */
  untilIdle(): Promise<void>;
}

/** An exchange, as faults use it. */
export interface FaultyExchange extends Delivery {
  readonly native: { padding: number };
  readonly isFinished: boolean;
  whenFinished(call: () => void): void;
  markBegun(): void;
  begin(status: number, fields: readonly string[], isEnd: boolean): void;
  beginVerbatim(status: number, section: FieldLines, isEnd: boolean): void;
  send(payload: Payload): void;
  sink(): ResponseSink;
  reset(code: number): void;
  abandon(): void;
}

const PIECE = 32 * 1024;
/** Bytes of frames from which a fault waits until they have been written. */
const MAX_QUEUED = 64 * 1024;
/** Milliseconds without a written byte after which the client counts as one that does not read. */
const FLUSH_TIMEOUT = 1000;
/** Maximum milliseconds to wait for the acknowledgement of a PING. */
const PING_TIMEOUT = 1000;

/** Sends a faulty response in the frames of its connection. */
export class EngineFaultStage implements FaultStage<Http2Step> {
  readonly delivery: FaultyExchange;
  readonly #response: SoundResponse;
  readonly #session: FaultySession;
  /** Resolves when the exchange has ended. */
  readonly #ended: Promise<void>;
  #hasBegun = false;

  constructor(exchange: FaultyExchange, response: SoundResponse, session: FaultySession) {
    this.delivery = exchange;
    this.#response = response;
    this.#session = session;
    this.#ended = new Promise((resolve) => {
      exchange.whenFinished(resolve);
    });
  }

  get signal(): AbortSignal {
    return this.delivery.signal;
  }

  async bytes(pieces: Iterable<Uint8Array>): Promise<boolean> {
    const { http2, output, connection } = this.#session;
    this.delivery.markBegun();
    for (const piece of pieces) {
      http2.sendRaw(piece);
      output.schedule();
      if (http2.outputLength > MAX_QUEUED) await this.#written();
      if (connection.stream.destroyed) return false;
    }
    await this.#written();
    return !connection.stream.destroyed;
  }

  /** No other frame may come in between, so those of other streams wait. */
  async sendAtRate(bytes: Uint8Array, rate: number): Promise<boolean> {
    const { http2, output, connection } = this.#session;
    // All who have waited for another such response go on at once.
    do {
      await this.#written();
      if (this.delivery.isFinished) return false;
    } while (!output.hold());
    // The bytes are a field block of another encoder, and blocks that are made meanwhile follow it.
    http2.clearTable();
    this.delivery.markBegun();
    this.#hasBegun = true;
    let sent = 0;
    try {
      const send = (piece: Uint8Array): Promise<boolean> => {
        sent += piece.length;
        return output.writeHeld(piece);
      };
      return await sendAtRate(bytes, rate, this.delivery.signal, send);
    } catch (error) {
      // The stream has ended, but frames of others can only follow a whole one.
      if (!connection.stream.destroyed) await output.writeHeld(bytes.subarray(sent));
      throw error;
    } finally {
      output.release();
    }
  }

  sizeOf(left: number): number {
    return Math.min(left, PIECE);
  }

  async content(piece: Buffer): Promise<boolean> {
    const sink = this.delivery.sink();
    if (sink.destroyed) return false;
    const written = new Promise<void>((resolve) => {
      sink.write(piece, 'latin1', () => resolve());
    });
    await Promise.race([written, this.#ended]);
    return !sink.destroyed;
  }

  /** Closes the connection without GOAWAY, after all frames have been written; a reset does not wait for them. */
  async close(how: CloseMethod): Promise<void> {
    const isWritten = how !== 'reset' && (await this.#written());
    // Otherwise the system would keep the bytes for a client that does not read.
    this.#session.cut(isWritten ? how : 'reset', 'fault');
  }

  async own(step: Http2Step): Promise<boolean> {
    const exchange = this.delivery;
    const { control } = this.#session;
    const { status, content } = this.#response;
    switch (step.kind) {
      case 'begin':
        if (!this.#hasBegun && !exchange.isFinished) {
          exchange.begin(status, step.fields, this.#response.endsWithHead);
          exchange.sink().trailersOf(content);
        }
        this.#hasBegun = true;
        return true;
      case 'begin-verbatim':
        exchange.beginVerbatim(status, step.fields.flat(), this.#response.endsWithHead);
        return true;
      case 'respond':
        exchange.send(content);
        return true;
      case 'respond-padded':
        await this.#sendPadded(step.size, step.padding);
        return true;
      case 'end-stream':
        exchange.sink().end();
        return true;
      case 'flush':
      case 'begun':
        await this.#written();
        // What concerns the connection follows a response that is complete, too.
        return step.kind === 'flush' || this.#response.endsWithHead || !exchange.isFinished;
      case 'reset':
        exchange.reset(step.code);
        return true;
      case 'goaway':
        this.#session.http2.goAway(step.code, step.lastStream, step.debug);
        this.#session.output.schedule();
        // The client may send the requests above the last one again (RFC 9113 6.8).
        this.#session.abandon(ErrorCode.refusedStream, step.lastStream ?? Infinity);
        return true;
      case 'round-trip':
        await control.ping(PING_TIMEOUT);
        return true;
      case 'idle':
        await this.#session.untilIdle();
        return true;
      case 'keep':
        exchange.abandon();
        return true;
      case 'alone':
      case 'padded':
        throw new Error(`${step.kind}: for sessions that cannot send any frame`);
    }
  }

  /** Resolves when all frames made so far have been written. @returns false if the client reads nothing for a while */
  async #written(): Promise<boolean> {
    const { output, connection } = this.#session;
    let progress = connection.writeProgress;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (progress === connection.writeProgress) resolve(false);
        else timer.refresh();
        progress = connection.writeProgress;
      }, FLUSH_TIMEOUT).unref();
      output.afterSent(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  async #sendPadded(size: number, padding: number): Promise<void> {
    const exchange = this.delivery;
    const { content } = this.#response;
    const whole = isWhole(content) ? content : 'content' in content ? content.content : '';
    const source = splitIntoPieces(whole ?? '');
    exchange.native.padding = padding;
    for (let piece = source.next(size); piece; piece = source.next(size)) {
      exchange.bytes += piece.length;
      if (!(await this.content(Buffer.from(piece)))) return;
    }
    exchange.native.padding = 0;
    exchange.sink().end();
  }
}
