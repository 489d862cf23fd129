import { AckRanges } from '../../../src/quic/recovery/ack-ranges.ts';
import { LossDetection } from '../../../src/quic/recovery/loss-detection.ts';
import type { SentPacket } from '../../../src/quic/recovery/sent-packets.ts';
import type { AckRange } from '../../../src/wire/quic/frames.ts';
import { randomNumbers } from '../_random.ts';

export interface Path {
  readonly seed: number;
  /** From 0 to 1, in both directions. */
  readonly loss: number;
  /** Milliseconds of the way there and back. */
  readonly rtt: number;
  /** Milliseconds that a packet may take longer, at random. */
  readonly jitter: number;
  /** Bytes per millisecond of the way there; each packet waits for those before it. */
  readonly bandwidth: number;
  /** Bytes that may wait; what is more is lost. */
  readonly queue: number;
}

/** What happens at a time: a packet arrives, or an ACK frame. */
interface Arrival {
  readonly at: number;
  readonly happen: (now: number) => void;
}

export const APPLICATION = 'application';

export const SIZE = 1200;

/** A sender and a receiver on a virtual clock. `check` is called after each event, with the sender as its owner sees it. */
export class Transfer {
  readonly sender: LossDetection<number>;
  readonly receiver = new AckRanges(25);
  readonly outstanding = new Set<number>();
  now = 0;
  sent = 0;
  acknowledged = 0;
  lost = 0;
  probes = 0;
  readonly #path: Path;
  readonly #random: () => number;
  readonly #arrivals: Arrival[] = [];
  #linkFreeAt = 0;
  #wasAckEliciting = true;

  constructor(path: Path) {
    this.#path = path;
    this.#random = randomNumbers(path.seed);
    const handshake = { hasHandshakeKeys: true, isConfirmed: true, isAmplificationLimited: false };
    this.sender = new LossDetection('server', handshake, SIZE, 0);
  }

  /** Runs until a time, or until nothing happens any more. @param packets to send, as the window and the pace allow */
  run(packets: number, until: number, check: (transfer: Transfer) => void): void {
    for (;;) {
      const sendAt = this.sent < packets ? this.sender.nextSendTime(SIZE, this.now) : Infinity;
      if (sendAt === this.now) {
        // Some have PADDING only, but neither two in a row nor the last one (RFC 9000 13.2.7).
        const mayBePadding = this.#wasAckEliciting && this.sent < packets - 1;
        this.#wasAckEliciting = !mayBePadding || this.#random() > 0.01;
        this.#send(this.#wasAckEliciting);
        continue;
      }
      check(this);
      const timeout = this.sender.nextTimeout() ?? Infinity;
      const ackAt = this.receiver.ackAt ?? Infinity;
      const arrivesAt = this.#arrivals.at(-1)?.at ?? Infinity;
      const next = Math.min(sendAt, timeout, ackAt, arrivesAt);
      if (next === Infinity || next > until) return;
      this.now = Math.max(this.now, next);
      if (arrivesAt === next) this.#arrivals.pop()?.happen(this.now);
      else if (ackAt === next) this.#sendAck();
      else if (timeout === next) this.#expire();
    }
  }

  #send(isAckEliciting: boolean): void {
    const number = this.sent++;
    this.outstanding.add(number);
    this.sender.sent(APPLICATION, {
      number,
      sentAt: this.now,
      size: SIZE,
      isAckEliciting,
      content: number,
    });
    const { bandwidth, queue, loss, rtt } = this.#path;
    this.#linkFreeAt = Math.max(this.#linkFreeAt, this.now);
    if ((this.#linkFreeAt - this.now) * bandwidth > queue) return;
    this.#linkFreeAt += SIZE / bandwidth;
    if (this.#random() < loss) return;
    this.#schedule(this.#linkFreeAt + rtt / 2, (now) => {
      if (!this.receiver.isDuplicate(number)) this.receiver.add(number, isAckEliciting, now);
    });
  }

  #sendAck(): void {
    const ranges = this.receiver.ranges();
    const delay = this.receiver.ackDelay(this.now);
    this.receiver.ackSent();
    if (this.#random() < this.#path.loss) return;
    this.#schedule(this.now + this.#path.rtt / 2, (now) => this.#acknowledge(ranges, delay, now));
  }

  #acknowledge(ranges: readonly AckRange[], delay: number, now: number): void {
    const resolved = this.sender.acknowledge(APPLICATION, ranges, delay, now);
    if ('code' in resolved) throw new Error(resolved.reason);
    this.acknowledged += this.#resolve(resolved.acknowledged);
    this.lost += this.#resolve(resolved.lost);
    // As if ACK frames were carried by packets that are acknowledged in turn.
    this.receiver.ackAcknowledged(ranges[0]?.largest ?? -1);
  }

  #expire(): void {
    const { lost, probe } = this.sender.expire(this.now);
    this.lost += this.#resolve(lost);
    if (probe === undefined) return;
    this.probes += 1;
    this.#send(true);
  }

  #resolve(packets: readonly SentPacket<number>[]): number {
    for (const { content } of packets) {
      if (!this.outstanding.delete(content))
        throw new Error(`packet ${content} was resolved twice`);
    }
    return packets.length;
  }

  #schedule(at: number, happen: Arrival['happen']): void {
    const arrival = { at: at + this.#random() * this.#path.jitter, happen };
    // In descending order: most are later than nearly all others.
    let index = 0;
    while ((this.#arrivals[index]?.at ?? -1) > arrival.at) index += 1;
    this.#arrivals.splice(index, 0, arrival);
  }
}
