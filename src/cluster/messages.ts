import {
  is,
  isAnything,
  isCount,
  isList,
  isMap,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Guard,
  type Guarded,
} from '../telemetry/guard.ts';
import type { ConnectionCounts } from '../telemetry/connection-counts.ts';
import type { ConnectionEntries } from '../telemetry/connection-statistics.ts';
import type { MetricsView, Statistics } from '../telemetry/statistics.ts';
import type { TapFilter } from '../telemetry/tap/filter.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { KINDS, type Kind } from '../telemetry/tap/record.ts';
import type { Credentials } from '../net/tls-server.ts';

const isStatistics: Guard<Statistics> = isObject({
  total_requests: isCount,
  successes: isCount,
  failures: isCount,
  endpoint_hits: isMap(isCount),
  proxy_faults: isMap(isCount),
  cuts: isMap(isCount),
});

/** Credentials as text: PEM, and the ticket keys in base64. */
const isSentCredentials = isObject({
  cert: isText,
  key: isText,
  ca: isOptional(isText),
  ticketKeys: isText,
});

const isKind: Guard<Kind> = (value): value is Kind => KINDS.some((kind) => kind === value);
const isTapFilter: Guard<TapFilter> = isObject({
  path: isOptional(isText),
  connection: isOptional(isText),
  kinds: isOptional(isList(isKind)),
});

const isQuestion = isOneOf(
  // What the primary asks a worker. To begin its service, or to use other credentials from now on:
  isObject({ about: is('start'), credentials: isSentCredentials, nonceKey: isText }),
  isObject({ about: is('renew'), credentials: isSentCredentials }),
  // To send its counts before the answer.
  isObject({ about: is('report') }),
  // To say that it is not ready; then, to finish what is open and say how many requests it cut.
  isObject({ about: is('retire') }),
  isObject({ about: is('finish') }),
  // To tell of its connections, and of what its tap has kept.
  isObject({ about: is('ledger') }),
  isObject({ about: is('look'), after: isOptional(isText), filter: isTapFilter }),
  // What a worker asks the primary: the metrics of all workers, their connections and their taps.
  isObject({ about: is('metrics') }),
  isObject({ about: is('connections') }),
  isObject({ about: is('looks'), after: isOptional(isText), filter: isTapFilter }),
);

/** All that goes between the primary and a worker, in JSON. */
export const isMessage = isOneOf(
  // A connection for the worker; its socket comes with the message.
  isObject({ kind: is('connection'), id: isCount }),
  // The worker has the connections up to that id, as far as they got through.
  isObject({ kind: is('taken'), id: isCount }),
  isObject({ kind: is('question'), id: isCount, question: isQuestion }),
  // To the question of that id. Who asked knows what is an answer.
  isObject({ kind: is('answer'), id: isCount, answer: isAnything }),
  isObject({ kind: is('failure'), id: isCount, reason: isText }),
  // A worker can be asked: what is sent before is lost.
  isObject({ kind: is('online') }),
  // What a worker has counted since its start.
  isObject({ kind: is('counts'), counts: isStatistics }),
);

export type Message = Guarded<typeof isMessage>;
export type Question = Guarded<typeof isQuestion>;
export type Start = Extract<Question, { about: 'start' }>;

/** The answer where nothing is to be said. */
export const isDone = is(null);
/** The answer to `metrics`. */
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
  closed_after: isMap(isCount),
  closed_by: isMap(isCount),
  age_ms: isOneOf(is(null), isObject({ oldest: isCount, newest: isCount })),
});
/** The answer to `ledger` and to `connections`. */
export const isLedgerEntries: Guard<ConnectionEntries> = isObject({
  transports: isMap(isConnectionCounts),
  handshakes: isObject({ done: isCount, failed: isCount, resumed: isCount }),
  open: isList(
    isObject({
      id: isText,
      transport: isText,
      remote: isText,
      age_ms: isCount,
      requests: isCount,
      open_requests: isCount,
      most_concurrent: isCount,
    }),
  ),
});

/** The answer to `look`; that to `looks` is a list of them. */
export const isLook: Guard<Batch> = isObject({
  origin: isText,
  from: isCount,
  next: isCount,
  end: isCount,
  found: isList(isObject({ number: isCount, message: isText })),
});

type SentCredentials = Guarded<typeof isSentCredentials>;

export function sentCredentials({ cert, key, ca, ticketKeys }: Shared): SentCredentials {
  return {
    cert: cert.toString(),
    key: key.toString(),
    ca: ca?.toString(),
    ticketKeys: inBase64(ticketKeys),
  };
}

export function receivedCredentials({ cert, key, ca, ticketKeys }: SentCredentials): Shared {
  return { cert, key, ...(ca !== undefined && { ca }), ticketKeys: fromBase64(ticketKeys) };
}

export function inBase64(bytes: Buffer): string {
  return bytes.toString('base64');
}

export function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

/** Credentials of which no process has its own. */
export type Shared = Credentials & Required<Pick<Credentials, 'ticketKeys'>>;
