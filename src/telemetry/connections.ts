import { mapSchema, objectSchema, TEXT, type JsonSchema } from '../server/schema.ts';
import { addCounts, emptyCounts, type ConnectionCounts } from './connection-counts.ts';
import type { ConnectionEntries } from './connection-statistics.ts';

type View = Readonly<Record<string, unknown>>;

/**
 * The response of `/connections`. Three ratios show how a client or proxy uses connections: whether it
 * opens a new one for each request, reuses them, or multiplexes requests.
 */
export function connectionsView({ transports, handshakes, open }: ConnectionEntries): View {
  const all = emptyCounts();
  for (const counts of Object.values(transports)) addCounts(all, counts);
  return {
    ...summary(all),
    transports: Object.fromEntries(
      Object.entries(transports).map(([name, counts]) => [name, details(counts)]),
    ),
    handshakes: { ...handshakes, resumption: ratio(handshakes.resumed, handshakes.done) },
    open,
    open_left_out: all.open - open.length,
  };
}

function summary(counts: ConnectionCounts): View {
  return {
    opens_anew: ratio(counts.first, counts.requests),
    reuses: ratio(counts.requests - counts.first, counts.requests),
    multiplexes: ratio(counts.overlapping, counts.requests),
    most_concurrent: counts.most_concurrent,
    requests: counts.requests,
    connections: { open: counts.open, closed: counts.closed },
  };
}

function details(counts: ConnectionCounts): View {
  const { open_requests, closed_after, closed_by, age_ms } = counts;
  return { ...summary(counts), open_requests, age_ms, closed_after, closed_by };
}

/** With three decimals; null if `total` is 0. */
function ratio(part: number, total: number): number | null {
  return total === 0 ? null : Number((part / total).toFixed(3));
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const RATIO: JsonSchema = { type: ['number', 'null'], minimum: 0, maximum: 1 };

const summaryProperties = {
  opens_anew: { ...RATIO, description: 'Fraction of requests that opened a connection.' },
  reuses: { ...RATIO, description: 'Fraction of requests on a reused connection.' },
  multiplexes: {
    ...RATIO,
    description:
      'Fraction of requests that started while another was open on their connection (pipelined on HTTP/1.1).',
  },
  most_concurrent: { ...COUNT, description: 'Maximum concurrent requests on one connection.' },
  requests: COUNT,
  connections: objectSchema('ConnectionNumbers', { open: COUNT, closed: COUNT }),
};

const AGES = { type: 'object', additionalProperties: COUNT } as const;

export const connectionsSchema: JsonSchema = objectSchema('Connections', {
  ...summaryProperties,
  transports: {
    ...mapSchema(
      objectSchema('TransportConnections', {
        ...summaryProperties,
        open_requests: COUNT,
        age_ms: { oneOf: [AGES, { type: 'null' }], description: 'Open connections.' },
        closed_after: { ...mapSchema(COUNT), description: 'Closed connections by request count.' },
        closed_by: { ...mapSchema(COUNT), description: 'Closed connections by side and reason.' },
      }),
    ),
    description:
      '`http/1.1` and `https/1.1` (all of HTTP/1.x), `h2`, `h2c`; `none` if no HTTP was detected.',
  },
  handshakes: objectSchema('Handshakes', {
    done: COUNT,
    failed: COUNT,
    resumed: COUNT,
    resumption: { ...RATIO, description: 'Fraction of handshakes that resumed a session.' },
  }),
  open: {
    type: 'array',
    description: 'Oldest first, at most 100.',
    items: objectSchema('OpenConnection', {
      id: TEXT,
      transport: TEXT,
      remote: TEXT,
      age_ms: COUNT,
      requests: COUNT,
      open_requests: COUNT,
      most_concurrent: COUNT,
    }),
  },
  open_left_out: COUNT,
});
