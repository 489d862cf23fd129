import type { AckRange } from '../../wire/quic/frames.ts';
import type { Role } from '../../wire/quic/names.ts';
import { violation, type Violation } from '../../wire/quic/violation.ts';
import { PACKET_NUMBER_SPACES, type PacketNumberSpace } from '../packet-number-space.ts';
import { CongestionControl, initialWindow } from './congestion.ts';
import { Pacer } from './pacing.ts';
import { RttEstimator } from './rtt.ts';
import { SentPackets, type SentPacket } from './sent-packets.ts';

/** State of the handshake, which its owner keeps current. It is read whenever a timer depends on it. */
export interface HandshakeStatus {
  readonly hasHandshakeKeys: boolean;
  /** RFC 9001 4.1.2. */
  readonly isConfirmed: boolean;
  /** Whether a server may send nothing before the client sends more (RFC 9000 8.1). */
  readonly isAmplificationLimited: boolean;
}

/** The packets that an ACK frame has resolved, in the order in which they were sent. */
export interface Resolved<Content> {
  readonly acknowledged: readonly SentPacket<Content>[];
  readonly lost: readonly SentPacket<Content>[];
}

/** What to do after the timer of `nextTimeout` has expired. */
export interface Expired<Content> {
  readonly lost: readonly SentPacket<Content>[];
  /** The space to send one or two ack-eliciting packets in, whatever the window and the pace (RFC 9002 6.2.4). */
  readonly probe: PacketNumberSpace | undefined;
}

/**
 * Loss detection of RFC 9002 6 for the packets sent on a path, with the congestion controller and the pacer that it informs.
 * Times are in milliseconds. It has no timer: the owner calls `expire` at `nextTimeout`, which each call may change.
 */
export class LossDetection<Content> {
  readonly rtt = new RttEstimator();
  readonly congestion: CongestionControl;
  readonly #pacer: Pacer;
  readonly #role: Role;
  readonly #handshake: HandshakeStatus;
  readonly #spaces = {
    initial: new SentPackets<Content>(),
    handshake: new SentPackets<Content>(),
    application: new SentPackets<Content>(),
  };
  /** Probe timeouts since the last acknowledgment: pto_count of RFC 9002 A.3. */
  #probeTimeouts = 0;
  /** When the timer of a client with nothing in flight was last set (RFC 9002 6.2.2.1). */
  #setAt: number;
  #hasHandshakeAck = false;
  /** When the newest acknowledged packet of any space was sent. */
  #acknowledgedSentAt = -Infinity;

  /** @param maxDatagramSize bytes of UDP payload that are sent at most */
  constructor(role: Role, handshake: HandshakeStatus, maxDatagramSize: number, now: number) {
    this.#role = role;
    this.#handshake = handshake;
    this.#setAt = now;
    this.congestion = new CongestionControl(maxDatagramSize);
    this.#pacer = new Pacer(initialWindow(maxDatagramSize), this.rtt.smoothed);
  }

  /** The largest number that the peer has acknowledged, for encoding the next ones; -1 before the first. */
  largestAcknowledged(space: PacketNumberSpace): number {
    return this.#in(space).largestAcknowledged;
  }

  /** The packets in flight, the oldest first: what a probe may send again. */
  inFlight(space: PacketNumberSpace): readonly SentPacket<Content>[] {
    return this.#in(space).inFlight();
  }

  /**
   * When a packet of this size that counts as in flight may be sent: `now`, a later time, or Infinity if the window is full.
   * Probes and packets with only ACK frames do not wait for it.
   */
  nextSendTime(size: number, now: number): number {
    return this.congestion.allows(size) ? this.#pacer.nextSendTime(size, now) : Infinity;
  }

  /**
   * Notes a sent packet that counts as in flight. Its number is above all earlier ones of the space. Send few packets with
   * only PADDING: they elicit no acknowledgment, and can fill the window (RFC 9000 13.2.7).
   */
  sent(space: PacketNumberSpace, packet: SentPacket<Content>): void {
    this.#in(space).add(packet);
    this.congestion.sent(packet.size);
    this.#pacer.sent(packet.size, packet.sentAt);
    this.#setAt = packet.sentAt;
  }

  /** Notes a sent packet with only ACK frames, which does not count as in flight (RFC 9002 2). */
  sentAckOnly(space: PacketNumberSpace, number: number): void {
    this.#in(space).addUntracked(number);
  }

  /**
   * Processes an ACK frame (RFC 9002 A.7).
   *
   * @param ranges in descending order, at least one
   * @param ackDelay in milliseconds: the field ACK Delay, decoded with the peer's ack_delay_exponent
   */
  acknowledge(
    space: PacketNumberSpace,
    ranges: readonly AckRange[],
    ackDelay: number,
    now: number,
  ): Resolved<Content> | Violation {
    const packets = this.#in(space);
    const neverSent = packets.neverSent(ranges);
    if (neverSent !== undefined) {
      const reason = `an ACK of packet ${neverSent}, which was never sent`;
      return violation('RFC 9000 13.1', reason);
    }
    const previous = packets.largestAcknowledged;
    const acknowledged = packets.acknowledge(ranges);
    if (acknowledged.length === 0 && packets.largestAcknowledged === previous) {
      return { acknowledged, lost: [] };
    }
    this.#sampleRtt(packets.largestAcknowledged, acknowledged, ackDelay, now);
    const lost = this.#detectLost(packets, acknowledged, now);
    for (const packet of acknowledged) {
      this.congestion.acknowledged(packet, now, this.rtt.smoothed);
    }
    this.#pacer.setRate(this.congestion.window, this.rtt.smoothed, now);
    if (space === 'handshake') this.#hasHandshakeAck = true;
    if (this.#isAddressValidated()) this.#probeTimeouts = 0;
    this.#setAt = now;
    return { acknowledged, lost };
  }

  /** When to call `expire`: at once if that is past. undefined if nothing is awaited (RFC 9002 A.8). */
  nextTimeout(): number | undefined {
    const at = this.#nextToLose()?.lossTime ?? this.#nextProbe().at;
    return at === Infinity ? undefined : at;
  }

  /** Does what is due. Before `nextTimeout`, nothing is. */
  expire(now: number): Expired<Content> {
    const late = this.#nextToLose();
    if (late) {
      const lost = late.lossTime <= now ? this.#detectLost(late, [], now) : [];
      return { lost, probe: undefined };
    }
    const { at, space } = this.#nextProbe();
    if (at > now) return { lost: [], probe: undefined };
    this.#probeTimeouts += 1;
    this.#setAt = now;
    return { lost: [], probe: space };
  }

  /** Forgets the packets of a space whose keys are discarded (RFC 9002 6.4). */
  discard(space: PacketNumberSpace, now: number): void {
    this.congestion.discarded(this.#in(space).discard());
    this.#probeTimeouts = 0;
    this.#setAt = now;
  }

  #in(space: PacketNumberSpace): SentPackets<Content> {
    return this.#spaces[space];
  }

  /** Takes a sample if the largest number is newly acknowledged, with an ack-eliciting packet (RFC 9002 5.1). */
  #sampleRtt(
    largest: number,
    acknowledged: readonly SentPacket<Content>[],
    ackDelay: number,
    now: number,
  ): void {
    const newest = acknowledged.at(-1);
    if (newest?.number !== largest) return;
    if (!newest.isAckEliciting && !acknowledged.some((packet) => packet.isAckEliciting)) return;
    this.rtt.addSample(now - newest.sentAt, ackDelay, this.#handshake.isConfirmed, now);
  }

  #detectLost(
    packets: SentPackets<Content>,
    acknowledged: readonly SentPacket<Content>[],
    now: number,
  ): readonly SentPacket<Content>[] {
    const lost = packets.detectLost(this.rtt.lossDelay, now);
    if (lost.length > 0) {
      this.congestion.lost(lost, now);
      const since = Math.max(this.rtt.firstSampleAt, this.#acknowledgedSentAt);
      if (lossDuration(lost, acknowledged, since) > this.rtt.persistentCongestionDuration) {
        this.congestion.collapse();
        this.rtt.restartMin();
      }
      this.#pacer.setRate(this.congestion.window, this.rtt.smoothed, now);
    }
    const newest = acknowledged.at(-1)?.sentAt ?? -Infinity;
    this.#acknowledgedSentAt = Math.max(this.#acknowledgedSentAt, newest);
    return lost;
  }

  /** The space whose packets are lost next by the time threshold. */
  #nextToLose(): SentPackets<Content> | undefined {
    let next: SentPackets<Content> | undefined;
    for (const space of PACKET_NUMBER_SPACES) {
      const packets = this.#in(space);
      if (packets.lossTime < (next?.lossTime ?? Infinity)) next = packets;
    }
    return next;
  }

  /** When the next probe is due, or Infinity, and where (RFC 9002 A.8). */
  #nextProbe(): { at: number; space: PacketNumberSpace } {
    const { hasHandshakeKeys, isConfirmed, isAmplificationLimited } = this.#handshake;
    const backoff = 2 ** this.#probeTimeouts;
    let earliest = Infinity;
    let where: PacketNumberSpace = 'initial';
    if (isAmplificationLimited) return { at: earliest, space: where };
    for (const space of PACKET_NUMBER_SPACES) {
      const isApplication = space === 'application';
      const packets = this.#in(space);
      // Until then, the peer may have no keys to read or to acknowledge 1-RTT packets (RFC 9002 6.2.1).
      if (!packets.hasAckEliciting || (isApplication && !isConfirmed)) continue;
      const delay = this.rtt.probeTimeout + (isApplication ? this.rtt.maxAckDelay : 0);
      const at = packets.lastAckElicitingAt + delay * backoff;
      if (at >= earliest) continue;
      earliest = at;
      where = space;
    }
    if (earliest === Infinity && !this.#isAddressValidated()) {
      // The server may be unable to send until the client does (RFC 9002 6.2.2.1).
      earliest = this.#setAt + this.rtt.probeTimeout * backoff;
      if (hasHandshakeKeys) where = 'handshake';
    }
    return { at: earliest, space: where };
  }

  /** Whether the peer is known to have validated this side's address. Clients validate that of the server implicitly. */
  #isAddressValidated(): boolean {
    return this.#role === 'server' || this.#hasHandshakeAck || this.#handshake.isConfirmed;
  }
}

/**
 * The longest time between two ack-eliciting packets that are lost, none of those sent between them being acknowledged
 * (RFC 9002 7.6.2). Both lists are of one space, in ascending order.
 *
 * @param since only packets that were sent later count
 */
function lossDuration(
  lost: readonly SentPacket<unknown>[],
  acknowledged: readonly SentPacket<unknown>[],
  since: number,
): number {
  let longest = 0;
  let start = Infinity;
  let next = 0;
  for (const { number, sentAt, isAckEliciting } of lost) {
    if (!isAckEliciting || sentAt <= since) continue;
    const before = next;
    while ((acknowledged[next]?.number ?? Infinity) < number) next += 1;
    if (next > before) start = Infinity;
    start = Math.min(start, sentAt);
    longest = Math.max(longest, sentAt - start);
  }
  return longest;
}
