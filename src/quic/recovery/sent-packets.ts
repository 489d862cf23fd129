import type { AckRange } from '../../wire/quic/frames.ts';

/** A packet in flight: one that is ack-eliciting or has PADDING (RFC 9002 2). */
export interface SentPacket<Content> {
  readonly number: number;
  /** In milliseconds, on the clock of the connection. */
  readonly sentAt: number;
  /** Bytes, from the header to the end of the AEAD tag. */
  readonly size: number;
  readonly isAckEliciting: boolean;
  /** Returned to the owner when the packet is acknowledged or lost. */
  readonly content: Content;
}

/** kPacketThreshold: a packet is lost if one with a number this much higher is acknowledged (RFC 9002 6.1.1). */
const PACKET_THRESHOLD = 3;

/** Minimum number of resolved entries that are removed together, so that each entry is moved rarely. */
const MIN_REMOVED = 32;

/**
 * The packets in flight of one packet number space, in ascending order. Each ACK frame resolves most packets up to the largest
 * acknowledged one: only those within both thresholds stay. So its cost is proportional to what it resolves.
 */
export class SentPackets<Content> {
  readonly #packets: SentPacket<Content>[] = [];
  /** The index of the first packet in flight; entries before it are resolved. */
  #head = 0;
  #next = 0;
  /** The last skipped number; -1 without one (RFC 9000 21.4). */
  #skipped = -1;
  #largestAcknowledged = -1;
  #ackEliciting = 0;
  #lastAckElicitingAt = 0;
  #lossTime = Infinity;

  /** The largest number acknowledged; -1 before the first. */
  get largestAcknowledged(): number {
    return this.#largestAcknowledged;
  }

  /** When the next packet is lost by the time threshold (RFC 9002 6.1.2); Infinity if none can be. */
  get lossTime(): number {
    return this.#lossTime;
  }

  get hasAckEliciting(): boolean {
    return this.#ackEliciting > 0;
  }

  /** When the last ack-eliciting packet was sent. */
  get lastAckElicitingAt(): number {
    return this.#lastAckElicitingAt;
  }

  /** The packets in flight, the oldest first. */
  inFlight(): readonly SentPacket<Content>[] {
    return this.#packets.slice(this.#head);
  }

  /** Adds a packet in flight. Numbers ascend. The last skipped one is remembered, to detect optimistic ACKs (RFC 9000 21.4). */
  add(packet: SentPacket<Content>): void {
    this.addUntracked(packet.number);
    this.#packets.push(packet);
    if (!packet.isAckEliciting) return;
    this.#ackEliciting += 1;
    this.#lastAckElicitingAt = packet.sentAt;
  }

  /** Notes the number of a packet with only ACK frames. It is not kept, because the peer may never acknowledge it. */
  addUntracked(number: number): void {
    if (number > this.#next) this.#skipped = number - 1;
    this.#next = number + 1;
  }

  /** The first number in the ranges of an ACK frame that was not sent; undefined if all were. */
  neverSent(ranges: readonly AckRange[]): number | undefined {
    const largest = ranges[0]?.largest ?? -1;
    if (largest >= this.#next) return largest;
    if (this.#skipped <= this.#largestAcknowledged) return undefined;
    const hasSkipped = ranges.some(
      (range) => range.smallest <= this.#skipped && this.#skipped <= range.largest,
    );
    return hasSkipped ? this.#skipped : undefined;
  }

  /**
   * Removes the packets that an ACK frame acknowledges.
   *
   * @param ranges in descending order, of numbers that were sent
   * @returns those that were in flight, in ascending order
   */
  acknowledge(ranges: readonly AckRange[]): readonly SentPacket<Content>[] {
    const largest = ranges[0]?.largest ?? -1;
    this.#largestAcknowledged = Math.max(this.#largestAcknowledged, largest);
    let range = ranges.length - 1;
    return this.#take(largest, ({ number }) => {
      while (range > 0 && (ranges[range]?.largest ?? largest) < number) range -= 1;
      return (ranges[range]?.smallest ?? Infinity) <= number;
    });
  }

  /**
   * Removes the packets that are lost, and sets `lossTime` for the others before the largest acknowledged one
   * (RFC 9002 6.1).
   *
   * @param delay the time threshold in milliseconds
   */
  detectLost(delay: number, now: number): readonly SentPacket<Content>[] {
    this.#lossTime = Infinity;
    return this.#take(this.#largestAcknowledged, ({ number, sentAt }) => {
      const lossTime = sentAt + delay;
      if (number <= this.#largestAcknowledged - PACKET_THRESHOLD || lossTime <= now) return true;
      this.#lossTime = Math.min(this.#lossTime, lossTime);
      return false;
    });
  }

  /** Removes all packets, as those whose keys are discarded (RFC 9002 6.4). @returns those that were in flight */
  discard(): readonly SentPacket<Content>[] {
    this.#lossTime = Infinity;
    return this.#take(Infinity, () => true);
  }

  /** Removes the packets up to a number that a condition holds for. @returns them, in ascending order */
  #take(
    upTo: number,
    isTaken: (packet: SentPacket<Content>) => boolean,
  ): readonly SentPacket<Content>[] {
    const packets = this.#packets;
    const taken: SentPacket<Content>[] = [];
    const kept: SentPacket<Content>[] = [];
    let at = this.#head;
    for (; at < packets.length; at++) {
      const packet = packets[at];
      if (packet === undefined || packet.number > upTo) break;
      if (!isTaken(packet)) {
        kept.push(packet);
      } else {
        taken.push(packet);
        if (packet.isAckEliciting) this.#ackEliciting -= 1;
      }
    }
    // The few that are kept move to the end of the entries visited.
    while (kept.length > 0) {
      const packet = kept.pop();
      at -= 1;
      if (packet !== undefined) packets[at] = packet;
    }
    this.#head = at;
    this.#removeResolved();
    return taken;
  }

  #removeResolved(): void {
    const { length } = this.#packets;
    if (this.#head < length && (this.#head < MIN_REMOVED || 2 * this.#head < length)) return;
    this.#packets.splice(0, this.#head);
    this.#head = 0;
  }
}
