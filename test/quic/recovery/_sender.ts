import type { PacketNumberSpace } from '../../../src/quic/packet-number-space.ts';
import { LossDetection, type Resolved } from '../../../src/quic/recovery/loss-detection.ts';

export const INITIAL = 'initial';
export const HANDSHAKE = 'handshake';
export const APPLICATION = 'application';

export const SIZE = 1200;

/** A side of a connection that sends packets of 1,200 bytes, whose content is their number. */
export class Sender {
  readonly handshake = {
    hasHandshakeKeys: true,
    isConfirmed: true,
    isAmplificationLimited: false,
  };
  readonly detection: LossDetection<number>;

  constructor(role: 'client' | 'server' = 'server', handshake: Partial<Sender['handshake']> = {}) {
    Object.assign(this.handshake, handshake);
    this.detection = new LossDetection(role, this.handshake, SIZE, 0);
  }

  send(number: number, sentAt: number, space: PacketNumberSpace = APPLICATION): void {
    const packet = { number, sentAt, size: SIZE, isAckEliciting: true, content: number };
    this.detection.sent(space, packet);
  }

  /** Sends a packet with PADDING only. */
  pad(number: number, sentAt: number): void {
    const packet = { number, sentAt, size: SIZE, isAckEliciting: false, content: number };
    this.detection.sent(APPLICATION, packet);
  }

  /** Takes an ACK frame of single numbers, in descending order. @returns the numbers that it has resolved */
  acknowledge(
    numbers: readonly number[],
    now: number,
    space: PacketNumberSpace = APPLICATION,
    ackDelay = 0,
  ): { acknowledged: readonly number[]; lost: readonly number[] } {
    const ranges = numbers.map((number) => ({ smallest: number, largest: number }));
    const result = this.detection.acknowledge(space, ranges, ackDelay, now);
    if ('code' in result) throw new Error(result.reason);
    return numbersOf(result);
  }

  /** Takes a first sample of the round-trip time, with packet 0 of a space. */
  sample(rtt: number, space: PacketNumberSpace = APPLICATION): void {
    this.send(0, 0, space);
    this.acknowledge([0], rtt, space);
  }
}

const numbersOf = ({ acknowledged, lost }: Resolved<number>) => ({
  acknowledged: acknowledged.map(({ content }) => content),
  lost: lost.map(({ content }) => content),
});
