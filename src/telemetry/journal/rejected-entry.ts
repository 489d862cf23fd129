import { clientNetwork } from '../../http/ip-address.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import { JOURNAL_FIELD } from '../../server/observer.ts';
import { redactForTap } from '../rejected-message.ts';
import { MAX_METHOD_LENGTH, MAX_TARGET_LENGTH, truncate } from '../tap/record.ts';
import {
  EMPTY_DIGEST,
  entrySize,
  REJECTED_KEY,
  timestamp,
  type EntryOptions,
  type JournalEntry,
  type JournalRecord,
} from './entry.ts';

const KEY_LINE = new RegExp(
  `(?:^|[\\r\\n])${JOURNAL_FIELD}[ \\t]*:[ \\t]*([!#$%&'*+.^_\`|~0-9A-Za-z-]{1,128})`,
  'i',
);

/** The journal key in a rejected message, as far as the message could be read; undefined if there is none. */
function journalKey({ text, frames = [] }: RejectedMessage): string | undefined {
  const field = frames.find(({ name }) => name === JOURNAL_FIELD);
  return field?.value ?? (text === undefined ? undefined : KEY_LINE.exec(text)?.[1]);
}

/** A rejected message, which never became a request. Its entry is complete from the start. */
export class RejectedEntry {
  readonly key: string;
  readonly client: string;
  readonly size: number;
  readonly isNew = true;
  isLeftOut = false;
  readonly #id: string;
  readonly #entry: JournalEntry;

  /** @param id unique among all processes */
  constructor(
    id: string,
    connection: Connection,
    error: Error,
    message: RejectedMessage = {},
    { secrets }: EntryOptions,
  ) {
    const key = journalKey(message);
    this.key = key ?? REJECTED_KEY;
    this.client = clientNetwork(connection.remoteAddress);
    this.#id = id;
    // Anyone can read the entries of `rejected`, so they do not contain the message.
    this.#entry = rejectedEntry(connection, error, key === undefined ? {} : message, secrets);
    this.size = entrySize(this.#entry);
  }

  toRecord(): JournalRecord {
    return { key: this.key, client: this.client, id: this.#id, isNew: true, entry: this.#entry };
  }
}

function rejectedEntry(
  connection: Connection,
  error: Error,
  message: RejectedMessage,
  secrets: boolean,
): JournalEntry {
  const { instance, worker, id, requests, protocol } = connection;
  const { method, path, query, bytes } = redactForTap(message, secrets);
  const target = query ? `${path}?${query}` : (path ?? '');
  const stream = 'stream' in error && typeof error.stream === 'number' ? error.stream : undefined;
  return {
    time: timestamp(performance.now()),
    ...(instance !== undefined && { instance }),
    ...(worker !== undefined && { worker }),
    conn: id,
    request: requests.total + 1,
    ...(stream !== undefined && { stream }),
    protocol: protocol ?? '',
    method: truncate(method ?? '', MAX_METHOD_LENGTH),
    target: truncate(target, MAX_TARGET_LENGTH),
    raw_headers: [],
    ...(bytes !== null && { bytes }),
    content: { octets: 0, sha256: EMPTY_DIGEST, complete: false },
    response:
      error instanceof Problem
        ? { status: error.status, octets: Buffer.byteLength(error.toDocument()) }
        : null,
    outcome: 'rejected',
    cause: { by: 'wirebin', reason: error instanceof Problem ? error.code : 'protocol-error' },
    timing: { answered_ms: null, duration_ms: 0 },
  };
}
