import type { Draft, Http1Limits, RawMessage } from './message.ts';

/** Memory of a message and a chunk without their text, in bytes. */
const MESSAGE_COST = 400;
export const CHUNK_COST = 170;

/** The messages of one direction, as many of the newest as the limits allow. */
export class MessageStore {
  readonly #limits: Pick<Http1Limits, 'messages' | 'bytes'>;
  /** By number, oldest first. */
  readonly #messages = new Map<number, Draft>();
  #count = 0;
  #bytesKept = 0;

  constructor(limits: Pick<Http1Limits, 'messages' | 'bytes'>) {
    this.#limits = limits;
  }

  get all(): Iterable<RawMessage> {
    return this.#messages.values();
  }

  /** @returns undefined if there is no such message, or it is no longer kept */
  get(number: number): RawMessage | undefined {
    return this.#messages.get(number);
  }

  /** All messages that have begun. */
  get count(): number {
    return this.#count;
  }

  /** Messages that are no longer kept. */
  get leftOut(): number {
    return this.#count - this.#messages.size;
  }

  /** Memory of the messages, in bytes, about. */
  get bytesKept(): number {
    return this.#bytesKept;
  }

  /** Whether more may be kept of the newest message. */
  get hasRoom(): boolean {
    return this.#bytesKept < this.#limits.bytes;
  }

  /** Begins a message, and forgets the oldest ones for it. */
  add(offset: number, time: number): Draft {
    const message = newDraft(++this.#count, offset, time);
    this.#messages.set(message.number, message);
    this.#bytesKept += MESSAGE_COST;
    this.#forgetOldest();
    return message;
  }

  /** Call when the newest message takes more memory. */
  grown(bytes: number): void {
    this.#bytesKept += bytes;
  }

  #forgetOldest(): void {
    const messages = this.#messages;
    while (
      messages.size > 1 &&
      (messages.size > this.#limits.messages || this.#bytesKept > this.#limits.bytes)
    ) {
      const oldest = this.#count - messages.size + 1;
      const forgotten = messages.get(oldest);
      if (forgotten) this.#bytesKept -= memoryOf(forgotten);
      messages.delete(oldest);
    }
  }
}

export function newDraft(number: number, offset: number, time: number): Draft {
  return {
    number,
    offset,
    head: { text: '', length: 0 },
    headComplete: false,
    framing: undefined,
    contentLength: 0,
    chunks: [],
    chunkCount: 0,
    trailers: undefined,
    length: undefined,
    startTime: time,
    headTime: undefined,
    endTime: undefined,
    ahead: 0,
    request: undefined,
  };
}

function memoryOf({ head, trailers, chunks }: RawMessage): number {
  let size = MESSAGE_COST + head.text.length + (trailers?.text.length ?? 0);
  for (const { line } of chunks) size += line.length + CHUNK_COST;
  return size;
}
