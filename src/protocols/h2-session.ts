import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Exchange, ExchangeObserver } from '../http/exchange.ts';
import type { FieldLines } from '../http/fields.ts';
import { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';
import type { CloseReason, CutReason } from '../wire/ending.ts';
import { LINGER } from '../wire/linger.ts';
import { Answers } from './h2-answers.ts';
import { Budget, type BudgetOptions } from './h2-budget.ts';
import { endBehindReading } from './h2-ending.ts';
import { Http2Exchange } from './h2-exchange.ts';

export interface SessionOptions extends BudgetOptions {
  /** Milliseconds for the first request to arrive. */
  readonly headerTimeout: number;
  /** Milliseconds for the whole of a request to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds a session without open streams is kept. */
  readonly idleTimeout: number;
  /** Milliseconds an answer waits for a client that takes nothing of it. */
  readonly stallTimeout: number;
  /** Milliseconds an answer may take. */
  readonly answerTimeout: number;
  /** Requests of a session. */
  readonly maxRequests: number;
  /** Milliseconds without an octet until a PING is sent, and then until the session is cut. */
  readonly silence: number;
  /** Told of each request. */
  readonly dispatch: (exchange: Exchange) => void;
  readonly observer?: ExchangeObserver | undefined;
  /** Told of each stream that is cut without an answer that says so. */
  readonly onCut?: (reason: CutReason, connection: Connection) => void;
}

/** One HTTP/2 connection: its streams, its health, and how it ends. */
export class Session {
  readonly connection: Connection;
  readonly #session: ServerHttp2Session;
  readonly #destroyNow: () => void;
  readonly #options: SessionOptions;
  readonly #answers = new Answers();
  readonly #budget: Budget;
  #octets = 0;
  #silentSince = performance.now();
  #pinged = false;
  #endedAt: number | undefined;
  #isCalmed = false;

  /** @param isLast whether a session's first streams are to be its last */
  constructor(
    session: ServerHttp2Session,
    connection: Connection,
    options: SessionOptions,
    isLast: () => boolean,
  ) {
    this.#destroyNow = endBehindReading(session);
    this.#session = session;
    this.connection = connection;
    this.#options = options;
    this.#budget = new Budget(options);
    const { observer } = options;
    const onClose = this.#closeListener();
    const onStream = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      flags: number,
      fields: FieldLines,
    ): void => {
      // A stream's errors end it; dispatch hears of them through `gone`.
      stream.on('error', ignore);
      // What else came in the octets that were being read is not looked at.
      if (this.#isCalmed) return;
      const exchange = new Http2Exchange(stream, headers, flags, fields, connection);
      this.#answers.opened(stream, exchange);
      // Nothing has been sent yet, so this is what the client's WINDOW_UPDATE made of it.
      if (exchange.ordinal === 1) connection.firstWindow = session.state.remoteWindowSize;
      // One listener serves all streams, unless the end of each is to be told.
      if (!observer) stream.on('close', onClose);
      else {
        stream.on('close', () => {
          onClose.call(stream);
          observer.finished(exchange, stream.writableFinished);
        });
      }
      options.dispatch(exchange);
      if (exchange.hasContent) this.#awaitContent(stream, exchange);
      if (isLast()) this.drain();
      else if (exchange.ordinal >= options.maxRequests) this.#finish('request-limit');
    };
    session.on('stream', onStream);
    const onControl = (): void => {
      if (this.#budget.controlFrame()) {
        this.#calm('flood', 'too many PING or SETTINGS frames');
      }
    };
    session.on('ping', onControl).on('remoteSettings', onControl);
    session.on('error', (error) => {
      connection.failed(error);
      if (connection.ending.reason === 'protocol-error') observer?.rejected(connection, error);
    });
  }

  /** GOAWAY; streams that are open are finished (RFC 9113 6.8). */
  drain(): void {
    this.#finish('draining');
  }

  closeIdle(now: number, patience: number, reason: CloseReason): void {
    if (this.connection.idleFor(now) < patience) return;
    this.#finish(reason);
  }

  /** At once, so not in the midst of nghttp2's reading. */
  destroy(): void {
    this.#destroyNow();
    this.#cut();
  }

  /** To be called every second. */
  sweep(now: number): void {
    const { headerTimeout, idleTimeout } = this.#options;
    this.#budget.renew();
    if (this.#session.destroyed) {
      // It has said all it had to; the client may never close its side. While it still sends, such
      // as WINDOW_UPDATE, it may still be reading.
      const { bytesRead } = this.connection.socket;
      if (this.#endedAt === undefined || bytesRead !== this.#octets) this.#endedAt = now;
      this.#octets = bytesRead;
      if (this.#endedAt <= now - LINGER) this.#cut();
      return;
    }
    if (this.connection.requests === 0) this.closeIdle(now, headerTimeout, 'header-timeout');
    else this.closeIdle(now, idleTimeout, 'idle-timeout');
    // Closing a session without streams ends it on the spot, and a PING on it throws.
    if (this.#session.destroyed) return;
    this.#cutAnswers(now);
    this.#checkSilence(now);
  }

  #cutAnswers(now: number): void {
    const { stallTimeout, answerTimeout } = this.#options;
    const { socket } = this.connection;
    const cut = (reason: CutReason, streams: readonly ServerHttp2Stream[]): void => {
      for (const stream of streams) {
        this.#options.onCut?.(reason, this.connection);
        // One that we have closed ourselves waits for its answer to leave.
        if (stream.closed) stream.destroy();
        else stream.close(constants.NGHTTP2_CANCEL);
      }
    };
    for (const stream of this.#answers.abandoned()) {
      if (!stream.writableFinished) this.#fault();
      stream.destroy();
    }
    cut('stalled', this.#answers.stalled(now, stallTimeout, this.#session, socket));
    cut('answer-timeout', this.#answers.late(now, answerTimeout));
  }

  /**
   * On Node 20 an error that is fatal to nghttp2 ends a session without an event, and its socket
   * would stay for ever. Such a session does not even send the PING, and neither does one whose
   * client takes nothing more; a client that is only slow still does.
   */
  #checkSilence(now: number): void {
    const { bytesRead, bytesWritten } = this.connection.socket;
    const octets = bytesRead + bytesWritten;
    if (octets !== this.#octets) {
      this.#octets = octets;
      this.#silentSince = now;
      this.#pinged = false;
    }
    if (now - this.#silentSince < this.#options.silence) return;
    if (this.#pinged) {
      this.connection.closes('silent');
      this.destroy();
      return;
    }
    // One that is closing sends no PING; answers that it still owes have limits of their own.
    this.#pinged = this.#session.closed ? this.#answers.areOver : this.#session.ping(ignore);
    this.#silentSince = now;
  }

  #closeListener(): (this: ServerHttp2Stream) => void {
    const onClose = (stream: ServerHttp2Stream): void => {
      this.connection.requestEnded();
      this.#answers.closed(stream);
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) this.#fault();
    };
    return function listener(this: ServerHttp2Stream): void {
      onClose(this);
    };
  }

  #fault(): void {
    if (this.#budget.fault()) this.#calm('resets', 'too many streams ended with an error');
  }

  #calm(reason: 'flood' | 'resets', message: string): void {
    this.connection.closes(reason);
    if (this.#isCalmed) return;
    this.#isCalmed = true;
    this.connection.stopReading();
    this.#session.destroy(new Error(message), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  /** Content that does not come in time is answered with 408, or ends the stream behind its answer. */
  #awaitContent(stream: ServerHttp2Stream, exchange: Http2Exchange): void {
    // What the handler has left alone is read off: unread it would hold up the stream.
    if (stream.readableFlowing === null) stream.resume();
    const timer = setTimeout(() => {
      if (exchange.isSteady?.()) {
        timer.refresh();
        return;
      }
      if (stream.writableEnded) this.#options.onCut?.('request-timeout', this.connection);
      stream.emit('error', new Problem('request-timeout', 'the request was not complete in time'));
      setTimeout(() => {
        if (stream.writableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      }, LINGER).unref();
    }, this.#options.requestTimeout).unref();
    const stop = (): void => clearTimeout(timer);
    stream.once('end', stop).once('close', stop);
  }

  #finish(reason: CloseReason): void {
    this.connection.closes(reason);
    this.#session.close();
  }

  #cut(): void {
    (this.connection.tls ?? this.connection.socket).destroy();
  }
}

const ignore = (): void => undefined;
