import type { Connection } from '../net/connection.ts';

/** Buckets of closed connections by number of requests: name and minimum. */
const REQUEST_BUCKETS = [
  ['1000+', 1000],
  ['100-999', 100],
  ['10-99', 10],
  ['2-9', 2],
  ['1', 1],
  ['0', 0],
] as const;

/** Counts of one or more connections. Plain data, which can be sent between processes and added up. */
export interface ConnectionCounts {
  readonly open: number;
  readonly closed: number;
  readonly requests: number;
  readonly open_requests: number;
  /** First requests of a connection. */
  readonly first: number;
  /** Requests that started while another was open on the same connection. */
  readonly overlapping: number;
  /** Maximum number of concurrent requests on one connection. */
  readonly most_concurrent: number;
  /** Closed connections by number of requests, in buckets. */
  readonly closed_after: Readonly<Record<string, number>>;
  /** Closed connections by who closed them and why, such as `wirebin idle-timeout`. */
  readonly closed_by: Readonly<Record<string, number>>;
  /** Milliseconds since the oldest and the newest open connection were accepted. */
  readonly age_ms: { readonly oldest: number; readonly newest: number } | null;
}

/** A mutable sum. */
export interface ConnectionSum extends ConnectionCounts {
  open: number;
  closed: number;
  requests: number;
  open_requests: number;
  first: number;
  overlapping: number;
  most_concurrent: number;
  readonly closed_after: Record<string, number>;
  readonly closed_by: Record<string, number>;
  age_ms: ConnectionCounts['age_ms'];
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
    closed_after: Object.fromEntries(REQUEST_BUCKETS.map(([name]) => [name, 0]).toReversed()),
    closed_by: {},
    age_ms: null,
  };
}

/** Counts of one open connection. @param now `performance.now()` */
export function countsOfOpen(connection: Connection, now: number): ConnectionCounts {
  const age = Math.round(now - connection.openedAt);
  return { ...countsOf(connection), open: 1, age_ms: { oldest: age, newest: age } };
}

/** Counts of one closed connection. */
export function countsOfClosed(connection: Connection): ConnectionCounts {
  const { by, reason } = connection.closeCause;
  const [bucket] =
    REQUEST_BUCKETS.find(([, min]) => connection.requests >= min) ?? REQUEST_BUCKETS[0];
  return {
    ...countsOf(connection),
    closed: 1,
    closed_after: { [bucket]: 1 },
    closed_by: { [`${by} ${reason}`]: 1 },
  };
}

function countsOf(connection: Connection): ConnectionCounts {
  return {
    open: 0,
    closed: 0,
    requests: connection.requests,
    open_requests: connection.openRequests,
    first: Math.min(connection.requests, 1),
    overlapping: connection.overlappingRequests,
    most_concurrent: connection.maxOpenRequests,
    closed_after: {},
    closed_by: {},
    age_ms: null,
  };
}

export function addCounts(sum: ConnectionSum, more: ConnectionCounts): void {
  sum.open += more.open;
  sum.closed += more.closed;
  sum.requests += more.requests;
  sum.open_requests += more.open_requests;
  sum.first += more.first;
  sum.overlapping += more.overlapping;
  sum.most_concurrent = Math.max(sum.most_concurrent, more.most_concurrent);
  addEach(sum.closed_after, more.closed_after);
  addEach(sum.closed_by, more.closed_by);
  sum.age_ms = mergeAges(sum.age_ms, more.age_ms);
}

function addEach(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(more)) sum[key] = (sum[key] ?? 0) + count;
}

function mergeAges(a: ConnectionCounts['age_ms'], b: ConnectionCounts['age_ms']): typeof a {
  if (!a || !b) return a ?? b;
  return { oldest: Math.max(a.oldest, b.oldest), newest: Math.min(a.newest, b.newest) };
}
