import { addCounts, emptyCounts } from './connection-statistics.ts';
import type { ConnectionCounts, ConnectionEntries, Connections } from './connections-schema.ts';

/**
 * Makes the response of `/connections`. Three ratios in it show whether clients open a new connection for each request,
 * reuse connections, or multiplex requests.
 *
 * @param listed number of closed connections to list; undefined for no list
 */
export function connectionsView(
  { transports, handshakes, open, closed }: ConnectionEntries,
  listed?: number,
): Connections {
  const all = emptyCounts();
  for (const counts of Object.values(transports)) addCounts(all, counts);
  return {
    ...summaryView(all),
    transports: Object.fromEntries(
      Object.entries(transports).map(([name, counts]) => [name, transportView(counts)]),
    ),
    handshakes: { ...handshakes, resumption: ratio(handshakes.resumed, handshakes.done) },
    open,
    open_left_out: all.open - open.length,
    ...(listed !== undefined && { closed: closed.slice(0, listed) }),
  };
}

function summaryView(counts: ConnectionCounts) {
  return {
    opens_anew: ratio(counts.first, counts.requests),
    reuses: ratio(counts.requests - counts.first, counts.requests),
    multiplexes: ratio(counts.overlapping, counts.requests),
    most_concurrent: counts.most_concurrent,
    requests: counts.requests,
    connections: { open: counts.open, closed: counts.closed },
  };
}

function transportView(counts: ConnectionCounts): Connections['transports'][string] {
  const { open_requests, above_limit, closed_after, closed_by, age_ms } = counts;
  return { ...summaryView(counts), open_requests, above_limit, age_ms, closed_after, closed_by };
}

/** A ratio with three decimals; null if `total` is 0. */
function ratio(part: number, total: number): number | null {
  return total === 0 ? null : Number((part / total).toFixed(3));
}
