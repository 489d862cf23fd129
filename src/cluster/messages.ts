import {
  isArrayOf,
  isCount,
  isLiteral,
  isObject,
  isOneOf,
  isOptional,
  isRecordOf,
  isString,
  isUnknown,
  type Guard,
  type Guarded,
} from '../telemetry/guard.ts';
import type { ConnectionCounts } from '../telemetry/connection-counts.ts';
import type { ConnectionEntries } from '../telemetry/connection-statistics.ts';
import type { MetricsView, Statistics } from '../telemetry/statistics.ts';
import type { TapFilter } from '../telemetry/tap/filter.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { EVENT_KINDS, type EventKind } from '../telemetry/tap/record.ts';
import type { Credentials } from '../net/tls-server.ts';

const isStatistics: Guard<Statistics> = isObject({
  total_requests: isCount,
  successes: isCount,
  failures: isCount,
  endpoint_hits: isRecordOf(isCount),
  proxy_faults: isRecordOf(isCount),
  terminations: isRecordOf(isCount),
});

/** Certificates and key in PEM, ticket keys in base64. */
const isSerializedCredentials = isObject({
  cert: isString,
  key: isString,
  ca: isOptional(isString),
  ticketKeys: isString,
});

const isEventKind: Guard<EventKind> = (value): value is EventKind =>
  EVENT_KINDS.some((kind) => kind === value);
const isTapFilter: Guard<TapFilter> = isObject({
  path: isOptional(isString),
  connection: isOptional(isString),
  kinds: isOptional(isArrayOf(isEventKind)),
});

const isChannelRequest = isOneOf(
  // Primary to worker. Start the service, or use other credentials for new handshakes:
  isObject({ type: isLiteral('start'), credentials: isSerializedCredentials, nonceKey: isString }),
  isObject({ type: isLiteral('renew-credentials'), credentials: isSerializedCredentials }),
  // Send the statistics before the response.
  isObject({ type: isLiteral('report') }),
  // Make /readyz fail. Then finish open requests and return the number of aborted ones.
  isObject({ type: isLiteral('mark-not-ready') }),
  isObject({ type: isLiteral('finish') }),
  // Worker to primary: the metrics of all workers.
  isObject({ type: isLiteral('metrics') }),
  // Both: connection statistics and tap events, from a worker its own, from the primary all workers'.
  isObject({ type: isLiteral('connections') }),
  isObject({ type: isLiteral('tap'), after: isOptional(isString), filter: isTapFilter }),
);

/** Every message between the primary and a worker, serialized as JSON. */
export const isMessage = isOneOf(
  // A connection for the worker; its socket is the handle of the message.
  isObject({ kind: isLiteral('connection'), id: isCount }),
  // The worker has received all connections up to this id, except those that were lost on the way.
  isObject({ kind: isLiteral('ack'), id: isCount }),
  isObject({ kind: isLiteral('request'), id: isCount, request: isChannelRequest }),
  // The caller of request() validates the result.
  isObject({ kind: isLiteral('response'), id: isCount, result: isUnknown }),
  isObject({ kind: isLiteral('error'), id: isCount, message: isString }),
  // The worker can receive requests; messages sent to it before are lost.
  isObject({ kind: isLiteral('online') }),
  // The worker's statistics since its start.
  isObject({ kind: isLiteral('statistics'), statistics: isStatistics }),
);

export type Message = Guarded<typeof isMessage>;
export type ChannelRequest = Guarded<typeof isChannelRequest>;
export type StartRequest = Extract<ChannelRequest, { type: 'start' }>;
export type TapRequest = Extract<ChannelRequest, { type: 'tap' }>;

/** The result of requests that return nothing. */
export const isNothing = isLiteral(null);
/** The result of `metrics`. */
export const isMetricsView: Guard<MetricsView> = isObject({
  all_time: isStatistics,
  last_hour: isStatistics,
});

const isConnectionCounts: Guard<ConnectionCounts> = isObject({
  open: isCount,
  closed: isCount,
  requests: isCount,
  open_requests: isCount,
  first: isCount,
  overlapping: isCount,
  most_concurrent: isCount,
  closed_after: isRecordOf(isCount),
  closed_by: isRecordOf(isCount),
  age_ms: isOneOf(isLiteral(null), isObject({ oldest: isCount, newest: isCount })),
});
/** The result of `connections`. */
export const isConnectionEntries: Guard<ConnectionEntries> = isObject({
  transports: isRecordOf(isConnectionCounts),
  handshakes: isObject({ done: isCount, failed: isCount, resumed: isCount }),
  open: isArrayOf(
    isObject({
      id: isString,
      transport: isString,
      remote: isString,
      age_ms: isCount,
      requests: isCount,
      open_requests: isCount,
      most_concurrent: isCount,
    }),
  ),
});

/** What a worker returns for `tap`; the primary returns a list of batches. */
export const isBatch: Guard<Batch> = isObject({
  origin: isString,
  from: isCount,
  next: isCount,
  end: isCount,
  events: isArrayOf(isObject({ number: isCount, text: isString })),
});

type SerializedCredentials = Guarded<typeof isSerializedCredentials>;

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
