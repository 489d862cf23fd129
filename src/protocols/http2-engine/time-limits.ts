import { Problem } from '../../http/problem.ts';
import type { CloseMethod, CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { isResponseLate } from '../../server/exchange.ts';
import type { Limits } from '../../server/limits.ts';
import type { SessionControl } from '../../server/request.ts';
import type { Http2Connection } from '../../wire/http2/connection.ts';
import { ErrorCode } from '../../wire/http2/names.ts';
import type { SessionClose } from '../http2-shared/session.ts';
import { WriteStall } from '../write-stall.ts';
import type { EngineExchange } from './exchange.ts';
import { Liveness } from './liveness.ts';

/** Bytes of a response that were sent, and since when their number has not changed, from performance.now(). */
interface Progress {
  readonly sent: number;
  readonly since: number;
}

/** The session whose limits are enforced. */
export interface LimitedSession {
  readonly connection: TcpConnection;
  readonly http2: Http2Connection<EngineExchange>;
  readonly control: SessionControl;
  readonly isOver: boolean;
  close(...close: SessionClose): void;
  /** Closes the session if it is idle or old. */
  checkAge(now: number): void;
  /** Closes the connection without GOAWAY. */
  cut(how: CloseMethod, reason: CloseReason): void;
}

/** The time limits of requests and responses, and of the bytes of a connection. Checked at intervals. */
export class TimeLimits {
  readonly #session: LimitedSession;
  readonly #limits: Limits;
  readonly #liveness: Liveness;
  /** Responses with content that waits. */
  #waiting = new Map<EngineExchange, Progress>();
  readonly #writeStall: WriteStall;
  /** When the field section that is arriving was first seen. */
  #incompleteSince: number | undefined;

  constructor(session: LimitedSession, limits: Limits) {
    const { connection, control } = session;
    const { silence } = limits;
    this.#session = session;
    this.#limits = limits;
    this.#writeStall = new WriteStall(connection, limits);
    this.#liveness = new Liveness(connection, () => void control.ping(silence), silence);
  }

  /** Enforces the limits. Call at intervals. @param now from performance.now() */
  check(now: number): void {
    const session = this.#session;
    if (this.#writeStall.isReached(now)) session.cut('reset', 'stalled');
    if (session.isOver) return;
    session.checkAge(now);
    if (this.#isBlockLate(now)) session.close('calm', 'header-timeout');
    if (session.isOver) return;
    this.#checkStreams(now);
    if (this.#liveness.isSilent(now)) session.close('abort', 'silent');
  }

  /** Ends streams that are late, or whose client takes nothing. */
  #checkStreams(now: number): void {
    const { requestTimeout, answerTimeout, stallTimeout, lingerTime } = this.#limits;
    const before = this.#waiting;
    this.#waiting = new Map();
    for (const { owner: exchange } of this.#session.http2.openStreams) {
      if (!exchange) continue;
      if (isResponseLate(exchange, now, answerTimeout)) {
        exchange.resetFor('answer-timeout', ErrorCode.cancel);
        continue;
      }
      if (this.#isStalled(exchange, before.get(exchange), now, stallTimeout)) {
        exchange.resetFor('stalled', ErrorCode.cancel);
        continue;
      }
      if (exchange.isReceived || now - exchange.arrivingSince < requestTimeout) continue;
      if (exchange.isProgressing?.() === true) exchange.arrivingSince = now;
      else {
        exchange.arrivingSince = Infinity;
        const problem = new Problem('request-timeout', 'the request was not complete in time');
        exchange.endLateContent(problem, lingerTime);
      }
    }
  }

  /** A client that acknowledges every PING may still block responses with its flow-control windows (RFC 9113 5.2). */
  #isStalled(
    exchange: EngineExchange,
    last: Progress | undefined,
    now: number,
    limit: number,
  ): boolean {
    const { unsent } = exchange;
    if (unsent === 0) return false;
    const sent = exchange.bytes - unsent;
    const progress = last?.sent === sent ? last : { sent, since: now };
    this.#waiting.set(exchange, progress);
    return now - progress.since >= limit;
  }

  /** Call with each complete field section. */
  endBlock(): void {
    this.#incompleteSince = undefined;
  }

  /** Whether a field section takes longer than the limit: until it is complete, no other frame may follow (RFC 9113 4.3). */
  #isBlockLate(now: number): boolean {
    if (!this.#session.http2.isWithinBlock) {
      this.#incompleteSince = undefined;
      return false;
    }
    this.#incompleteSince ??= now;
    return now - this.#incompleteSince >= this.#limits.headerTimeout;
  }
}
