import { hostPort } from '../http/ip-address.ts';
import { transportOf, type Connection } from '../net/connection.ts';
import type { ConnectionObserver } from '../net/observer.ts';
import { negotiatedGroupName } from '../net/tls-key-exchange.ts';
import { MAX_LISTED, type ConnectionCounts, type ConnectionEntries } from './connections-schema.ts';
import { addNumbers } from './durations.ts';

/** Ranges for the number of requests on a closed connection: name and minimum. */
const REQUEST_BUCKETS = [
  ['1000+', 1000],
  ['100-999', 100],
  ['10-99', 10],
  ['2-9', 2],
  ['1', 1],
  ['0', 0],
] as const;

/** A mutable sum. */
type ConnectionSum = { -readonly [Name in keyof ConnectionCounts]: ConnectionCounts[Name] };

type ClosedConnection = ConnectionEntries['closed'][number];

/** Source of the entries: of this process, or of all workers. */
export interface ConnectionSource {
  /** @param withClosed whether to list closed connections */
  entries(withClosed: boolean): ConnectionEntries | Promise<ConnectionEntries>;
}

/** Lists open connections and the newest closed ones, and counts all closed ones. */
export class ConnectionStatistics implements ConnectionObserver {
  readonly #open = new Set<Connection>();
  readonly #closed = new Map<string, ConnectionSum>();
  /** Oldest first. */
  readonly #newestClosed: ClosedConnection[] = [];
  readonly #handshakes = noHandshakes();

  opened(connection: Connection): void {
    this.#open.add(connection);
  }

  secured({ tls, keyExchange }: Connection): void {
    this.#handshakes.done++;
    addNumbers(this.#handshakes.groups, { [negotiatedGroupName(keyExchange) ?? 'none']: 1 });
    if (tls?.isResumed) this.#handshakes.resumed++;
  }

  handshakeFailed(): void {
    this.#handshakes.failed++;
  }

  closed(connection: Connection): void {
    this.#open.delete(connection);
    addTo(this.#closed, transportOf(connection), countsOfClosed(connection));
    if (this.#newestClosed.push(closedConnection(connection)) > MAX_LISTED) {
      this.#newestClosed.shift();
    }
  }

  /** Takes about a microsecond for each open connection. */
  entries(withClosed = false): ConnectionEntries {
    const now = performance.now();
    const transports = new Map<string, ConnectionSum>();
    for (const [transport, counts] of this.#closed) addTo(transports, transport, counts);
    const open: ConnectionEntries['open'][number][] = [];
    for (const connection of this.#open) {
      addTo(transports, transportOf(connection), countsOfOpen(connection, now));
      if (open.length < MAX_LISTED) open.push(openConnection(connection, now));
    }
    return {
      transports: Object.fromEntries(transports),
      handshakes: { ...this.#handshakes, groups: { ...this.#handshakes.groups } },
      open,
      closed: withClosed ? this.#newestClosed.toReversed() : [],
    };
  }
}

/** Merges the entries of several processes. */
export function mergeEntries(all: readonly ConnectionEntries[]): ConnectionEntries {
  const transports = new Map<string, ConnectionSum>();
  const handshakes = noHandshakes();
  for (const each of all) {
    for (const [transport, counts] of Object.entries(each.transports)) {
      addTo(transports, transport, counts);
    }
    addNumbers(handshakes, each.handshakes);
  }
  const open = all.flatMap((each) => each.open).toSorted((a, b) => b.age_ms - a.age_ms);
  const closed = all
    .flatMap((each) => each.closed)
    .toSorted((a, b) => b.closed_at.localeCompare(a.closed_at));
  return {
    transports: Object.fromEntries(transports),
    handshakes,
    open: open.slice(0, MAX_LISTED),
    closed: closed.slice(0, MAX_LISTED),
  };
}

function addTo(sums: Map<string, ConnectionSum>, key: string, more: ConnectionCounts): void {
  const sum = sums.get(key) ?? emptyCounts();
  sums.set(key, sum);
  addCounts(sum, more);
}

function openConnection(connection: Connection, now: number): ConnectionEntries['open'][number] {
  return {
    id: connection.id,
    transport: transportOf(connection),
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    tls_group: negotiatedGroupName(connection.keyExchange),
    age_ms: Math.round(now - connection.openedAt),
    requests: connection.requests.total,
    open_requests: connection.requests.open,
    most_concurrent: connection.requests.maxOpen,
    above_limit: connection.requests.aboveLimit,
  };
}

function closedConnection(connection: Connection): ClosedConnection {
  const closed_at = new Date().toISOString();
  return { ...openConnection(connection, performance.now()), closed_at, ...connection.closeCause };
}

function noHandshakes() {
  return { done: 0, failed: 0, resumed: 0, groups: {} };
}

export function emptyCounts(): ConnectionSum {
  return {
    open: 0,
    closed: 0,
    requests: 0,
    open_requests: 0,
    first: 0,
    overlapping: 0,
    most_concurrent: 0,
    above_limit: 0,
    closed_after: Object.fromEntries(REQUEST_BUCKETS.map(([name]) => [name, 0]).toReversed()),
    closed_by: {},
    age_ms: null,
  };
}

const NO_COUNTS: ConnectionCounts = emptyCounts();

/** Counts of one open connection. @param now `performance.now()` */
function countsOfOpen(connection: Connection, now: number): ConnectionCounts {
  const age = Math.round(now - connection.openedAt);
  return { ...countsOf(connection), open: 1, age_ms: { oldest: age, newest: age } };
}

/** Counts of one closed connection. */
function countsOfClosed(connection: Connection): ConnectionCounts {
  const { by, reason } = connection.closeCause;
  const [bucket] =
    REQUEST_BUCKETS.find(([, min]) => connection.requests.total >= min) ?? REQUEST_BUCKETS[0];
  return {
    ...countsOf(connection),
    closed: 1,
    closed_after: { [bucket]: 1 },
    closed_by: { [`${by} ${reason}`]: 1 },
  };
}

function countsOf(connection: Connection): ConnectionCounts {
  return {
    ...NO_COUNTS,
    requests: connection.requests.total,
    open_requests: connection.requests.open,
    first: Math.min(connection.requests.total, 1),
    overlapping: connection.requests.overlapping,
    most_concurrent: connection.requests.maxOpen,
    above_limit: connection.requests.aboveLimit,
  };
}

export function addCounts(sum: ConnectionSum, more: ConnectionCounts): void {
  const { most_concurrent, age_ms, ...summed } = more;
  addNumbers(sum, summed);
  sum.most_concurrent = Math.max(sum.most_concurrent, most_concurrent);
  sum.age_ms = mergeAges(sum.age_ms, age_ms);
}

function mergeAges(a: ConnectionCounts['age_ms'], b: ConnectionCounts['age_ms']): typeof a {
  if (!a || !b) return a ?? b;
  return { oldest: Math.max(a.oldest, b.oldest), newest: Math.min(a.newest, b.newest) };
}
