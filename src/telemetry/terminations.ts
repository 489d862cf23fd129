import type { Request } from '../server/request.ts';
import type { Log } from './log.ts';
import type { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import { exceededLimit, type TerminationReason } from '../net/close-reason.ts';
import type { ProxyHeaderError } from '../net/proxy-protocol/header.ts';
import type { RejectedMessage } from '../net/rejected-message.ts';
import { ClientCertificateError } from '../net/tls-server.ts';
import { loggedRefused, type ShownPath } from './rejected-message.ts';
import type { Metrics } from './metrics.ts';

/** Milliseconds between two lines at info level about PROXY headers. */
const PROXY_FAULT_INTERVAL = 10_000;

/** Counts what was cut, by reason, and logs it at debug level; what was wrong with it as well. */
export class Terminations {
  readonly #log: Log;
  readonly #metrics: Metrics | undefined;
  readonly #shownPath: ShownPath;
  /** By performance.now(). */
  #proxyFaultSaid = -Infinity;
  /** How many since then were logged at debug level only. */
  #proxyFaultsUnsaid = 0;

  constructor(log: Log, metrics: Metrics | undefined, shownPath: ShownPath) {
    this.#log = log;
    this.#metrics = metrics;
    this.#shownPath = shownPath;
  }

  /** @param connection absent where it was never taken up */
  readonly onCut = (reason: TerminationReason, connection?: Connection): void => {
    this.#metrics?.countCut(reason);
    this.#log.debug({ conn: connection?.id, reason }, 'cut');
  };

  /** A request that meets a limit is cut as well, by its answer. */
  readonly onProblem = ({ connection }: Request, problem: Problem): void => {
    const limit = exceededLimit(problem);
    if (limit) this.onCut(limit, connection);
  };

  /** A message that never became a request. */
  readonly onRefused = (
    { id }: Connection,
    { code, message, status }: Problem,
    refused: RejectedMessage,
  ): void => {
    this.#metrics?.count(undefined, status);
    const shown = loggedRefused(refused, this.#shownPath);
    // It may name a method, of which the log has only known ones.
    const detail = code === 'not-implemented' ? undefined : message;
    this.#log.debug({ conn: id, code, detail, ...shown }, 'message refused');
  };

  /** The same where no response tells of it. */
  readonly onRejected = (
    { id }: Connection,
    { message }: Error,
    refused?: RejectedMessage,
  ): void => {
    const shown = refused && loggedRefused(refused, this.#shownPath);
    this.#log.debug({ conn: id, detail: message, ...shown }, 'message refused');
  };

  /** A proxy that is set up otherwise than wirebin does so with every connection. */
  readonly onProxyFault = (
    { id, peerAddress: peer }: Connection,
    reason: ProxyHeaderError,
  ): void => {
    this.#metrics?.countProxyFault(reason);
    const now = performance.now();
    if (now < this.#proxyFaultSaid + PROXY_FAULT_INTERVAL) {
      this.#proxyFaultsUnsaid++;
      this.#log.debug({ conn: id, peer, reason }, 'PROXY header refused');
      return;
    }
    const more = this.#proxyFaultsUnsaid;
    this.#proxyFaultSaid = now;
    this.#proxyFaultsUnsaid = 0;
    this.#log.info({ conn: id, peer, reason, ...(more > 0 && { more }) }, 'PROXY header refused');
  };

  readonly onHandshakeFailed = ({ id, remoteAddress: remote }: Connection, error: Error): void => {
    const detail = error.message;
    if (error instanceof ClientCertificateError) {
      this.#log.info({ conn: id, remote, detail }, 'client certificate refused');
    } else this.#log.debug({ conn: id, detail }, 'handshake failed');
  };
}
