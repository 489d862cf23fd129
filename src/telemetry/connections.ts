import { mapSchema, objectSchema, TEXT, type JsonSchema } from '../server/schema.ts';
import { addCounts, noCounts, type ConnectionCounts } from './connection-counts.ts';
import type { ConnectionEntries } from './connection-statistics.ts';

type View = Readonly<Record<string, unknown>>;

/**
 * What `/connections` answers. Three shares of all requests say what a client or a proxy does with
 * its connections: opens them anew, keeps and reuses them, has several requests open on one.
 */
export function connectionsView({ transports, handshakes, open }: ConnectionEntries): View {
  const all = noCounts();
  for (const counts of Object.values(transports)) addCounts(all, counts);
  return {
    ...summary(all),
    transports: Object.fromEntries(
      Object.entries(transports).map(([name, counts]) => [name, details(counts)]),
    ),
    handshakes: { ...handshakes, resumption: share(handshakes.resumed, handshakes.done) },
    open,
    open_left_out: all.open - open.length,
  };
}

function summary(counts: ConnectionCounts): View {
  return {
    opens_anew: share(counts.first, counts.requests),
    reuses: share(counts.requests - counts.first, counts.requests),
    multiplexes: share(counts.overlapping, counts.requests),
    most_concurrent: counts.most_concurrent,
    requests: counts.requests,
    connections: { open: counts.open, closed: counts.closed },
  };
}

function details(counts: ConnectionCounts): View {
  const { open_requests, closed_after, closed_by, age_ms } = counts;
  return { ...summary(counts), open_requests, age_ms, closed_after, closed_by };
}

/** null of nothing, and three decimals. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(3));
}

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const SHARE: JsonSchema = { type: ['number', 'null'], minimum: 0, maximum: 1 };

const summaryProperties = {
  opens_anew: { ...SHARE, description: 'Of requests: the first of their connection.' },
  reuses: { ...SHARE, description: 'Of requests: on a connection that had had one.' },
  multiplexes: {
    ...SHARE,
    description:
      'Of requests: begun while another was open on their connection; pipelined on HTTP/1.1.',
  },
  most_concurrent: { ...COUNT, description: 'Requests open at once on one connection.' },
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
        age_ms: { oneOf: [AGES, { type: 'null' }], description: 'Of the open ones.' },
        closed_after: { ...mapSchema(COUNT), description: 'Closed ones by number of requests.' },
        closed_by: { ...mapSchema(COUNT), description: 'Closed ones by who closed them, and why.' },
      }),
    ),
    description:
      'http/1.1 and https/1.1, which stand for HTTP/1.x, h2, h2c; `none` never came as far as HTTP.',
  },
  handshakes: objectSchema('Handshakes', {
    done: COUNT,
    failed: COUNT,
    resumed: COUNT,
    resumption: { ...SHARE, description: 'Of those that are done.' },
  }),
  open: {
    type: 'array',
    description: 'The oldest first, at most a hundred.',
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
