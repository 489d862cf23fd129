import type { AckRange } from '../../wire/quic/frames.ts';

/** Ranges that are kept. An ACK frame with all of them fits into a packet of 1,200 bytes. */
const MAX_RANGES = 64;

/** Ack-eliciting packets after which an ACK frame is sent without delay (RFC 9000 13.2.2). */
const PACKETS_PER_ACK = 2;

/** The packet numbers received in one packet number space, and when to acknowledge them (RFC 9000 13.2). */
export class AckRanges {
  /** Milliseconds that the ACK of an ack-eliciting packet may wait: 0 in the Initial and Handshake spaces (RFC 9000 13.2.1). */
  readonly #maxAckDelay: number;
  /** Ends of the ranges in ascending order, both included. */
  readonly #smallest: number[] = [];
  readonly #largest: number[] = [];
  /** Numbers up to it count as received: their ranges are forgotten (RFC 9000 13.2.3). */
  #forgotten = -1;
  /** Numbers up to it are no longer reported: the peer knows of them (RFC 9000 13.2.4). */
  #reported = -1;
  #largestAckEliciting = -1;
  #largestReceivedAt = 0;
  /** Ack-eliciting packets since the last ACK frame. */
  #unacknowledged = 0;
  #ackAt = Infinity;

  /** @param maxAckDelay in milliseconds: 0 in the Initial and Handshake spaces, otherwise the max_ack_delay that was sent */
  constructor(maxAckDelay: number) {
    this.#maxAckDelay = maxAckDelay;
  }

  /** The largest number received; -1 before the first packet. */
  get largest(): number {
    return this.#largest.at(-1) ?? -1;
  }

  /** When an ACK frame must be sent; undefined if nothing requires one. */
  get ackAt(): number | undefined {
    return this.#ackAt === Infinity ? undefined : this.#ackAt;
  }

  /** Whether ack-eliciting packets were received since the last ACK frame, which the next packet should then have (RFC 9000 13.2.1). */
  get hasUnacknowledged(): boolean {
    return this.#unacknowledged > 0;
  }

  /** Whether a packet must not be processed: it was before, or nobody knows any more (RFC 9000 12.3). */
  isDuplicate(number: number): boolean {
    if (number <= this.#forgotten) return true;
    const at = this.#rangeUpTo(number);
    return at >= 0 && number <= this.#largestOf(at);
  }

  /** Adds a packet that is no duplicate, once it is processed. */
  add(number: number, isAckEliciting: boolean, now: number): void {
    if (number > this.largest) this.#largestReceivedAt = now;
    const start = this.#insert(number);
    // What fills a gap late is reported again, with all after it.
    if (number <= this.#reported) this.#reported = number - 1;
    if (isAckEliciting) this.#schedule(number, start, now);
  }

  /** The ranges of an ACK frame: the newest first, without those that the peer knows to be received. */
  ranges(): readonly AckRange[] {
    const ranges: AckRange[] = [];
    for (let at = this.#largest.length - 1; at >= 0; at--) {
      const largest = this.#largestOf(at);
      if (largest <= this.#reported && ranges.length > 0) break;
      ranges.push({ smallest: this.#smallest[at] ?? largest, largest });
    }
    return ranges;
  }

  /** Milliseconds since the largest number was received, for the field ACK Delay (RFC 9000 13.2.5). */
  ackDelay(now: number): number {
    return Math.max(0, now - this.#largestReceivedAt);
  }

  /** An ACK frame is sent. */
  ackSent(): void {
    this.#unacknowledged = 0;
    this.#ackAt = Infinity;
  }

  /** The peer has acknowledged a packet with an ACK frame. @param largest the Largest Acknowledged of this frame */
  ackAcknowledged(largest: number): void {
    this.#reported = Math.max(this.#reported, largest);
  }

  #largestOf(at: number): number {
    return this.#largest[at] ?? -1;
  }

  /** Decides when an ack-eliciting packet is acknowledged (RFC 9000 13.2.1). @param start of the range that it is in */
  #schedule(number: number, start: number, now: number): void {
    this.#unacknowledged += 1;
    // Out of order or after a gap, an early ACK frame tells the peer what is missing.
    const isNext =
      number > this.#largestAckEliciting && start <= Math.max(this.#largestAckEliciting, 0);
    const delay = isNext && this.#unacknowledged < PACKETS_PER_ACK ? this.#maxAckDelay : 0;
    this.#ackAt = Math.min(this.#ackAt, now + delay);
    this.#largestAckEliciting = Math.max(this.#largestAckEliciting, number);
  }

  /** The index of the last range that begins at or below a number; -1 if none does. */
  #rangeUpTo(number: number): number {
    // Nearly always the newest range.
    let at = this.#smallest.length - 1;
    while (at >= 0 && (this.#smallest[at] ?? 0) > number) at--;
    return at;
  }

  /** @returns the start of the range that the number is in now */
  #insert(number: number): number {
    const at = this.#rangeUpTo(number);
    const joinsLower = at >= 0 && this.#largestOf(at) === number - 1;
    const joinsHigher = this.#smallest[at + 1] === number + 1;
    if (joinsLower && joinsHigher) {
      this.#largest.splice(at, 1);
      this.#smallest.splice(at + 1, 1);
    } else if (joinsLower) {
      this.#largest[at] = number;
    } else if (joinsHigher) {
      this.#smallest[at + 1] = number;
    } else {
      this.#smallest.splice(at + 1, 0, number);
      this.#largest.splice(at + 1, 0, number);
    }
    const start = joinsLower ? (this.#smallest[at] ?? number) : number;
    if (this.#largest.length > MAX_RANGES) this.#forgetOldest();
    return start;
  }

  #forgetOldest(): void {
    this.#smallest.shift();
    this.#forgotten = this.#largest.shift() ?? this.#forgotten;
  }
}
