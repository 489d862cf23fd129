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
  // Bytes that arrived, after removal of the transfer coding.
  octets: COUNT,
  sha256: TEXT,
  // Whether the end of the content has arrived.
  complete: BOOLEAN,
});

const responseSchema = shape(
  {
    status: COUNT,
    // The kind of fault, if the response has one.
    fault: TEXT,
    // Bytes of content handed over for sending.
    octets: COUNT,
  },
  ['fault'],
);

/** Why a response was not sent as a whole. */
const causeSchema = shape(
  {
    by: enumOf('client', 'wirebin', 'error'),
    // As in the `closed` event of the tap, or `stream-reset`.
    reason: TEXT,
    // HTTP/2: the error code of the stream.
    error_code: TEXT,
  },
  ['error_code'],
);

/**
 * What became of a request: rejected, because it was malformed; or of its response: sent, which is all that Node knows of one that the operating system has taken;
 * aborted by wirebin; or not sent as a whole because the client or an error closed the connection or stream, or
 * because the worker died.
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
    // Of a message that was rejected before it became a request: how it began.
    bytes: TEXT,
    attempt: COUNT,
    content: contentSchema,
    response: oneOf(responseSchema, NULL),
    outcome: oneOf(enumOf(...OUTCOMES), NULL),
    // HTTP/1.x: true if the client had sent FIN before the outcome. It may have left, or may be reading.
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

/** What is kept of a key, as it is shown. */
export const journalSchema = objectSchema(
  'Journal',
  {
    key: TEXT,
    process: { ...TEXT, description: 'New with every start.' },
    attempts: { ...COUNT, description: 'Of /retry only.' },
    // Including those left out.
    count: COUNT,
    // Removed by the limits of the journal.
    entries_left_out: COUNT,
    // In the order in which they began.
    entries: arrayOf(entrySchema),
    next: { ...COUNT, description: '`after` for the entries that follow, if there are any.' },
  },
  ['next'],
);

export type JournalView = Infer<typeof journalSchema>;

/** The state of an entry, sent to where entries are kept whenever it has changed. */
const recordSchema = shape({
  key: TEXT,
  // Who made the request: see `clientNetwork`.
  client: TEXT,
  // Unique in all processes.
  id: TEXT,
  // Whether the entry was not sent before. Others are dropped if it is no longer kept.
  isNew: BOOLEAN,
  entry: entrySchema,
});

export type JournalRecord = Infer<typeof recordSchema>;

/** What has changed since the last batch. */
export const journalBatchSchema = shape({
  records: arrayOf(recordSchema),
  // How many entries of a key were never sent, because there were too many at once.
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

/** A time of `performance.now()` as RFC 3339 with microseconds, since retries follow each other within a millisecond. */
export function timestamp(monotonic: number): string {
  const milliseconds = performance.timeOrigin + monotonic;
  const micros = Math.floor((milliseconds % 1) * 1000);
  const text = new Date(milliseconds).toISOString();
  return `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** The key of messages that were rejected, and whose own key is not known. */
export const REJECTED_KEY = 'rejected';

/** Memory of an entry besides its texts, in bytes. */
const OVERHEAD = 1000;
const FIELD_OVERHEAD = 100;

/** Estimates the memory that an entry takes, in bytes; updates hardly change it. */
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
