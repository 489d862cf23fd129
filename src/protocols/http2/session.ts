import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Exchange, ExchangeObserver } from '../../server/exchange.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { Connection } from '../../net/connection.ts';
import type { CloseReason, TerminationReason } from '../../net/close-reason.ts';
import { LINGER_PERIODS } from '../../net/lingering-close.ts';
import { OpenStreams } from './open-streams.ts';
import { FloodLimits, type FloodLimitOptions } from './flood-limits.ts';
import { awaitContent, type ContentOptions } from './content.ts';
import { deferDestroy } from './destroy-session.ts';
import { Http2Exchange } from './exchange.ts';
import { HeaderSections } from './header-section.ts';

export interface Http2SessionOptions extends FloodLimitOptions, ContentOptions {
  /** Milliseconds for the first request, and for each header section, to arrive. */
  readonly headerTimeout: number;
  /** Milliseconds a session without open streams is kept. */
  readonly idleTimeout: number;
  /** Milliseconds an answer waits for a client that takes nothing of it. */
  readonly stallTimeout: number;
  /** Milliseconds an answer may take. */
  readonly answerTimeout: number;
  /** Requests of a session. */
  readonly maxRequests: number;
  /** Milliseconds without a byte until a PING is sent, and then until the session is cut. */
  readonly silence: number;
  /** Told of each request. */
  readonly dispatch: (exchange: Exchange) => void;
  readonly observer?: ExchangeObserver | undefined;
  /** Told of what came and never became a request. */
  readonly onRejected?: (connection: Connection, error: Error) => void;
}

/** One HTTP/2 connection: its streams, its health, and how it ends. */
export class Http2Session {
  readonly connection: Connection;
  readonly #session: ServerHttp2Session;
  readonly #destroyNow: () => void;
  readonly #options: Http2SessionOptions;
  readonly #answers = new OpenStreams();
  readonly #budget: FloodLimits;
  readonly #sections: HeaderSections;
  #bytes = 0;
  #silentSince = performance.now();
  #pinged = false;
  #destroyedAt: number | undefined;
  #isCalmed = false;

  /** @param isLast whether a session's first streams are to be its last */
  constructor(
    session: ServerHttp2Session,
    connection: Connection,
    options: Http2SessionOptions,
    isLast: () => boolean,
  ) {
    this.#sections = new HeaderSections(session, connection, (refused) => this.#rejected(refused));
    this.#destroyNow = deferDestroy(session, () => this.#sections.close());
    this.#session = session;
    this.connection = connection;
    this.#options = options;
    this.#budget = new FloodLimits(options);
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
      this.#sections.ended(stream.id ?? 0);
      // What else came in the bytes that were being read is not looked at.
      if (this.#isCalmed) return;
      const exchange = new Http2Exchange(stream, headers, flags, fields, connection);
      this.#answers.opened(stream, exchange);
      observer?.began?.(exchange);
      // Nothing has been sent yet, so this is what the client's WINDOW_UPDATE made of it.
      if (exchange.requestNumber === 1) connection.firstSendWindow = session.state.remoteWindowSize;
      // One listener serves all streams, unless the end of each is to be told.
      if (!observer) stream.on('close', onClose);
      else {
        stream.on('close', () => {
          onClose.call(stream);
          observer.finished(exchange, exchange.isComplete);
        });
      }
      options.dispatch(exchange);
      if (exchange.hasBody) awaitContent(stream, exchange, options);
      if (isLast()) this.drain();
      else if (exchange.requestNumber >= options.maxRequests) this.#finish('request-limit');
    };
    session.on('stream', onStream);
    const onControl = (): void => {
      if (this.#budget.controlFrame()) {
        this.#calm('flood', 'too many PING or SETTINGS frames');
      }
    };
    session.on('ping', onControl).on('remoteSettings', onControl);
    session.on('error', (error) => {
      connection.setError(error);
      if (connection.closeCause.reason === 'protocol-error') this.#rejected(error);
    });
  }

  /** Call when the socket has closed, before Node hears of it. */
  lost(): void {
    this.#sections.close();
  }

  /** GOAWAY; streams that are open are finished (RFC 9113 6.8). */
  drain(): void {
    this.#finish('draining');
  }

  closeIdle(now: number, patience: number, reason: CloseReason): void {
    if (this.connection.idleFor(now) < patience) return;
    // Without open streams only an incomplete header section keeps a session that is closing.
    if (this.#session.closed) this.#destroyNow();
    else this.#finish(reason);
  }

  /** At once, so not in the midst of nghttp2's reading. */
  destroy(): void {
    this.#destroyNow();
    this.connection.close('abort');
  }

  /** To be called every second. */
  renewBudget(): void {
    this.#budget.renew();
  }

  /** To be called at intervals. */
  sweep(now: number): void {
    const { headerTimeout, idleTimeout } = this.#options;
    if (this.#session.destroyed) {
      // It has said all it had to; the client may never close its side. While it still sends, such
      // as WINDOW_UPDATE, it may still be reading.
      const { bytesRead } = this.connection.socket;
      if (this.#destroyedAt === undefined || bytesRead !== this.#bytes) this.#silentSince = now;
      this.#destroyedAt ??= now;
      this.#bytes = bytesRead;
      const { lingerTime } = this.#options;
      const longest = this.#destroyedAt + LINGER_PERIODS * lingerTime;
      const end = Math.min(this.#silentSince + lingerTime, longest);
      if (now >= end) this.connection.close('abort');
      return;
    }
    if (this.connection.requests === 0) this.closeIdle(now, headerTimeout, 'header-timeout');
    else this.closeIdle(now, idleTimeout, 'idle-timeout');
    // Closing a session without streams ends it on the spot, and a PING on it throws.
    if (this.#session.destroyed) return;
    if (this.#sections.isLate(now, headerTimeout)) {
      // No other frame can come before the rest of the section (RFC 9113 4.3).
      this.#calm('header-timeout', 'a header section was not complete in time');
      return;
    }
    this.#cutAnswers(now);
    this.#checkSilence(now);
  }

  #cutAnswers(now: number): void {
    const { stallTimeout, answerTimeout } = this.#options;
    const { socket } = this.connection;
    const cut = (reason: TerminationReason, streams: readonly ServerHttp2Stream[]): void => {
      for (const stream of streams) {
        this.#options.onStreamAborted?.(reason, this.connection);
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
    const bytes = bytesRead + bytesWritten;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#silentSince = now;
      this.#pinged = false;
    }
    if (now - this.#silentSince < this.#options.silence) return;
    if (this.#pinged) {
      this.#destroyNow();
      this.connection.close('abort', 'silent');
      return;
    }
    // One that is closing sends no PING; answers that it still owes have limits of their own.
    this.#pinged = this.#session.closed ? this.#answers.areFinished : this.#session.ping(ignore);
    this.#silentSince = now;
  }

  #closeListener(): (this: ServerHttp2Stream) => void {
    const onClose = (stream: ServerHttp2Stream): void => {
      this.connection.requestFinished();
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

  #calm(reason: 'flood' | 'resets' | 'header-timeout', message: string): void {
    this.connection.setCloseReason(reason);
    if (this.#isCalmed) return;
    this.#isCalmed = true;
    this.connection.stopReading();
    this.#session.destroy(new Error(message), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #rejected(error: Error): void {
    this.#options.observer?.rejected(this.connection, error);
    this.#options.onRejected?.(this.connection, error);
  }

  #finish(reason: CloseReason): void {
    this.connection.setCloseReason(reason);
    this.#session.close();
  }
}

const ignore = (): void => undefined;
