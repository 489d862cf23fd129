import type { PrefaceCapture } from '../../net/client-preface.ts';
import type { CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { IdleTimer } from '../../net/idle-timer.ts';
import type { Exchange } from '../../server/exchange.ts';
import { OLD_IDLE, type ProtocolOptions } from '../../server/limits.ts';
import { observeBegin, type ExchangeObserver } from '../../server/observer.ts';
import type { ClientStart } from '../../server/request.ts';
import { FloodLimits } from './flood-limits.ts';
import { sessionPhaseAfter, type SessionPhase, type SessionStep } from './session-phase.ts';

/**
 * How a session is closed, and with it the connection:
 *
 * - graceful: sends GOAWAY; open streams are completed (RFC 9113 6.8). On wirebin's own frames, streams that cross the
 *   GOAWAY of an idle or old connection, or of a drain, are served too
 * - calm: sends GOAWAY with ENHANCE_YOUR_CALM; open streams end
 * - abort: destroys the connection
 *
 * The reason is omitted if the client has closed the connection.
 */
export type SessionClose =
  | [how: 'graceful' | 'abort', reason?: CloseReason]
  | [how: 'calm', reason: 'flood' | 'resets' | 'header-timeout'];

/** Why a session has ended with an error (RFC 9113 5.4.1). */
export class SessionFailed extends Error {
  /** As of the errors of Node's sessions: `causeFromError` tells by it who has closed the connection. */
  readonly code: 'ERR_HTTP2_ERROR' | 'ERR_HTTP2_SESSION_ERROR';

  constructor(message: string, code: SessionFailed['code']) {
    super(message);
    this.code = code;
  }
}

/** An HTTP/2 session: how the client began it, how far it is on the way to its end, and what ends it. */
export abstract class Session {
  readonly connection: TcpConnection;
  readonly observer: ExchangeObserver;
  protected readonly options: ProtocolOptions;
  protected readonly floodLimits: FloodLimits;
  readonly #preface: PrefaceCapture;
  readonly #idleTimer: IdleTimer;
  /** The connection-level send window, in bytes, when the first request arrived. */
  #firstSendWindow: number | undefined;
  #phase: SessionPhase = 'serving';

  constructor(connection: TcpConnection, preface: PrefaceCapture, options: ProtocolOptions) {
    const { idleTimeout, sweepInterval, observer } = options;
    this.connection = connection;
    this.observer = observer;
    this.options = options;
    this.floodLimits = new FloodLimits(options);
    this.#preface = preface;
    this.#idleTimer = new IdleTimer(connection, idleTimeout, sweepInterval, () => {
      this.closeIdle(performance.now(), idleTimeout, 'idle-timeout');
    });
  }

  get opening(): ClientStart {
    return { frames: this.#preface.frames, sendWindow: this.#firstSendWindow };
  }

  protected get phase(): SessionPhase {
    return this.#phase;
  }

  /** @returns whether the phase has changed */
  protected advance(step: SessionStep): boolean {
    const next = sessionPhaseAfter(this.#phase, step);
    this.#phase = next ?? this.#phase;
    return next !== undefined;
  }

  /** Whether no further stream is served, and open ones are not completed. */
  get isOver(): boolean {
    return this.#phase === 'ending' || this.#phase === 'detached' || this.#phase === 'closed';
  }

  /** The connection-level send window in bytes; undefined if the session has ended. */
  protected abstract readonly sendWindow: number | undefined;

  abstract close(...close: SessionClose): void;

  /** Has a request served. */
  protected serve(exchange: Exchange): void {
    const { dispatch, drainState, maxRequests, maxConnectionAge } = this.options;
    // No DATA has been sent yet, so the window is the initial one plus the client's WINDOW_UPDATE.
    if (exchange.requestNumber === 1) this.#firstSendWindow = this.sendWindow;
    observeBegin(this.observer, exchange);
    dispatch(exchange);
    // First, since the others may be announced, and serve further requests.
    if (exchange.requestNumber >= maxRequests) this.close('graceful', 'request-limit');
    else if (drainState.isDraining) this.close('graceful', 'draining');
    // Sent with a response, GOAWAY cannot cross the next request of a client that waits for this response.
    else if (exchange.receivedAt - this.connection.openedAt >= maxConnectionAge)
      this.close('graceful', 'connection-age');
  }

  /** Counts a stream that has ended with an error. */
  protected countReset(): void {
    if (this.floodLimits.countReset()) this.close('calm', 'resets');
  }

  /** Counts a frame that has to be acknowledged, or has no effect. */
  protected countControlFrame(): void {
    if (this.floodLimits.countControlFrame()) this.close('calm', 'flood');
  }

  closeIdle(now: number, duration: number, reason: CloseReason): void {
    if (this.isOver || this.connection.idleFor(now) < duration) return;
    // Without open streams, only an incomplete header section keeps a closing session alive.
    if (this.#phase === 'finishing') this.close('abort', reason);
    else this.close('graceful', reason);
  }

  /** Enforces the time limits. Call at intervals. @param now from performance.now() */
  abstract checkTimeLimits(now: number): void;

  /** Closes the session if it is idle or old. */
  checkAge(now: number): void {
    const { headerTimeout, maxConnectionAge } = this.options;
    const { requests, openedAt } = this.connection;
    if (requests.total === 0) this.closeIdle(now, headerTimeout, 'header-timeout');
    else this.#idleTimer.check(now);
    if (now - openedAt >= maxConnectionAge + OLD_IDLE) this.close('graceful', 'connection-age');
  }
}
