import type { Connection } from '../net/connection.ts';
import { COUNT, mapSchema, NULL, oneOf, shape, type Infer } from '../server/schema.ts';

/** Buckets of closed connections by number of requests: name and minimum. */
const REQUEST_BUCKETS = [
  ['1000+', 1000],
  ['100-999', 100],
  ['10-99', 10],
  ['2-9', 2],
  ['1', 1],
  ['0', 0],
] as const;

/** What is counted of connections. */
export const countProperties = {
  open: COUNT,
  closed: COUNT,
  requests: COUNT,
  open_requests: COUNT,
  // First requests of a connection.
  first: COUNT,
  // Requests that started while another was open on the same connection.
  overlapping: COUNT,
  most_concurrent: { ...COUNT, description: 'Maximum concurrent requests on one connection.' },
  // By number of requests, in buckets.
  closed_after: { ...mapSchema(COUNT), description: 'Closed connections by request count.' },
  // Such as `wirebin idle-timeout`.
  closed_by: { ...mapSchema(COUNT), description: 'Closed connections by side and reason.' },
  // Milliseconds since the oldest and the newest open connection were accepted.
  age_ms: oneOf(shape({ oldest: COUNT, newest: COUNT }), NULL),
};

/** Counts of one or more connections. Plain data, which can be sent between processes and added up. */
export const connectionCountsSchema = shape(countProperties);
export type ConnectionCounts = Infer<typeof connectionCountsSchema>;

/** A mutable sum. */
export type ConnectionSum = { -readonly [Name in keyof ConnectionCounts]: ConnectionCounts[Name] };

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
