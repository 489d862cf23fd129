import type { CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { IdleTimer } from '../../net/idle-timer.ts';
import { isResponseLate, type Exchange } from '../../server/exchange.ts';
import { OLD_IDLE, type Limits } from '../../server/limits.ts';
import { WriteStall } from '../write-stall.ts';
import type { Http1Connection } from './connection.ts';
import { requestTimeoutProblem } from './problem-message.ts';

/** The time limits of an HTTP/1.x connection, checked at intervals. */
export class TimeLimits {
  readonly #http1: Http1Connection;
  readonly #connection: TcpConnection;
  readonly #limits: Limits;
  readonly #idleTimer: IdleTimer;
  /** The request whose time limit was renewed because its content had made progress, and when. */
  #renewed: { readonly exchange: Exchange; readonly at: number } | undefined;
  readonly #writeStall: WriteStall;

  constructor(http1: Http1Connection, limits: Limits) {
    const { idleTimeout, sweepInterval } = limits;
    this.#http1 = http1;
    this.#connection = http1.connection;
    this.#limits = limits;
    this.#writeStall = new WriteStall(http1.connection, limits);
    this.#idleTimer = new IdleTimer(this.#connection, idleTimeout, sweepInterval, () =>
      this.closeIdle(performance.now(), idleTimeout, 'idle-timeout'),
    );
  }

  /** Closes the connection if it has been idle for `duration` milliseconds. @param now from performance.now() */
  closeIdle(now: number, duration: number, reason: CloseReason): void {
    const http1 = this.#http1;
    if (!http1.isServing || this.#connection.idleFor(now) < duration) return;
    // A request that has begun to arrive has a time limit of its own.
    if (!http1.isReceiving) http1.close('graceful', reason);
  }

  /** Enforces the limits. Call at intervals. @param now from performance.now() */
  checkTimeLimits(now: number): void {
    const http1 = this.#http1;
    const { oldest } = http1;
    const { answerTimeout, maxConnectionAge } = this.#limits;
    if (oldest && this.#connection.mayBeGone) this.#connection.detectReset();
    if (this.#writeStall.isReached(now)) http1.close('reset', 'stalled');
    if (this.#connection.requests.total > 0) this.#idleTimer.check(now);
    if (now - this.#connection.openedAt >= maxConnectionAge) {
      http1.reachMaxAge();
      this.closeIdle(now, OLD_IDLE, 'connection-age');
    }
    if (oldest && isResponseLate(oldest, now, answerTimeout))
      http1.close('reset', 'answer-timeout');
    this.#checkArriving(now);
  }

  /** Refuses a head or content that is late. Empty lines before the first request do not extend its time. */
  #checkArriving(now: number): void {
    const http1 = this.#http1;
    const { arriving } = http1;
    const { headerTimeout, requestTimeout } = this.#limits;
    if (arriving) {
      const renewed = this.#renewed?.exchange === arriving ? this.#renewed.at : 0;
      if (now - Math.max(renewed, http1.receivingSince) < requestTimeout) return;
      if (arriving.isProgressing?.() === true) this.#renewed = { exchange: arriving, at: now };
      else http1.refuseIncomplete(requestTimeoutProblem());
      return;
    }
    if (!http1.isServing || !(http1.isReceiving || this.#connection.requests.total === 0)) return;
    if (http1.isWaiting) http1.restartTime(now);
    else if (now - http1.receivingSince >= Math.min(headerTimeout, requestTimeout)) {
      http1.refuseIncomplete(requestTimeoutProblem());
    }
  }
}
