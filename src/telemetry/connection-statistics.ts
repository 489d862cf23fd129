import { hostPort } from '../http/ip-address.ts';
import type { Connection } from '../net/connection.ts';
import {
  addCounts,
  countsOfClosed,
  countsOfOpen,
  noCounts,
  type ConnectionCounts,
  type ConnectionSum,
} from './connection-counts.ts';

/** Open connections that are listed one by one. */
const MAX_LISTED = 100;

/** One open connection. */
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
  /** Of those that are done: by a ticket, or a session that was kept. */
  readonly resumed: number;
}

/** All that `/connections` tells, as plain data: what several processes have can be merged. */
export interface ConnectionEntries {
  /** By transport; connections that never came as far as HTTP are `none`. */
  readonly transports: Readonly<Record<string, ConnectionCounts>>;
  readonly handshakes: HandshakeCounts;
  /** The oldest first, at most a hundred. */
  readonly open: readonly OpenConnection[];
}

/** Where they come from: this process, or the one that asks all. */
export interface ConnectionSource {
  entries(): ConnectionEntries | Promise<ConnectionEntries>;
}

/** Keeps what there is to say of connections, of closed ones only the counts. */
export class ConnectionStatistics {
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

  /** As of now. Takes as long as there are open connections, a microsecond each. */
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

/** What several processes have, as if it were one's. */
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
  const sum = sums.get(key) ?? noCounts();
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
