import type { Role } from './frame.ts';
import type { Http2Stream } from './stream.ts';

/** Number of reset streams whose late frames are told from those on a stream that the peer has ended. */
const MAX_RESETS = 10_000;

const INITIAL_SLOTS = 16;
/** 2^32 divided by the golden ratio: streams that follow each other are far apart, so that few have to be moved. */
const GOLDEN = 0x9e3779b1;

/**
 * The streams of a connection.
 *
 * Those that are open are in a hash table of its own, with linear probing: V8's Map makes another table after so many
 * deletions, which the previous one refers to, so that once one is old, all later streams outlive the young generation.
 * That costs a third of the time of a small response.
 */
export class StreamTable<Owner> {
  readonly #role: Role;
  /** Open streams, at the slot of their identifier or in the next free one. Their number is a power of 2. */
  #slots: (Http2Stream<Owner> | undefined)[] = emptySlots(INITIAL_SLOTS);
  /** Bits of a hash that are not of a slot. */
  #shift = 32 - Math.log2(INITIAL_SLOTS);
  #size = 0;
  /** Streams that were reset, by whom. */
  readonly #resets = new Map<number, 'here' | 'peer'>();
  /** Identifiers of the last streams that this side and the peer have begun; 0 before the first. */
  lastOwn = 0;
  lastPeer = 0;

  constructor(role: Role) {
    this.#role = role;
  }

  /** Number of streams that are neither idle nor closed. */
  get size(): number {
    return this.#size;
  }

  get(id: number): Http2Stream<Owner> | undefined {
    return this.#slots[this.#slotOf(id)];
  }

  /** All open streams, as of now. */
  all(): readonly Http2Stream<Owner>[] {
    return this.#slots.filter((stream) => stream !== undefined);
  }

  /** Whether the peer begins streams with such identifiers (RFC 9113 5.1.1). Servers begin none, without push. */
  isOfPeer(id: number): boolean {
    return this.#role === 'server' && id % 2 === 1;
  }

  isIdle(id: number): boolean {
    if (id % 2 === 0) return true;
    return id > (this.#role === 'client' ? this.lastOwn : this.lastPeer);
  }

  /** By whom a closed stream was reset; undefined if it was ended, or reset long ago. */
  resetBy(id: number): 'here' | 'peer' | undefined {
    return this.#resets.get(id);
  }

  add(stream: Http2Stream<Owner>): void {
    if (2 * ++this.#size > this.#slots.length) this.#grow();
    this.#slots[this.#slotOf(stream.id)] = stream;
    if (this.#role === 'client') this.lastOwn = stream.id;
  }

  /** Removes a stream that both sides have ended. */
  remove({ id }: Http2Stream<Owner>): void {
    const slots = this.#slots;
    let free = this.#slotOf(id);
    if (slots[free] === undefined) return;
    this.#size--;
    slots[free] = undefined;
    // With linear probing, a stream in a later slot may have been placed there because this one was taken.
    const mask = slots.length - 1;
    for (let at = (free + 1) & mask; ; at = (at + 1) & mask) {
      const stream = slots[at];
      if (stream === undefined) return;
      if (((at - this.#homeOf(stream.id)) & mask) < ((at - free) & mask)) continue;
      slots[free] = stream;
      slots[at] = undefined;
      free = at;
    }
  }

  /** Notes who has reset a stream, which is closed now. */
  noteReset(id: number, by: 'here' | 'peer'): void {
    this.#resets.set(id, by);
    if (this.#resets.size > MAX_RESETS) {
      const [oldest = 0] = this.#resets.keys();
      this.#resets.delete(oldest);
    }
  }

  /** The slot of a stream; without one, the slot where it would be added. */
  #slotOf(id: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = this.#homeOf(id);
    while (slots[at] !== undefined && slots[at]?.id !== id) at = (at + 1) & mask;
    return at;
  }

  #homeOf(id: number): number {
    return Math.imul(id >>> 1, GOLDEN) >>> this.#shift;
  }

  #grow(): void {
    const streams = this.all();
    this.#slots = emptySlots(2 * this.#slots.length);
    this.#shift--;
    for (const stream of streams) this.#slots[this.#slotOf(stream.id)] = stream;
  }
}

function emptySlots<Stream>(count: number): (Stream | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}
