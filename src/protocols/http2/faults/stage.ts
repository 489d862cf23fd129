import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { CloseMethod, CloseReason } from '../../../net/close-reason.ts';
import type { TcpConnection } from '../../../net/tcp-connection.ts';
import { resetStream, respondVerbatim } from '../../../net/node-internals-http2.ts';
import { sendAtRate, type FaultStage } from '../../../server/fault-plan.ts';
import type { Payload } from '../../../server/payload.ts';
import type { ClientStart, SessionControl } from '../../../server/request.ts';
import type { ExchangeObserver } from '../../../server/observer.ts';
import { pump, type Delivery } from '../../../server/pump.ts';
import type { Backlog } from '../backlog.ts';
import type { DetachedConnection } from '../detached-connection.ts';
import { sendPadded } from './padded.ts';
import type { SoundResponse } from '../../http2-shared/exchange.ts';
import type { Http2Step } from '../../http2-shared/faults/plan.ts';
import { responseWindow } from '../../http2-shared/response-window.ts';

/** The session of a faulty response. */
export interface FaultySession {
  readonly control: SessionControl;
  readonly opening: ClientStart;
  readonly connection: TcpConnection;
  readonly native: ServerHttp2Session;
  readonly backlog: Backlog;
  readonly observer: ExchangeObserver;
  readonly streams: {
    /** Resolves when no stream is open. */
    untilIdle(): Promise<void>;
    /** Resolves when all open streams wait for this, or after a limit in milliseconds. */
    untilAlone(stream: ServerHttp2Stream, limit: number): Promise<void>;
  };
  /** Sends GOAWAY. Open streams are completed (RFC 9113 6.8). */
  close(how: 'graceful', reason: CloseReason): void;
  /** Ends the session without sending a frame. @returns undefined if it has already ended */
  detach(): DetachedConnection | undefined;
}

/** An exchange, as faults use it. */
export interface FaultyExchange extends Delivery {
  readonly native: ServerHttp2Stream;
  /** Sends HEADERS. @param content may have trailers, which then follow it */
  begin(status: number, fields: readonly string[], content: Payload): void;
  /** Call when HEADERS have been sent in another way. */
  markBegun(): void;
}

const PIECE = 32 * 1024;
/** Maximum milliseconds to wait until queued frames have been sent. */
const FLUSH_TIMEOUT = 1000;
const POLL_INTERVAL = 5;
/** Maximum milliseconds to wait for the acknowledgement of a PING. */
const PING_TIMEOUT = 1000;
/** Maximum milliseconds for which slow-head, padding and uppercase wait for other streams. Other faults cut them off. */
const OTHERS_TIMEOUT = 10_000;

/** Sends a faulty response through node:http2 or, once the session is detached, directly on the connection. */
export class Http2FaultStage implements FaultStage<Http2Step> {
  readonly delivery: FaultyExchange;
  readonly #response: SoundResponse;
  readonly #stream: ServerHttp2Stream;
  readonly #session: FaultySession;
  #detached: DetachedConnection | undefined;

  constructor(exchange: FaultyExchange, response: SoundResponse, session: FaultySession) {
    this.delivery = exchange;
    this.#response = response;
    this.#stream = exchange.native;
    this.#session = session;
  }

  get signal(): AbortSignal {
    return this.#detached?.signal ?? this.delivery.signal;
  }

  async bytes(pieces: Iterable<Uint8Array>): Promise<boolean> {
    const connection = await this.#detach();
    return (await connection?.send(pieces)) ?? false;
  }

  async sendAtRate(bytes: Uint8Array, rate: number): Promise<boolean> {
    const connection = await this.#detach();
    if (!connection) return false;
    return sendAtRate(bytes, rate, connection.signal, (piece) => connection.send([piece]));
  }

  sizeOf(left: number): number {
    return Math.min(left, PIECE);
  }

  async content(piece: Buffer): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.#stream.write(piece, () => resolve());
    });
    return !this.#stream.destroyed;
  }

  /** Closes the connection without GOAWAY, after all written bytes have been sent; a reset does not wait for them. */
  async close(how: CloseMethod): Promise<void> {
    if (this.#detached) {
      this.#detached.close(how);
      return;
    }
    const connection = this.#session.detach();
    if (!connection) return;
    if (how === 'reset' || (await connection.send())) connection.close(how);
  }

  async own(step: Http2Step): Promise<boolean> {
    const { status, content } = this.#response;
    const exchange = this.delivery;
    const stream = this.#stream;
    const { native, streams, connection } = this.#session;
    switch (step.kind) {
      case 'begin':
        if (!stream.destroyed && !stream.headersSent) exchange.begin(status, step.fields, content);
        return true;
      case 'begin-verbatim':
        respondVerbatim(stream, step.fields);
        exchange.markBegun();
        return true;
      case 'respond':
        // Node has already ended the stream if the method or the status allows no content.
        if (!stream.writableEnded) pump(stream, content, responseWindow(connection), exchange);
        return true;
      case 'end-stream':
        if (!stream.destroyed) stream.end();
        return true;
      case 'flush':
        await this.#flush();
        return true;
      case 'begun':
        await this.#flush();
        // Without an error, the stream has ended normally, as after a response without content.
        return !stream.destroyed || stream.rstCode === constants.NGHTTP2_NO_ERROR;
      case 'reset':
        if (!stream.destroyed && !stream.closed) resetStream(stream, step.code);
        return true;
      case 'goaway':
        if (native.destroyed) return false;
        // Node takes 0 for the last stream that it has processed.
        native.goaway(step.code, step.lastStream ?? 0, step.debug);
        return true;
      case 'round-trip':
        await this.#session.control.ping(PING_TIMEOUT);
        return true;
      case 'idle':
        await streams.untilIdle();
        return true;
      case 'alone':
        await streams.untilAlone(stream, OTHERS_TIMEOUT);
        return !stream.destroyed;
      case 'padded': {
        const windows = { connection: native.state.remoteWindowSize ?? 0, stream: 0 };
        windows.stream = native.remoteSettings.initialWindowSize ?? 0;
        const id = stream.id ?? 0;
        await this.#detach();
        if (this.#detached) await sendPadded(this.#detached, id, step, content, windows);
        return false;
      }
      case 'keep':
        this.#detached?.keep();
        return true;
      case 'respond-padded':
        throw new Error('nghttp2 cannot pad the frames of one stream');
    }
  }

  /** Ends the session, unless that has been done, after the frames that it has queued, such as an interim response. */
  async #detach(): Promise<DetachedConnection | undefined> {
    if (!this.#detached) {
      await this.#flush();
      this.#detached = this.#session.detach();
    }
    return this.#detached;
  }

  /** Resolves when all frames other than DATA have been written, or the client has not read for a while. */
  async #flush(): Promise<void> {
    const deadline = performance.now() + FLUSH_TIMEOUT;
    await turn();
    while (this.#session.backlog.hasFrames && performance.now() < deadline) {
      await delay(POLL_INTERVAL, undefined, { ref: false });
    }
    // Deferred, so that the next step does not run within an nghttp2 callback.
    await turn();
  }
}
