import { describe, expect, test } from 'vitest';
import { CongestionControl, initialWindow } from '../../../src/quic/recovery/congestion.ts';
import { SIZE } from './_sender.ts';

const RTT = 100;

const packet = (sentAt: number, size = SIZE) => ({
  number: 0,
  sentAt,
  size,
  isAckEliciting: true,
  content: undefined,
});

/** Sends packets at a time, and acknowledges them a round trip later. */
function transfer(congestion: CongestionControl, sentAt: number, packets: number): void {
  for (let count = 0; count < packets; count++) congestion.sent(SIZE);
  for (let count = 0; count < packets; count++) {
    congestion.acknowledged(packet(sentAt), sentAt + RTT, RTT);
  }
}

/** A controller that has left slow start: after as many packets, one that was sent at 0 is lost at 100. */
function afterLoss(packets = 90): CongestionControl {
  const congestion = new CongestionControl(SIZE);
  transfer(congestion, 0, packets);
  congestion.sent(SIZE);
  congestion.lost([packet(0)], 100);
  return congestion;
}

test.each([
  [1200, 12_000],
  [1472, 14_720],
  [1500, 14_720],
  [9000, 18_000],
])('datagrams of %i bytes begin with a window of %i (RFC 9002 7.2)', (size, expected) => {
  expect(initialWindow(size)).toBe(expected);
  expect(new CongestionControl(size).window).toBe(expected);
});

describe('the window', () => {
  test('is not exceeded (RFC 9002 7)', () => {
    const congestion = new CongestionControl(SIZE);
    for (let count = 0; count < 9; count++) congestion.sent(SIZE);
    expect(congestion.allows(SIZE)).toBe(true);
    expect(congestion.allows(SIZE + 1)).toBe(false);
  });

  test('grows by what is acknowledged in slow start (RFC 9002 7.3.1)', () => {
    const congestion = new CongestionControl(SIZE);
    transfer(congestion, 0, 10);
    expect(congestion.window).toBe(24_000);
    expect(congestion.bytesInFlight).toBe(0);
  });

  test('does not grow if it is not used (RFC 9002 7.8)', () => {
    const congestion = new CongestionControl(SIZE);
    congestion.isApplicationLimited = true;
    transfer(congestion, 0, 10);
    expect(congestion.window).toBe(12_000);
  });

  test('is smaller after a loss, once per round trip (RFC 9002 7.3.2, RFC 9438 4.6)', () => {
    const congestion = afterLoss();
    expect(congestion.window).toBe(84_000);
    congestion.lost([packet(100)], 150);
    expect(congestion.window).toBe(84_000);
    congestion.lost([packet(101)], 200);
    expect(congestion.window).toBeCloseTo(58_800);
  });

  test('does not grow by packets that were sent before the loss (RFC 9002 7.3.2)', () => {
    const congestion = afterLoss();
    transfer(congestion, 100, 10);
    expect(congestion.window).toBe(84_000);
    transfer(congestion, 101, 10);
    expect(congestion.window).toBeGreaterThan(84_000);
  });

  test('admits one packet more after a loss (RFC 9002 7.3.2)', () => {
    const congestion = new CongestionControl(SIZE);
    for (let count = 0; count < 10; count++) congestion.sent(SIZE);
    congestion.lost([packet(0)], 100);
    expect(congestion.window).toBe(8400);
    expect(congestion.allows(SIZE)).toBe(true);
    congestion.sent(SIZE);
    expect(congestion.allows(SIZE)).toBe(false);
  });

  test('is never smaller than two datagrams (RFC 9002 7.2)', () => {
    const congestion = new CongestionControl(SIZE);
    for (let at = 1; at < 20; at++) congestion.lost([packet(2 * at, 0)], 2 * at + 1);
    expect(congestion.window).toBe(2 * SIZE);
  });

  test('grows by less than a datagram in a round trip soon after a loss (RFC 9002 7.3.3)', () => {
    const congestion = afterLoss();
    transfer(congestion, 101, 70);
    expect(congestion.window).toBeGreaterThan(84_000);
    expect(congestion.window).toBeLessThan(84_000 + SIZE);
  });

  test('does not grow by the time in which it was not used (RFC 9438 5.8)', () => {
    const congestion = afterLoss();
    transfer(congestion, 101, 70);
    const before = congestion.window;
    congestion.isApplicationLimited = true;
    transfer(congestion, 60_000, 1);
    congestion.isApplicationLimited = false;
    transfer(congestion, 60_000, 70);
    expect(congestion.window).toBeLessThan(before + SIZE);
  });

  test('levels off earlier if a loss comes earlier than before (RFC 9438 4.7)', () => {
    const congestion = afterLoss(990);
    congestion.lost([packet(150, 0)], 200);
    expect(congestion.window).toBeCloseTo(588_000);
    // 0.85 of 840,000: reached after the cube root of 105 / 0.4 seconds.
    for (let round = 0; round < 64; round++) transfer(congestion, 201 + round * RTT, 490);
    expect(congestion.window).toBeGreaterThan(713_000);
    expect(congestion.window).toBeLessThan(715_000);
  });
});
