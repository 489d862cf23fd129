import {
  arrayOf,
  COUNT,
  enumOf,
  mapSchema,
  NULL,
  nullable,
  NUMBER,
  objectSchema,
  oneOf,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import { PROTOCOLS } from '../net/connection.ts';

/** What is counted of connections. */
const countProperties = {
  open: COUNT,
  closed: COUNT,
  requests: COUNT,
  open_requests: COUNT,
  // Requests that were the first on their connection.
  first: COUNT,
  // Requests that started while another one was open on the same connection.
  overlapping: COUNT,
  most_concurrent: { ...COUNT, description: 'Most at once on one connection.' },
  above_limit: {
    ...COUNT,
    description: 'Streams above the announced limit.',
  },
  // Closed connections by number of requests.
  closed_after: { ...mapSchema(COUNT), description: 'Closed, by request count.' },
  // Closed connections by side and reason, such as `wirebin idle-timeout`.
  closed_by: { ...mapSchema(COUNT), description: 'Closed, by side and reason.' },
  // Ages of the oldest and the newest open connection, in milliseconds.
  age_ms: oneOf(shape({ oldest: COUNT, newest: COUNT }), NULL),
};

/** Counts of one or more connections: plain data, which can be sent between processes and added up. */
const connectionCountsSchema = shape(countProperties);
export type ConnectionCounts = Infer<typeof connectionCountsSchema>;

const connectionProperties = {
  id: TEXT,
  transport: enumOf(...PROTOCOLS, 'none'),
  remote: TEXT,
  tls_group: { ...nullable(TEXT), description: 'As `tls.group` in the echo.' },
  age_ms: COUNT,
  requests: COUNT,
  open_requests: COUNT,
  most_concurrent: COUNT,
  above_limit: COUNT,
};

const openConnectionSchema = objectSchema('OpenConnection', connectionProperties);

/** A connection that is gone. Its age is how long it was open; `open_requests` were cut off. */
const closedConnectionSchema = objectSchema('ClosedConnection', {
  ...connectionProperties,
  closed_at: { ...TEXT, format: 'date-time' },
  by: enumOf('client', 'wirebin', 'error'),
  reason: { ...TEXT, description: 'As in `closed_by`.' },
});

/** Maximum number of open connections in `/connections`, and of closed ones that a process keeps. */
export const MAX_LISTED = 100;

/** `resumed` counts completed handshakes that resumed a session, by ticket or session ID. */
const handshakeProperties = {
  done: COUNT,
  failed: COUNT,
  resumed: COUNT,
  groups: { ...mapSchema(COUNT), description: 'Completed, by group of the key exchange.' },
};

/** Open connections, oldest first, at most 100. */
const openSchema = arrayOf(openConnectionSchema);
/** Closed connections, newest first, at most 100. */
const closedSchema = arrayOf(closedConnectionSchema);

/** The data of `/connections`: plain data of a process, which can be sent and merged. */
export const connectionEntriesSchema = shape({
  // By transport. `none` has connections on which no HTTP was detected.
  transports: mapSchema(connectionCountsSchema),
  handshakes: shape(handshakeProperties),
  open: openSchema,
  // Empty unless asked for.
  closed: closedSchema,
});
export type ConnectionEntries = Infer<typeof connectionEntriesSchema>;

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
export const connectionsSchema = objectSchema(
  'Connections',
  {
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
    open: { ...openSchema, description: `Oldest first, at most ${MAX_LISTED}.` },
    open_left_out: COUNT,
    closed: { ...closedSchema, description: 'With `closed`: newest first.' },
  },
  ['closed'],
);

export type Connections = Infer<typeof connectionsSchema>;
