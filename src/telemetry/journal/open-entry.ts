import { createHash, type Hash } from 'node:crypto';
import type { NamedFault } from '../../server/fault.ts';
import { observeContent } from '../../server/body.ts';
import { toMicrosecond } from '../../server/timing.ts';
import { protocolOf } from '../../net/connection.ts';
import type { ObservedRequest, Request, RequestObserver } from '../../server/request.ts';
import type { CloseCause, TerminationReason } from '../../net/close-reason.ts';
import { clientNetworkOf } from '../../server/forwarding.ts';
import { fieldPairs } from '../../http/fields.ts';
import { statusText } from '../../wire/grpc/status.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { keptFieldsLength, MAX_METHOD_LENGTH, MAX_TARGET_LENGTH, truncate } from '../tap/record.ts';
import { redactField, redactTarget } from '../tap/redaction.ts';
import {
  EMPTY_DIGEST,
  entrySize,
  timestamp,
  type EntryOptions,
  type JournalEntry,
  type JournalRecord,
} from './entry.ts';

/** A journalled request whose response or content is not complete yet. */
export class OpenEntry implements RequestObserver {
  readonly key: string;
  /** The client's network: see `clientNetwork`. */
  readonly client: string;
  /** Estimated memory in bytes: see `entrySize`. */
  readonly size: number;
  /** Number of the attempt of /retry. */
  attempt: number | undefined;
  /** Whether the entry is not reported, because there were too many at once. */
  isLeftOut = false;
  readonly #id: string;
  readonly #request: Request;
  readonly #facts: ReturnType<typeof requestFacts>;
  readonly #onChange: (entry: OpenEntry) => void;
  #isNew = true;
  readonly #hash: Hash | undefined;
  #octets = 0;
  #hasContent: boolean;
  #answered: ObservedRequest | undefined;
  #status: number | undefined;
  #answeredAt: number | undefined;
  #end: Pick<JournalEntry, 'outcome' | 'cause'> | undefined;
  #endedAt: number | undefined;

  /**
   * @param id unique among all processes
   * @param onChange called when the result of `toRecord` has changed
   */
  constructor(
    key: string,
    id: string,
    request: Request,
    options: EntryOptions,
    onChange: (entry: OpenEntry) => void,
  ) {
    this.key = key;
    this.client = clientNetworkOf(request);
    this.#id = id;
    this.#request = request;
    this.#facts = requestFacts(request, options);
    this.size = entrySize(this.#facts);
    this.#onChange = onChange;
    this.#hasContent = request.isReceived || !request.hasBody;
    if (!request.hasBody) return;
    const content = createHash('sha256');
    this.#hash = content;
    observeContent(request, (piece) => {
      if (piece) {
        content.update(piece);
        this.#octets += piece.length;
      } else if (!request.body.closed) this.#hasContent = true;
      onChange(this);
    });
    request.body.once('close', () => onChange(this));
  }

  /** Whether the entry was never reported. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Whether nothing can change any more: the response has ended, and the content is complete or cut off. */
  get isOver(): boolean {
    return this.#end !== undefined && (this.#hasContent || this.#request.body.destroyed);
  }

  responded(request: ObservedRequest, status: number | undefined): void {
    this.#answered = request;
    this.#status = status;
    this.#answeredAt = performance.now();
    this.#onChange(this);
  }

  finished(request: ObservedRequest, isComplete: boolean): void {
    this.#endedAt = performance.now();
    this.#end = {
      ...(isComplete ? { outcome: 'sent' } : incompleteEnd(request, this.#answeredAt)),
      ...(!request.stream && request.connection.clientHalfClosed && { half_closed: true }),
    };
    this.#onChange(this);
  }

  /** The current state of the entry, for the storage. */
  toRecord(): JournalRecord {
    const isNew = this.#isNew;
    this.#isNew = false;
    const { receivedAt } = this.#request;
    const since = (time: number | undefined): number | null =>
      time === undefined ? null : toMicrosecond(time - receivedAt);
    const entry = {
      ...this.#facts,
      ...(this.attempt !== undefined && { attempt: this.attempt }),
      content: {
        octets: this.#octets,
        sha256: this.#hash?.copy().digest('hex') ?? EMPTY_DIGEST,
        complete: this.#hasContent,
      },
      response: this.#response(),
      outcome: null,
      ...this.#end,
      timing: { answered_ms: since(this.#answeredAt), duration_ms: since(this.#endedAt) },
    };
    return { key: this.key, client: this.client, id: this.#id, isNew, entry };
  }

  #response(): JournalEntry['response'] {
    if (this.#status === undefined || !this.#answered) return null;
    const { bytes: octets, fault, call } = this.#answered;
    return {
      status: this.#status,
      ...(call?.status !== undefined && { grpc_status: statusText(call.status) }),
      ...(fault && { fault: fault.kind }),
      octets,
    };
  }
}

/** The members of an entry that are known when the header section is complete. */
function requestFacts(request: Request, { secrets }: EntryOptions) {
  const { connection, stream, fields, receivedAt, rawTarget, method } = request;
  const { instance, worker } = connection;
  const target = secrets ? rawTarget : redactTarget(rawTarget);
  const keptLength = keptFieldsLength(fields);
  const omitted = (fields.length - keptLength) / 2;
  return {
    time: timestamp(receivedAt),
    ...(instance !== undefined && { instance }),
    ...(worker !== undefined && { worker }),
    conn: connection.id,
    request: request.requestNumber,
    ...(stream && { stream: stream.id }),
    protocol: protocolOf(request),
    method: truncate(method, MAX_METHOD_LENGTH),
    target: truncate(target, MAX_TARGET_LENGTH),
    ...(target.length > MAX_TARGET_LENGTH && { target_length: target.length }),
    raw_headers: Array.from(
      fieldPairs(fields.slice(0, keptLength)),
      ([name, value]): [string, string] => [
        name,
        secrets ? value : name === ':path' ? target : redactField(name, value),
      ],
    ),
    ...(omitted > 0 && { raw_headers_left_out: omitted }),
  };
}

/** The outcome and cause of an incomplete response. @param answeredAt when it began; undefined if it did not */
function incompleteEnd(
  { connection, stream, fault, terminated }: ObservedRequest,
  answeredAt: number | undefined,
): Pick<JournalEntry, 'outcome' | 'cause'> {
  const code = stream?.errorCode;
  const error = code !== undefined && code !== 0 && { error_code: errorCodeName(code) };
  const { by, reason } = connection.isOver
    ? connection.closeCause
    : resetCause(terminated, fault, answeredAt);
  return {
    outcome: by === 'wirebin' ? 'aborted' : 'disconnected',
    cause: { by, reason, ...error },
  };
}

/** Who reset a stream whose connection stays open. Node does not tell: it was the fault if its time had come. */
function resetCause(
  terminated: TerminationReason | undefined,
  fault: NamedFault | undefined,
  answeredAt = 0,
): Pick<CloseCause, 'by' | 'reason'> {
  if (terminated) return { by: 'wirebin', reason: terminated };
  const seconds = fault?.seconds ?? 0;
  const isOurs = fault !== undefined && performance.now() - answeredAt >= seconds * 1000;
  return isOurs ? { by: 'wirebin', reason: 'fault' } : { by: 'client', reason: 'stream-reset' };
}
