import type { CloseReason } from '../../net/close-reason.ts';
import type { Connection } from '../../net/connection.ts';
import { IdleTimer } from '../../net/idle-timer.ts';
import { isResponseLate, type Exchange } from '../../server/exchange.ts';
import type { Limits } from '../../server/limits.ts';
import type { Http1Connection } from './connection.ts';
import { requestTimeoutProblem } from './problem-message.ts';

/** Milliseconds without a request after which an old connection is closed: the next one may be on its way. */
const OLD_IDLE = 1000;

/** Milliseconds by which a timer may differ from its interval. */
const TIMER_DEVIATION = 5;

/** The time limits of an HTTP/1.x connection, checked at intervals. */
export class TimeLimits {
  readonly #http1: Http1Connection;
  readonly #connection: Connection;
  readonly #limits: Limits;
  readonly #idleTimer: IdleTimer;
  /** The request whose time limit was renewed because its content had made progress, and when. */
  #renewed: { readonly exchange: Exchange; readonly at: number } | undefined;
  /** While data is pending: `writeProgress`, since when it has not changed, and when it was last checked. */
  #progress: { readonly value: number; readonly since: number; readonly seen: number } | undefined;

  constructor(http1: Http1Connection, limits: Limits) {
    const { idleTimeout, sweepInterval } = limits;
    this.#http1 = http1;
    this.#connection = http1.connection;
    this.#limits = limits;
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
    if (this.#isStalled(now)) http1.close('reset', 'stalled');
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

  /**
   * Whether the client has taken none of the pending data for as long as the limit. Over TLS, data may be pending
   * forever: Node loses the error of a write that OpenSSL itself makes, and with it every later write.
   */
  #isStalled(now: number): boolean {
    if (this.#connection.stream.writableLength === 0) {
      this.#progress = undefined;
      return false;
    }
    const { stallTimeout, sweepInterval } = this.#limits;
    const value = this.#connection.writeProgress;
    const isSame = this.#progress?.value === value;
    const { since, seen } = (isSame ? this.#progress : undefined) ?? { since: now, seen: now };
    this.#progress = { value, since, seen: now };
    // If the process was stopped or its event loop blocked, it is not known yet what the client has taken.
    const end = Math.min(now, seen + sweepInterval);
    return end - since >= stallTimeout - TIMER_DEVIATION;
  }
}
