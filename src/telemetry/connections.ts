import {
  COUNT,
  mapSchema,
  NULL,
  nullable,
  NUMBER,
  objectSchema,
  oneOf,
  type Infer,
} from '../server/schema.ts';
import {
  addCounts,
  countProperties,
  emptyCounts,
  handshakeProperties,
  openSchema,
  type ConnectionCounts,
  type ConnectionEntries,
} from './connection-statistics.ts';

const RATIO = { ...nullable(NUMBER), minimum: 0, maximum: 1 };

const summaryProperties = {
  opens_anew: { ...RATIO, description: 'Fraction of requests that opened a connection.' },
  reuses: { ...RATIO, description: 'Fraction of requests on a reused connection.' },
  multiplexes: {
    ...RATIO,
    description:
      'Fraction of requests that started while another was open on their connection (pipelined on HTTP/1.1).',
  },
  most_concurrent: countProperties.most_concurrent,
  requests: COUNT,
  connections: objectSchema('ConnectionNumbers', { open: COUNT, closed: COUNT }),
};

const transportSchema = objectSchema('TransportConnections', {
  ...summaryProperties,
  open_requests: COUNT,
  above_limit: countProperties.above_limit,
  age_ms: { ...oneOf(mapSchema(COUNT), NULL), description: 'Open connections.' },
  closed_after: countProperties.closed_after,
  closed_by: countProperties.closed_by,
});

/** The response of `/connections`. */
export const connectionsSchema = objectSchema('Connections', {
  ...summaryProperties,
  transports: {
    ...mapSchema(transportSchema),
    description:
      '`http/1.1` and `https/1.1` (all of HTTP/1.x), `h2`, `h2c`; `none` if no HTTP was detected.',
  },
  handshakes: objectSchema('Handshakes', {
    ...handshakeProperties,
    resumption: { ...RATIO, description: 'Fraction of handshakes that resumed a session.' },
  }),
  open: { ...openSchema, description: 'Oldest first, at most 100.' },
  open_left_out: COUNT,
});

/**
 * The response of `/connections`. Three ratios show how a client or proxy uses connections: whether it
 * opens a new one for each request, reuses them, or multiplexes requests.
 */
export function connectionsView({
  transports,
  handshakes,
  open,
}: ConnectionEntries): Infer<typeof connectionsSchema> {
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

function summary(counts: ConnectionCounts) {
  return {
    opens_anew: ratio(counts.first, counts.requests),
    reuses: ratio(counts.requests - counts.first, counts.requests),
    multiplexes: ratio(counts.overlapping, counts.requests),
    most_concurrent: counts.most_concurrent,
    requests: counts.requests,
    connections: { open: counts.open, closed: counts.closed },
  };
}

function details(counts: ConnectionCounts): Infer<typeof transportSchema> {
  const { open_requests, above_limit, closed_after, closed_by, age_ms } = counts;
  return { ...summary(counts), open_requests, above_limit, age_ms, closed_after, closed_by };
}

/** With three decimals; null if `total` is 0. */
function ratio(part: number, total: number): number | null {
  return total === 0 ? null : Number((part / total).toFixed(3));
}
