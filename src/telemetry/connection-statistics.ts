import { hostPort } from '../http/ip-address.ts';
import type { Connection } from '../net/connection.ts';
import type { ConnectionObserver } from '../net/observer.ts';
import {
  addCounts,
  countsOfClosed,
  countsOfOpen,
  emptyCounts,
  type ConnectionCounts,
  type ConnectionSum,
} from './connection-counts.ts';

/** Maximum number of open connections to list. */
const MAX_LISTED = 100;

export interface OpenConnection {
  readonly id: string;
  readonly transport: string;
  readonly remote: string;
  readonly age_ms: number;
  readonly requests: number;
  readonly open_requests: number;
  readonly most_concurrent: number;
}

export interface HandshakeCounts {
  readonly done: number;
  readonly failed: number;
  /** Completed handshakes that resumed a session, by ticket or session ID. */
  readonly resumed: number;
}

/** The data of `/connections`. Plain data, which can be merged across processes. */
export interface ConnectionEntries {
  /** By transport; `none` for connections on which no HTTP was detected. */
  readonly transports: Readonly<Record<string, ConnectionCounts>>;
  readonly handshakes: HandshakeCounts;
  /** Oldest first, at most 100. */
  readonly open: readonly OpenConnection[];
}

/** Provides the entries of this process or of all workers. */
export interface ConnectionSource {
  entries(): ConnectionEntries | Promise<ConnectionEntries>;
}

/** Tracks open connections. Of closed ones only counts are kept. */
export class ConnectionStatistics implements ConnectionObserver {
  readonly #open = new Set<Connection>();
  readonly #closed = new Map<string, ConnectionSum>();
  #done = 0;
  #failed = 0;
  #resumed = 0;

  opened(connection: Connection): void {
    this.#open.add(connection);
  }

  secured({ tls }: Connection): void {
    this.#done++;
    if (tls?.isSessionReused()) this.#resumed++;
  }

  handshakeFailed(): void {
    this.#failed++;
  }

  closed(connection: Connection): void {
    this.#open.delete(connection);
    addTo(this.#closed, transportOf(connection), countsOfClosed(connection));
  }

  /** Takes about a microsecond for each open connection. */
  entries(): ConnectionEntries {
    const now = performance.now();
    const transports = new Map<string, ConnectionSum>();
    for (const [transport, counts] of this.#closed) addTo(transports, transport, counts);
    const open: OpenConnection[] = [];
    for (const connection of this.#open) {
      addTo(transports, transportOf(connection), countsOfOpen(connection, now));
      if (open.length < MAX_LISTED) open.push(openConnection(connection, now));
    }
    return {
      transports: Object.fromEntries(transports),
      handshakes: { done: this.#done, failed: this.#failed, resumed: this.#resumed },
      open,
    };
  }
}

/** Merges the entries of several processes. */
export function mergeEntries(all: readonly ConnectionEntries[]): ConnectionEntries {
  const transports = new Map<string, ConnectionSum>();
  const handshakes = { done: 0, failed: 0, resumed: 0 };
  for (const each of all) {
    for (const [transport, counts] of Object.entries(each.transports)) {
      addTo(transports, transport, counts);
    }
    handshakes.done += each.handshakes.done;
    handshakes.failed += each.handshakes.failed;
    handshakes.resumed += each.handshakes.resumed;
  }
  const open = all.flatMap((each) => each.open).toSorted((a, b) => b.age_ms - a.age_ms);
  return {
    transports: Object.fromEntries(transports),
    handshakes,
    open: open.slice(0, MAX_LISTED),
  };
}

function addTo(sums: Map<string, ConnectionSum>, key: string, more: ConnectionCounts): void {
  const sum = sums.get(key) ?? emptyCounts();
  sums.set(key, sum);
  addCounts(sum, more);
}

function transportOf({ protocol }: Connection): string {
  return protocol ?? 'none';
}

function openConnection(connection: Connection, now: number): OpenConnection {
  return {
    id: connection.id,
    transport: transportOf(connection),
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    age_ms: Math.round(now - connection.openedAt),
    requests: connection.requests,
    open_requests: connection.openRequests,
    most_concurrent: connection.maxOpenRequests,
  };
}
