import { describe, expect, test } from 'vitest';
import type { AckRange } from '../../../src/wire/quic/frames.ts';
import { randomIntegers } from '../_random.ts';
import { APPLICATION, HANDSHAKE, Sender, SIZE } from './_sender.ts';

const verdictOf = (sender: Sender, ranges: readonly AckRange[]) =>
  sender.detection.acknowledge(APPLICATION, ranges, 0, 100);

/** The smoothed time after samples of 100 and 180 ms, the latter with a delay of 80 ms. */
function smoothedWith(isConfirmed: boolean): number {
  const sender = new Sender('server', { isConfirmed });
  sender.sample(100, HANDSHAKE);
  sender.send(1, 200, HANDSHAKE);
  sender.acknowledge([1], 380, HANDSHAKE, 80);
  return sender.detection.rtt.smoothed;
}

describe('an ACK frame', () => {
  test('acknowledges what is in its ranges, each packet once', () => {
    const sender = new Sender();
    for (let number = 0; number < 4; number++) sender.send(number, number);
    expect(sender.acknowledge([2, 0], 50)).toEqual({ acknowledged: [0, 2], lost: [] });
    expect(sender.acknowledge([2, 1, 0], 51)).toEqual({ acknowledged: [1], lost: [] });
    expect(sender.acknowledge([2, 1, 0], 52)).toEqual({ acknowledged: [], lost: [] });
    expect(sender.detection.largestAcknowledged(APPLICATION)).toBe(2);
    expect(sender.detection.inFlight(APPLICATION).map(({ content }) => content)).toEqual([3]);
    expect(sender.detection.congestion.bytesInFlight).toBe(SIZE);
  });

  test('of a packet that was never sent is a violation (RFC 9000 13.1)', () => {
    const sender = new Sender();
    sender.send(0, 0);
    expect(verdictOf(sender, [{ smallest: 0, largest: 1 }])).toEqual({
      section: 'RFC 9000 13.1',
      reason: 'an ACK of packet 1, which was never sent',
      code: 'PROTOCOL_VIOLATION',
    });
    expect(sender.detection.inFlight(APPLICATION)).toHaveLength(1);
  });

  test('of a number that was left out is a violation (RFC 9000 21.4)', () => {
    const sender = new Sender();
    for (const number of [0, 1, 3]) sender.send(number, 0);
    expect(verdictOf(sender, [{ smallest: 0, largest: 3 }])).toHaveProperty('code');
    expect(sender.acknowledge([3, 1, 0], 100).acknowledged).toEqual([0, 1, 3]);
  });

  test('may have packets with ACK frames only, which nobody waits for (RFC 9002 3)', () => {
    const sender = new Sender();
    sender.detection.sentAckOnly(APPLICATION, 0);
    expect(sender.detection.nextTimeout()).toBeUndefined();
    sender.send(1, 0);
    sender.detection.sentAckOnly(APPLICATION, 2);
    expect(sender.detection.congestion.bytesInFlight).toBe(SIZE);
    expect(sender.acknowledge([2, 1, 0], 100).acknowledged).toEqual([1]);
  });
});

describe('a packet is lost', () => {
  test('if a third one after it is acknowledged (RFC 9002 6.1.1)', () => {
    const sender = new Sender();
    for (let number = 0; number < 5; number++) sender.send(number, 0);
    expect(sender.acknowledge([2], 100).lost).toEqual([]);
    expect(sender.acknowledge([3], 100).lost).toEqual([0]);
    expect(sender.acknowledge([4], 100).lost).toEqual([1]);
  });

  test('once 9/8 of a round trip are over, if a later one is acknowledged (RFC 9002 6.1.2)', () => {
    const sender = new Sender();
    sender.sample(80);
    sender.send(1, 100);
    sender.send(2, 105);
    expect(sender.acknowledge([2], 185).lost).toEqual([]);
    expect(sender.detection.nextTimeout()).toBe(190);
    expect(sender.detection.expire(189.9)).toEqual({ lost: [], probe: undefined });
    expect(sender.detection.expire(190).lost.map(({ content }) => content)).toEqual([1]);
    expect(sender.detection.nextTimeout()).toBeUndefined();
    expect(sender.detection.congestion.bytesInFlight).toBe(0);
  });

  test('not if only earlier ones are acknowledged (RFC 9002 6.1)', () => {
    const sender = new Sender();
    sender.sample(80);
    sender.send(1, 100);
    sender.send(2, 100);
    expect(sender.acknowledge([1], 10_000).lost).toEqual([]);
  });

  test('even if it has PADDING only', () => {
    const sender = new Sender();
    sender.pad(0, 0);
    for (let number = 1; number < 4; number++) sender.send(number, 0);
    expect(sender.acknowledge([3, 2, 1], 100).lost).toEqual([0]);
  });
});

describe('the round-trip time is sampled', () => {
  test('by the largest number of an ACK frame (RFC 9002 5.1)', () => {
    const sender = new Sender();
    sender.send(0, 0);
    sender.send(1, 30);
    sender.acknowledge([1, 0], 100);
    expect(sender.detection.rtt.latest).toBe(70);
  });

  test('not if it was acknowledged before', () => {
    const sender = new Sender();
    sender.send(0, 29);
    sender.send(1, 30);
    sender.acknowledge([1], 100);
    expect(sender.acknowledge([1, 0], 105).acknowledged).toEqual([0]);
    expect(sender.detection.rtt.latest).toBe(70);
  });

  test('not if nothing acknowledged is ack-eliciting', () => {
    const sender = new Sender();
    sender.pad(0, 0);
    sender.send(1, 0);
    sender.acknowledge([0], 100);
    expect(sender.detection.rtt.latest).toBe(0);
  });

  test('with a delay that is limited once the handshake is confirmed (RFC 9002 5.3)', () => {
    expect(smoothedWith(true)).toBe((7 * 100 + 155) / 8);
    expect(smoothedWith(false)).toBe(100);
  });
});

test('packets wait for the window and for the pace', () => {
  const sender = new Sender();
  sender.sample(100);
  for (let number = 1; number < 11; number++) {
    expect(sender.detection.nextSendTime(SIZE, 1000)).toBe(1000);
    sender.send(number, 1000);
  }
  // The window is 13,200 bytes now.
  expect(sender.detection.nextSendTime(SIZE, 1000)).toBeCloseTo(1000 + SIZE / 165);
  sender.send(11, 1010);
  expect(sender.detection.nextSendTime(SIZE, 1010)).toBe(Infinity);
});

test.each(Array.from({ length: 30 }, (_, seed) => seed))('any ACK frames, seed %i', (seed) => {
  const any = randomIntegers(seed);
  const sender = new Sender();
  let inFlight = 0;
  let number = 0;
  for (let now = 0; now < 1000; now++) {
    for (let count = any(4); count > 0; count--, inFlight++)
      sender.send((number += 1 + any(1.01)), now);
    // Neither sorted nor apart, and now and then of numbers that are not sent.
    const ranges = Array.from({ length: 1 + any(4) }, () => {
      const smallest = any(number + 1);
      return { smallest: smallest - any(3), largest: smallest + any(5) };
    });
    const result = sender.detection.acknowledge(APPLICATION, ranges, any(1e6), now);
    if (!('code' in result)) inFlight -= result.acknowledged.length + result.lost.length;
    inFlight -= sender.detection.expire(now).lost.length;
    expect(sender.detection.inFlight(APPLICATION)).toHaveLength(inFlight);
    expect(sender.detection.congestion.bytesInFlight).toBe(inFlight * SIZE);
  }
});
