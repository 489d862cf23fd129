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

/** Certificates and key in PEM, ticket keys in base64. */
const credentialsSchema = shape({ cert: TEXT, key: TEXT, ca: TEXT, ticketKeys: TEXT }, ['ca']);

const requestSchema = oneOf(
  // Primary to worker. Start the service, or use other credentials for new handshakes:
  shape({
    type: enumOf('start'),
    credentials: credentialsSchema,
    nonceKey: TEXT,
    process: TEXT,
    ready: BOOLEAN,
    draining: BOOLEAN,
  }),
  shape({ type: enumOf('renew-credentials'), credentials: credentialsSchema }),
  // Send the statistics and the changes to the journal before the response.
  shape({ type: enumOf('report') }),
  // The same, once all messages that were rejected so far are in the journal.
  shape({ type: enumOf('settle-rejections') }),
  // The state of the worker; null if metrics are off or the service has not started.
  shape({ type: enumOf('sample') }),
  // Make /readyz fail. Then finish open requests and return the number of aborted ones.
  shape({ type: enumOf('mark-not-ready') }),
  shape({ type: enumOf('finish') }),
  // The same without a stop, and serve again.
  shape({ type: enumOf('drain-connections'), timeout: NUMBER }),
  shape({ type: enumOf('resume') }),
  // Both: what /control/ready was asked for.
  shape({ type: enumOf('set-ready'), ready: BOOLEAN }),
  // Worker to primary: what the rest of /control was asked for.
  shape({ type: enumOf('rehearse-drain'), lag: NUMBER, timeout: NUMBER, down: NUMBER }),
  shape({ type: enumOf('exit'), code: COUNT }),
  // Worker to primary: the metrics of all workers.
  shape({ type: enumOf('metrics') }),
  shape({ type: enumOf('metrics-history') }),
  // Worker to primary: count an attempt; read a page of a key of the journal or forget the key; wait for entries of one.
  shape({ type: enumOf('count-attempt'), key: TEXT, client: TEXT }),
  shape({ type: enumOf('read-journal'), key: TEXT, after: COUNT, limit: COUNT }),
  shape({ type: enumOf('forget-journal'), key: TEXT }),
  shape({ type: enumOf('await-journal'), goal: goalSchema, timeout: COUNT }),
  // Both: connection statistics and tap events, from a worker its own, from the primary all workers'.
  shape({ type: enumOf('connections') }),
  // Both: a page of the story of a connection; null if this worker has not served it.
  shape(
    { type: enumOf('story'), connection: TEXT, format: storyFormatSchema, after: storyPlaceSchema },
    ['after'],
  ),
  shape({ type: enumOf('tap'), after: TEXT, filter: tapFilterSchema }, ['after']),
);

/** Every message between the primary and a worker, serialized as JSON. */
const messageSchema = oneOf(
  // A connection for the worker; its socket is the handle of the message.
  shape({ kind: enumOf('connection'), id: COUNT }),
  // The worker has received all connections up to this id, except those that were lost on the way.
  shape({ kind: enumOf('ack'), id: COUNT }),
  shape({ kind: enumOf('request'), id: COUNT, request: requestSchema }),
  // The caller of request() validates the result.
  shape({ kind: enumOf('response'), id: COUNT, result: ANY }, ['result']),
  shape({ kind: enumOf('error'), id: COUNT, message: TEXT }),
  // The worker can receive requests; messages sent to it before are lost.
  shape({ kind: enumOf('online') }),
  // The worker's statistics since its start.
  shape({ kind: enumOf('statistics'), statistics: statisticsSchema }),
  // Changes to the journal.
  shape({ kind: enumOf('journal'), batch: journalBatchSchema }),
);

export type Message = Infer<typeof messageSchema>;
export type ChannelRequest = Infer<typeof requestSchema>;
export type StartRequest = Extract<ChannelRequest, { type: 'start' }>;
export type TapRequest = Extract<ChannelRequest, { type: 'tap' }>;

export const isMessage = guard(messageSchema);

/** The results of requests; null of those that return nothing. */
export const isNothing = guard(NULL);
export const isCount = guard(COUNT);
export const isBoolean = guard(BOOLEAN);
export const isJournal = guard(journalSchema);
export const isMetricsView = guard(metricsViewSchema);
export const isHistory = guard(historySchema);
export const isConnectionEntries = guard(connectionEntriesSchema);
export const isStory = guard(storySchema);
/** What a worker returns for `sample`. */
const workerSampleSchema = shape({ worker: COUNT, sample: sampleSchema });
export type WorkerSample = Infer<typeof workerSampleSchema>;
export const isWorkerSample = guard(oneOf(workerSampleSchema, NULL));
/** What a worker returns for `tap`. */
export const isBatch = guard(batchSchema);
/** What the primary returns for it. */
export const isBatches = guard(arrayOf(batchSchema));

type SerializedCredentials = Infer<typeof credentialsSchema>;

export function serializeCredentials({
  cert,
  key,
  ca,
  ticketKeys,
}: ClusterCredentials): SerializedCredentials {
  return {
    cert: cert.toString(),
    key: key.toString(),
    ca: ca?.toString(),
    ticketKeys: ticketKeys.toString('base64'),
  };
}

export function parseCredentials({
  cert,
  key,
  ca,
  ticketKeys,
}: SerializedCredentials): ClusterCredentials {
  return {
    cert,
    key,
    ...(ca !== undefined && { ca }),
    ticketKeys: Buffer.from(ticketKeys, 'base64'),
  };
}

/** Credentials, including the session-ticket keys that all workers share. */
export type ClusterCredentials = Credentials & Required<Pick<Credentials, 'ticketKeys'>>;
