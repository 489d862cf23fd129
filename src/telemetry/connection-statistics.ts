import { hostPort } from '../http/ip-address.ts';
import type { Connection } from '../net/connection.ts';
import type { ConnectionObserver } from '../net/observer.ts';
import {
  arrayOf,
  COUNT,
  mapSchema,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import {
  addCounts,
  connectionCountsSchema,
  countsOfClosed,
  countsOfOpen,
  emptyCounts,
  type ConnectionCounts,
  type ConnectionSum,
} from './connection-counts.ts';

/** Maximum number of open connections to list. */
const MAX_LISTED = 100;

const openConnectionSchema = objectSchema('OpenConnection', {
  id: TEXT,
  transport: TEXT,
  remote: TEXT,
  age_ms: COUNT,
  requests: COUNT,
  open_requests: COUNT,
  most_concurrent: COUNT,
});

/** `resumed` counts completed handshakes that resumed a session, by ticket or session ID. */
export const handshakeProperties = { done: COUNT, failed: COUNT, resumed: COUNT };

/** Oldest first, at most 100. */
export const openSchema = arrayOf(openConnectionSchema);

/** The data of `/connections`. Plain data, which can be merged across processes. */
export const connectionEntriesSchema = shape({
  // By transport; `none` for connections on which no HTTP was detected.
  transports: mapSchema(connectionCountsSchema),
  handshakes: shape(handshakeProperties),
  open: openSchema,
});
export type ConnectionEntries = Infer<typeof connectionEntriesSchema>;

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
    const open: Infer<typeof openConnectionSchema>[] = [];
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

function openConnection(connection: Connection, now: number): Infer<typeof openConnectionSchema> {
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
