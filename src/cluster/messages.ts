import {
  ANY,
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  guard,
  NULL,
  NUMBER,
  oneOf,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import { connectionEntriesSchema } from '../telemetry/connections-schema.ts';
import { storyFormatSchema, storyPlaceSchema, storySchema } from '../telemetry/story/page.ts';
import { sampleSchema } from '../telemetry/sample.ts';
import { historySchema } from '../telemetry/history-schema.ts';
import { metricsViewSchema, statisticsSchema } from '../telemetry/statistics.ts';
import { journalBatchSchema, journalSchema } from '../telemetry/journal/entry.ts';
import { goalSchema } from '../telemetry/journal/storage.ts';
import { tapFilterSchema } from '../telemetry/tap/filter.ts';
import { batchSchema } from '../telemetry/tap/batch.ts';
import type { Credentials } from '../net/tls-server.ts';

/** Certificate, key and CA in PEM, ticket keys in base64. */
const credentialsSchema = shape(
  {
    cert: TEXT,
    key: TEXT,
    others: arrayOf(shape({ cert: TEXT, key: TEXT })),
    ca: TEXT,
    ticketKeys: TEXT,
  },
  ['ca'],
);

/** Rules of --respond, as texts, and where each is. */
const rulesSchema = arrayOf(shape({ text: TEXT, place: TEXT }));

const requestSchema = oneOf(
  // Primary to worker. Start the service, or use other credentials for new handshakes.
  shape({
    type: enumOf('start'),
    credentials: credentialsSchema,
    rules: rulesSchema,
    nonceKey: TEXT,
    process: TEXT,
    ready: BOOLEAN,
    draining: BOOLEAN,
  }),
  shape({ type: enumOf('renew-credentials'), credentials: credentialsSchema }),
  // Primary to worker. Use other rules of --respond.
  shape({ type: enumOf('renew-rules'), rules: rulesSchema }),
  // Primary to worker. Send statistics and journal changes before responding.
  shape({ type: enumOf('report') }),
  // Primary to worker. As `report`, after the journal has all messages that were rejected so far.
  shape({ type: enumOf('settle-rejections') }),
  // Primary to worker. Return the state of the worker; null if metrics are off, or the service has not started.
  shape({ type: enumOf('sample') }),
  // Primary to worker. Make /readyz fail; and then, finish open requests, and return the number of aborted ones.
  shape({ type: enumOf('mark-not-ready') }),
  shape({ type: enumOf('finish') }),
  // Primary to worker, for a rehearsed drain. Finish open requests without stopping; and then, serve again.
  shape({ type: enumOf('drain-connections'), timeout: NUMBER }),
  shape({ type: enumOf('resume') }),
  // Both directions. Do what /control/ready asks for.
  shape({ type: enumOf('set-ready'), ready: BOOLEAN }),
  // Worker to primary. Do what other requests to /control ask for.
  shape({ type: enumOf('rehearse-drain'), lag: NUMBER, timeout: NUMBER, down: NUMBER }),
  shape({ type: enumOf('exit'), code: COUNT }),
  // Worker to primary. Return the metrics of all workers.
  shape({ type: enumOf('metrics') }),
  shape({ type: enumOf('metrics-history') }),
  // Worker to primary. Count an attempt; read a page of a journal key; forget the key; wait for entries of a key.
  shape({ type: enumOf('count-attempt'), key: TEXT, client: TEXT }),
  shape({ type: enumOf('read-journal'), key: TEXT, after: COUNT, limit: COUNT }),
  shape({ type: enumOf('forget-journal'), key: TEXT }),
  shape({ type: enumOf('await-journal'), goal: goalSchema, timeout: COUNT }),
  // Both directions. Return connection statistics or tap events: a worker its own, the primary those of all workers.
  shape({ type: enumOf('connections'), withClosed: BOOLEAN }),
  // Both directions. Return a page of a connection's events; null if this worker has not served the connection.
  shape(
    { type: enumOf('story'), connection: TEXT, format: storyFormatSchema, after: storyPlaceSchema },
    ['after'],
  ),
  shape({ type: enumOf('tap'), after: TEXT, filter: tapFilterSchema }, ['after']),
);

/** All messages between the primary and a worker, serialized as JSON. */
const messageSchema = oneOf(
  // A connection for the worker. Its socket is the handle of the message.
  shape({ kind: enumOf('connection'), id: COUNT }),
  // The worker has received all connections up to this id, except those that were lost on the way.
  shape({ kind: enumOf('ack'), id: COUNT }),
  shape({ kind: enumOf('request'), id: COUNT, request: requestSchema }),
  // The result is validated by the caller of request().
  shape({ kind: enumOf('response'), id: COUNT, result: ANY }, ['result']),
  shape({ kind: enumOf('error'), id: COUNT, message: TEXT }),
  // The worker can receive requests. Earlier messages to it are lost.
  shape({ kind: enumOf('online') }),
  // Statistics of the worker since its start.
  shape({ kind: enumOf('statistics'), statistics: statisticsSchema }),
  // Changes to the journal.
  shape({ kind: enumOf('journal'), batch: journalBatchSchema }),
);

export type Message = Infer<typeof messageSchema>;
export type ChannelRequest = Infer<typeof requestSchema>;
export type StartRequest = Extract<ChannelRequest, { type: 'start' }>;
export type TapRequest = Extract<ChannelRequest, { type: 'tap' }>;

export const isMessage = guard(messageSchema);

/** Guards for results of requests. null is the result of those that return nothing. */
export const isNothing = guard(NULL);
export const isCount = guard(COUNT);
export const isBoolean = guard(BOOLEAN);
export const isJournal = guard(journalSchema);
export const isMetricsView = guard(metricsViewSchema);
export const isHistory = guard(historySchema);
export const isConnectionEntries = guard(connectionEntriesSchema);
export const isStory = guard(storySchema);
/** A worker's result for `sample`. */
const workerSampleSchema = shape({ worker: COUNT, sample: sampleSchema });
export type WorkerSample = Infer<typeof workerSampleSchema>;
export const isWorkerSample = guard(oneOf(workerSampleSchema, NULL));
/** A worker's result for `tap`. */
export const isBatch = guard(batchSchema);
/** The primary's result for `tap`. */
export const isBatches = guard(arrayOf(batchSchema));

type SerializedCredentials = Infer<typeof credentialsSchema>;

export function serializeCredentials({
  cert,
  key,
  others = [],
  ca,
  ticketKeys,
}: ClusterCredentials): SerializedCredentials {
  return {
    cert: cert.toString(),
    key: key.toString(),
    others: others.map((each) => ({ cert: each.cert.toString(), key: each.key.toString() })),
    ca: ca?.toString(),
    ticketKeys: ticketKeys.toString('base64'),
  };
}

export function parseCredentials({
  cert,
  key,
  others,
  ca,
  ticketKeys,
}: SerializedCredentials): ClusterCredentials {
  return {
    cert,
    key,
    others,
    ...(ca !== undefined && { ca }),
    ticketKeys: Buffer.from(ticketKeys, 'base64'),
  };
}

/** Credentials, including the session-ticket keys that all workers share. */
export type ClusterCredentials = Credentials & Required<Pick<Credentials, 'ticketKeys'>>;
