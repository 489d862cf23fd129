import { debuglog } from 'node:util';
import type { Logger as Pino } from 'pino';
import { millisecondsSince } from '../server/timing.ts';
import type { Exchange } from '../server/exchange.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import type { CloseMethod, CloseReason } from '../net/close-reason.ts';
import type { Connection } from '../net/connection.ts';
import { negotiatedGroupName } from '../net/tls-key-exchange.ts';

type TraceWriter = (details: object, message: string) => void;

/**
 * Creates the trace, written to the log with `--log-level trace`, or to standard error with `NODE_DEBUG=wirebin`.
 *
 * @returns undefined without either
 */
export function createTrace(log?: Pino): ExchangeObserver | undefined {
  if (log?.isLevelEnabled('trace')) return new Trace((...line) => log.trace(...line));
  const debug = debuglog('wirebin');
  if (!debug.enabled) return undefined;
  return new Trace((details, message) => debug('%s %s', message, JSON.stringify(details)));
}

/**
 * Writes a line for each step of connections and requests, with the connection id. Like the log, it contains no field
 * values, queries or content. Rejected messages are in the log at debug level.
 */
class Trace implements ExchangeObserver {
  readonly #write: TraceWriter;

  constructor(write: TraceWriter) {
    this.#write = write;
  }

  opened({ id, peerAddress, peerPort, localPort }: Connection): void {
    const details = { conn: id, peer: peerAddress, peer_port: peerPort, local_port: localPort };
    this.#write(details, 'connection opened');
  }

  secured({ id, tls, keyExchange }: Connection): void {
    const details = {
      conn: id,
      version: tls?.version,
      cipher: tls?.cipherSuite,
      group: negotiatedGroupName(keyExchange),
      alpn: tls?.alpn,
      resumed: tls?.isResumed,
    };
    this.#write(details, 'TLS handshake complete');
  }

  handshakeFailed({ id, keyExchange }: Connection, { message }: Error): void {
    const group = negotiatedGroupName(keyExchange);
    this.#write({ conn: id, group, detail: message }, 'TLS handshake failed');
  }

  detected({ id, protocol, remoteAddress, proxyHeader }: Connection): void {
    const client = proxyHeader && { client: remoteAddress };
    this.#write({ conn: id, protocol, ...client }, 'protocol detected');
  }

  began({ connection, requestNumber, stream, hasBody }: Exchange): void {
    const details = { conn: connection.id, request: requestNumber, stream: stream?.id };
    this.#write({ ...details, content: hasBody }, 'request received');
  }

  responded(exchange: Exchange, status: number | undefined): void {
    const { connection, requestNumber, receivedAt, endpoint } = exchange;
    const details = { conn: connection.id, request: requestNumber, endpoint: endpoint?.id, status };
    this.#write({ ...details, duration_ms: millisecondsSince(receivedAt) }, 'response started');
  }

  finished(exchange: Exchange, complete: boolean): void {
    const { connection, requestNumber, status, bytes, receivedAt } = exchange;
    const details = { conn: connection.id, request: requestNumber, status, bytes };
    const duration = millisecondsSince(receivedAt);
    this.#write({ ...details, complete, duration_ms: duration }, 'request finished');
  }

  closing({ id, requests }: Connection, how: CloseMethod, reason: CloseReason): void {
    this.#write({ conn: id, how, reason, open_requests: requests.open }, 'closing connection');
  }

  closed({ id, closeCause, requests, openedAt }: Connection): void {
    const counts = { requests: requests.total, duration_ms: millisecondsSince(openedAt) };
    this.#write({ conn: id, ...closeCause, ...counts }, 'connection closed');
  }
}
