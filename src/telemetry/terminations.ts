import type { Request } from '../server/request.ts';
import type { Log } from './log.ts';
import type { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import { exceededLimit, type TerminationReason } from '../net/close-reason.ts';
import type { ProxyHeaderError } from '../net/proxy-protocol/header.ts';
import type { RejectedMessage } from '../net/rejected-message.ts';
import { ClientCertificateError } from '../net/tls-server.ts';
import { redactForLog, type RedactPath } from './rejected-message.ts';
import type { Metrics } from './metrics.ts';

/** Minimum milliseconds between two log lines at info level about PROXY headers. */
const PROXY_FAULT_INTERVAL = 10_000;

/** Counts and logs terminated connections, streams and requests, and rejected messages. */
export class Terminations {
  readonly #log: Log;
  readonly #metrics: Metrics | undefined;
  readonly #redactPath: RedactPath;
  /** `performance.now()` of the last line at info level about a PROXY header. */
  #proxyFaultLoggedAt = -Infinity;
  /** Number of lines at debug level since then. */
  #suppressedProxyFaults = 0;

  constructor(log: Log, metrics: Metrics | undefined, redactPath: RedactPath) {
    this.#log = log;
    this.#metrics = metrics;
    this.#redactPath = redactPath;
  }

  /** @param connection undefined if it was closed right after it was accepted */
  readonly onTerminated = (reason: TerminationReason, connection?: Connection): void => {
    this.#metrics?.countTermination(reason);
    this.#log.debug({ conn: connection?.id, reason }, 'terminated');
  };

  /** Counts a problem response as a termination if the request exceeded a limit. */
  readonly onProblem = ({ connection }: Request, problem: Problem): void => {
    const limit = exceededLimit(problem);
    if (limit) this.onTerminated(limit, connection);
  };

  /** Counts and logs a message that was rejected with a response. */
  readonly onRejectedMessage = (
    { id }: Connection,
    { code, message, status }: Problem,
    rejected: RejectedMessage,
  ): void => {
    this.#metrics?.count(undefined, status);
    const view = redactForLog(rejected, this.#redactPath);
    // This detail contains the method, and the log must not contain unknown methods.
    const detail = code === 'not-implemented' ? undefined : message;
    this.#log.debug({ conn: id, code, detail, ...view }, 'message rejected');
  };

  /** Logs a message that was rejected without a response. */
  readonly onRejected = (
    { id }: Connection,
    { message }: Error,
    rejected?: RejectedMessage,
  ): void => {
    const view = rejected && redactForLog(rejected, this.#redactPath);
    this.#log.debug({ conn: id, detail: message, ...view }, 'message rejected');
  };

  /** Limits lines at info level, because a misconfigured proxy causes one per connection. */
  readonly onProxyFault = (
    { id, peerAddress: peer }: Connection,
    reason: ProxyHeaderError,
  ): void => {
    this.#metrics?.countProxyFault(reason);
    const now = performance.now();
    if (now < this.#proxyFaultLoggedAt + PROXY_FAULT_INTERVAL) {
      this.#suppressedProxyFaults++;
      this.#log.debug({ conn: id, peer, reason }, 'PROXY header rejected');
      return;
    }
    const more = this.#suppressedProxyFaults;
    this.#proxyFaultLoggedAt = now;
    this.#suppressedProxyFaults = 0;
    this.#log.info({ conn: id, peer, reason, ...(more > 0 && { more }) }, 'PROXY header rejected');
  };

  readonly onHandshakeFailed = ({ id, remoteAddress: remote }: Connection, error: Error): void => {
    const detail = error.message;
    if (error instanceof ClientCertificateError) {
      this.#log.info({ conn: id, remote, detail }, 'client certificate rejected');
    } else this.#log.debug({ conn: id, detail }, 'handshake failed');
  };
}
