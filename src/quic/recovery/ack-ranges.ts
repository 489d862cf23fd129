import type { AckRange } from '../../wire/quic/frames.ts';
import { RangeSet } from '../range-set.ts';

/** Maximum ranges that are kept. An ACK frame with all of them fits into a packet of 1,200 bytes. */
const MAX_RANGES = 64;

/** Ack-eliciting packets after which an ACK frame is sent without delay (RFC 9000 13.2.2). */
const PACKETS_PER_ACK = 2;

/** The packet numbers received in one packet number space, and when to acknowledge them (RFC 9000 13.2). */
export class AckRanges {
  readonly #maxAckDelay: number;
  readonly #received = new RangeSet();
  /** Numbers up to this one count as received: their ranges are no longer kept (RFC 9000 13.2.3). */
  #forgotten = -1;
  /** Numbers up to this one are not reported again: the peer knows that they were received (RFC 9000 13.2.4). */
  #reported = -1;
  #largestAckEliciting = -1;
  #largestReceivedAt = 0;
  /** Ack-eliciting packets since the last ACK frame. */
  #unacknowledged = 0;
  #ackAt = Infinity;

  /**
   * @param maxAckDelay milliseconds for which the ACK of an ack-eliciting packet may wait: 0 in the Initial and Handshake spaces,
   *   otherwise the max_ack_delay that was sent (RFC 9000 13.2.1)
   */
  constructor(maxAckDelay: number) {
    this.#maxAckDelay = maxAckDelay;
  }

  /** The largest number received; -1 before the first packet. */
  get largest(): number {
    return (this.#received.last?.end ?? 0) - 1;
  }

  /** When an ACK frame must be sent; undefined if nothing requires one. */
  get ackAt(): number | undefined {
    return this.#ackAt === Infinity ? undefined : this.#ackAt;
  }

  /** Whether ack-eliciting packets await an ACK frame, which any packet sent should then include (RFC 9000 13.2.1). */
  get hasUnacknowledged(): boolean {
    return this.#unacknowledged > 0;
  }

  /** Whether a packet must not be processed: it was received before, or that is no longer known (RFC 9000 12.3). */
  isDuplicate(number: number): boolean {
    return number <= this.#forgotten || this.#received.has(number);
  }

  /** Adds a packet that is no duplicate, once it is processed. */
  add(number: number, isAckEliciting: boolean, now: number): void {
    if (number > this.largest) this.#largestReceivedAt = now;
    this.#received.add(number, number + 1);
    // A packet in a gap that was reported before is reported, with all after it.
    if (number <= this.#reported) this.#reported = number - 1;
    if (isAckEliciting) this.#schedule(number, now);
    if (this.#received.length > MAX_RANGES) this.#forgetOldest();
  }

  /** The ranges of an ACK frame, in descending order, without those whose acknowledgment the peer has. */
  ranges(): readonly AckRange[] {
    const ranges: AckRange[] = [];
    let at = this.#received.length;
    for (let range = this.#received.at(--at); range; range = this.#received.at(--at)) {
      const largest = range.end - 1;
      if (largest <= this.#reported && ranges.length > 0) break;
      ranges.push({ smallest: range.start, largest });
    }
    return ranges;
  }

  /** Milliseconds since the largest number was received, for the field ACK Delay (RFC 9000 13.2.5). */
  ackDelay(now: number): number {
    return Math.max(0, now - this.#largestReceivedAt);
  }

  /** Call when an ACK frame is sent. */
  ackSent(): void {
    this.#unacknowledged = 0;
    this.#ackAt = Infinity;
  }

  /** Call when the peer has acknowledged a packet with an ACK frame. @param largest the Largest Acknowledged of that frame */
  ackAcknowledged(largest: number): void {
    this.#reported = Math.max(this.#reported, largest);
  }

  /** Decides when an ack-eliciting packet is acknowledged (RFC 9000 13.2.1). */
  #schedule(number: number, now: number): void {
    this.#unacknowledged += 1;
    // Out of order or after a gap, an early ACK frame tells the peer what is missing.
    const isNext =
      number > this.#largestAckEliciting && !this.#hasGap(this.#largestAckEliciting, number);
    const delay = isNext && this.#unacknowledged < PACKETS_PER_ACK ? this.#maxAckDelay : 0;
    this.#ackAt = Math.min(this.#ackAt, now + delay);
    this.#largestAckEliciting = Math.max(this.#largestAckEliciting, number);
  }

  /** Whether a packet between two received ones is missing. @param from -1 for all before `to` */
  #hasGap(from: number, to: number): boolean {
    const start = this.#received.rangeOf(to)?.start ?? to;
    return start > Math.max(from, 0);
  }

  #forgetOldest(): void {
    const { first } = this.#received;
    if (!first) return;
    this.#forgotten = first.end - 1;
    this.#received.remove(first.start, first.end);
  }
}
