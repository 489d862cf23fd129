import { createHash } from 'node:crypto';
import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  FIELD_LINES,
  NULL,
  nullable,
  NUMBER,
  objectSchema,
  oneOf,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';

const contentSchema = shape({
  // Bytes of content that arrived, without transfer coding.
  octets: COUNT,
  sha256: TEXT,
  // Whether the end of the content has arrived.
  complete: BOOLEAN,
});

const responseSchema = shape(
  {
    status: COUNT,
    // Of a gRPC call that has ended: the name of its status, or the number if it has none.
    grpc_status: TEXT,
    // The kind of fault, if the response has one.
    fault: TEXT,
    // Bytes of content that were handed over for sending.
    octets: COUNT,
  },
  ['grpc_status', 'fault'],
);

/** Why a response was not sent as a whole. */
const causeSchema = shape(
  {
    by: enumOf('client', 'wirebin', 'error'),
    // As in the tap's `closed` event, or `stream-reset`.
    reason: TEXT,
    // HTTP/2: the error code of the stream.
    error_code: TEXT,
  },
  ['error_code'],
);

/**
 * The outcome of a request: rejected as malformed; sent, if the operating system has taken the whole response (more is
 * not known); aborted by wirebin; disconnected, if the client or an error closed the connection or stream before the
 * end of the response; or lost, because the worker died.
 */
const OUTCOMES = ['rejected', 'sent', 'aborted', 'disconnected', 'lost'] as const;

/** A request, as docs/journal.md describes it. Plain data, which can be sent between processes. */
const entrySchema = objectSchema(
  'JournalEntry',
  {
    time: TEXT,
    instance: TEXT,
    worker: COUNT,
    conn: TEXT,
    request: COUNT,
    stream: COUNT,
    protocol: TEXT,
    method: TEXT,
    target: TEXT,
    target_length: COUNT,
    raw_headers: FIELD_LINES,
    raw_headers_left_out: COUNT,
    // The first bytes of a message that was rejected before it became a request.
    bytes: TEXT,
    attempt: COUNT,
    content: contentSchema,
    response: oneOf(responseSchema, NULL),
    outcome: oneOf(enumOf(...OUTCOMES), NULL),
    // HTTP/1.x: whether the client had sent FIN before the outcome. It may have left, or may still be reading.
    half_closed: BOOLEAN,
    cause: causeSchema,
    timing: shape({
      answered_ms: nullable(NUMBER),
      duration_ms: nullable(NUMBER),
    }),
  },
  [
    'instance',
    'worker',
    'stream',
    'target_length',
    'raw_headers_left_out',
    'bytes',
    'attempt',
    'half_closed',
    'cause',
  ],
);

export type JournalEntry = Infer<typeof entrySchema>;

/** The response of `/journal`: all that is kept of a key. */
export const journalSchema = objectSchema(
  'Journal',
  {
    key: TEXT,
    process: { ...TEXT, description: 'New with every start.' },
    attempts: { ...COUNT, description: 'Of /retry only.' },
    // Number of entries, including those that were left out.
    count: COUNT,
    // Number of entries removed because of the journal's limits.
    entries_left_out: COUNT,
    // Entries in the order in which their requests began.
    entries: arrayOf(entrySchema),
    next: { ...COUNT, description: '`after` for the entries that follow, if there are any.' },
  },
  ['next'],
);

export type JournalView = Infer<typeof journalSchema>;

/** The state of an entry, sent to the storage whenever it changes. */
const recordSchema = shape({
  key: TEXT,
  // The client's network: see `clientNetwork`.
  client: TEXT,
  // Entry id, unique among all processes.
  id: TEXT,
  // Whether this is the first report of the entry. Updates of entries that are no longer kept are ignored.
  isNew: BOOLEAN,
  entry: entrySchema,
});

export type JournalRecord = Infer<typeof recordSchema>;

/** Changes of the journal since the last batch. */
export const journalBatchSchema = shape({
  records: arrayOf(recordSchema),
  // Numbers of entries that were never sent because of too many at once, by key.
  leftOut: arrayOf(shape({ key: TEXT, client: TEXT, count: COUNT })),
});

export type JournalBatch = Infer<typeof journalBatchSchema>;

/** A key: a token (RFC 9110 5.6.2) of at most 128 characters. */
export const JOURNAL_KEY = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

export interface EntryOptions {
  /** Whether to show secrets. */
  readonly secrets: boolean;
}

export const EMPTY_DIGEST = createHash('sha256').digest('hex');

/** A `performance.now()` time in RFC 3339 format, with microseconds: retries may follow within a millisecond. */
export function timestamp(monotonic: number): string {
  const milliseconds = performance.timeOrigin + monotonic;
  const micros = Math.floor((milliseconds % 1) * 1000);
  const text = new Date(milliseconds).toISOString();
  return `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** The key of rejected messages whose own key is not known. */
export const REJECTED_KEY = 'rejected';

/** Estimated bytes of an entry in memory without its texts, and of a field. */
const OVERHEAD = 1000;
const FIELD_OVERHEAD = 100;

/** Estimates the memory of an entry in bytes. Updates hardly change it. */
export function entrySize({
  target,
  raw_headers: fields,
  bytes = '',
}: Pick<JournalEntry, 'target' | 'raw_headers' | 'bytes'>): number {
  let size = OVERHEAD + target.length + bytes.length;
  for (const field of fields) {
    size += FIELD_OVERHEAD;
    for (const text of field) size += text.length;
  }
  return size;
}
