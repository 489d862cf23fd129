import { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import { InvalidProxyHeader } from '../wire/proxy-protocol/header.ts';
import type { RejectedMessage } from '../net/rejected-message.ts';
import { negotiatedGroupName } from '../net/tls-key-exchange.ts';
import { ClientCertificateError } from '../net/tls-server.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import type { Logger } from './logger.ts';
import { redactForLog } from './rejected-message.ts';

/** Minimum milliseconds between two log lines at info level about PROXY headers. */
const PROXY_HEADER_INTERVAL = 10_000;

/** Logs errors, and at debug level terminations and rejected messages. */
export class EventLog implements ExchangeObserver {
  readonly #log: Logger;
  /** `performance.now()` of the last line at info level about a PROXY header. */
  #proxyHeaderLoggedAt = -Infinity;
  /** Lines about PROXY headers that were logged at debug level only, since the last one at info level. */
  #suppressedProxyHeaders = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  acceptFailed({ message: detail }: Error): void {
    this.#log.error({ detail }, 'a connection was lost');
  }

  handshakeFailed({ id, remoteAddress: remote, keyExchange }: Connection, error: Error): void {
    const detail = error.message;
    const group = { tls_group: negotiatedGroupName(keyExchange) };
    if (error instanceof ClientCertificateError) {
      this.#log.info({ conn: id, remote, detail, ...group }, 'client certificate rejected');
    } else this.#log.debug({ conn: id, detail, ...group }, 'handshake failed');
  }

  rejected(connection: Connection, error: Error, rejected?: RejectedMessage): void {
    if (error instanceof InvalidProxyHeader) {
      this.#proxyHeaderRejected(connection, error);
      return;
    }
    const code = error instanceof Problem ? error.code : undefined;
    // The message contains the method, and the log must not contain unknown methods.
    const detail = code === 'not-implemented' ? undefined : error.message;
    const view = rejected && redactForLog(rejected);
    this.#log.debug({ conn: connection.id, code, detail, ...view }, 'message rejected');
  }

  terminated(reason: TerminationReason, connection?: Connection): void {
    this.#log.debug({ conn: connection?.id, reason }, 'terminated');
  }

  internalError(err: unknown): void {
    this.#log.error({ err }, 'internal error in a request');
  }

  /** Logs a bad PROXY header. Lines at info level are limited: a misconfigured proxy causes one per connection. */
  #proxyHeaderRejected(
    { id: conn, peerAddress: peer }: Connection,
    { fault: reason }: InvalidProxyHeader,
  ): void {
    const now = performance.now();
    if (now < this.#proxyHeaderLoggedAt + PROXY_HEADER_INTERVAL) {
      this.#suppressedProxyHeaders++;
      this.#log.debug({ conn, peer, reason }, 'PROXY header rejected');
      return;
    }
    const more = this.#suppressedProxyHeaders;
    this.#proxyHeaderLoggedAt = now;
    this.#suppressedProxyHeaders = 0;
    this.#log.info({ conn, peer, reason, ...(more > 0 && { more }) }, 'PROXY header rejected');
  }
}
