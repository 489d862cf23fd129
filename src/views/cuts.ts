import type { Request } from '../http/exchange.ts';
import type { Log } from '../kit/log.ts';
import type { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';
import { limitOf, type CutReason } from '../wire/ending.ts';
import type { ProxyFault } from '../wire/proxy-header.ts';
import { CertificateRefused } from '../wire/tls-server.ts';
import type { Metrics } from './metrics.ts';

/** Counts what was cut, by reason, and logs it at debug level; what was wrong with it as well. */
export class Cuts {
  readonly #log: Log;
  readonly #metrics: Metrics | undefined;

  constructor(log: Log, metrics: Metrics | undefined) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** @param connection absent where it was never taken up */
  readonly onCut = (reason: CutReason, connection?: Connection): void => {
    this.#metrics?.countCut(reason);
    this.#log.debug({ conn: connection?.id, reason }, 'cut');
  };

  /** A request that meets a limit is cut as well, by its answer. */
  readonly onProblem = ({ connection }: Request, problem: Problem): void => {
    const limit = limitOf(problem);
    if (limit) this.onCut(limit, connection);
  };

  /** A message that never became a request. */
  readonly onRefused = ({ id }: Connection, { code, message, status }: Problem): void => {
    this.#metrics?.count(undefined, status);
    this.#log.debug({ conn: id, code, detail: message }, 'message refused');
  };

  /** The same on HTTP/2, where no response tells of it. */
  readonly onRejected = ({ id }: Connection, { message }: Error): void => {
    this.#log.debug({ conn: id, detail: message }, 'message refused');
  };

  readonly onProxyFault = ({ id }: Connection, reason: ProxyFault): void => {
    this.#metrics?.countProxyFault(reason);
    this.#log.debug({ conn: id, reason }, 'PROXY header refused');
  };

  readonly onHandshakeFailed = ({ id, remoteAddress: remote }: Connection, error: Error): void => {
    const detail = error.message;
    if (error instanceof CertificateRefused) {
      this.#log.info({ conn: id, remote, detail }, 'client certificate refused');
    } else this.#log.debug({ conn: id, detail }, 'handshake failed');
  };
}
