import { Draft, type Http1Limits, type RawMessage } from './message.ts';

/** Estimated memory of a message in bytes, without its texts. */
const MESSAGE_COST = 400;
/** Estimated memory of a chunk in bytes, without its text. */
export const CHUNK_COST = 170;

/** Keeps the newest messages of one direction, within limits. */
export class MessageStore {
  readonly #limits: Pick<Http1Limits, 'messages' | 'bytes'>;
  /** Messages by number, oldest first. */
  readonly #messages = new Map<number, Draft>();
  /** Number of messages that have begun. */
  count = 0;
  /** Estimated memory of the messages in bytes. */
  bytesKept = 0;

  constructor(limits: Pick<Http1Limits, 'messages' | 'bytes'>) {
    this.#limits = limits;
  }

  get all(): Iterable<RawMessage> {
    return this.#messages.values();
  }

  /** A message by number. @returns undefined if it does not exist, or is no longer kept */
  get(number: number): RawMessage | undefined {
    return this.#messages.get(number);
  }

  /** Number of messages that are no longer kept. */
  get leftOut(): number {
    return this.count - this.#messages.size;
  }

  /** Whether more of the newest message may be kept. */
  get hasRoom(): boolean {
    return this.bytesKept < this.#limits.bytes;
  }

  /** Adds a message, and drops the oldest ones if the limits are exceeded. */
  add(offset: number, time: number): Draft {
    const message = new Draft(++this.count, offset, time);
    this.#messages.set(message.number, message);
    this.bytesKept += MESSAGE_COST;
    this.#forgetOldest();
    return message;
  }

  /** Call when the newest message takes more memory. */
  grown(bytes: number): void {
    this.bytesKept += bytes;
  }

  #forgetOldest(): void {
    const messages = this.#messages;
    while (
      messages.size > 1 &&
      (messages.size > this.#limits.messages || this.bytesKept > this.#limits.bytes)
    ) {
      const oldest = this.count - messages.size + 1;
      const forgotten = messages.get(oldest);
      if (forgotten) this.bytesKept -= messageMemory(forgotten);
      messages.delete(oldest);
    }
  }
}

function messageMemory({ head, trailers, chunks }: RawMessage): number {
  let size = MESSAGE_COST + head.text.length + (trailers?.text.length ?? 0);
  for (const { line } of chunks) size += line.length + CHUNK_COST;
  return size;
}
