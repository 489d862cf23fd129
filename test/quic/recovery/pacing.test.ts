import { expect, test } from 'vitest';
import { Pacer } from '../../../src/quic/recovery/pacing.ts';

const SIZE = 1200;

const WINDOW = 12_000;

/** A pacer of 150 bytes per ms that has sent its burst at 1000. */
function spent(): Pacer {
  const pacer = new Pacer(WINDOW, 100);
  for (let count = 0; count < 10; count++) pacer.sent(SIZE, 1000);
  return pacer;
}

test('the initial window is sent at once (RFC 9002 7.7)', () => {
  const pacer = new Pacer(WINDOW, 100);
  for (let count = 0; count < 10; count++) {
    expect(pacer.nextSendTime(SIZE, 1000)).toBe(1000);
    pacer.sent(SIZE, 1000);
  }
  expect(pacer.nextSendTime(SIZE, 1000)).toBe(1008);
});

test('five quarters of a window are sent in a round trip (RFC 9002 7.7)', () => {
  const pacer = spent();
  let now = 1000;
  let sent = 0;
  for (; now < 1100; sent++) {
    now = pacer.nextSendTime(SIZE, now);
    pacer.sent(SIZE, now);
  }
  expect((sent * SIZE) / (now - 1000)).toBeCloseTo((1.25 * WINDOW) / 100, 6);
});

test('a pause earns no more than the burst', () => {
  const pacer = spent();
  expect(pacer.nextSendTime(WINDOW, 2_000_000)).toBe(2_000_000);
  expect(pacer.nextSendTime(WINDOW + 15, 2_000_000)).toBeCloseTo(2_000_000.1);
});

test('what was sent in spite of it is made up for, as probes', () => {
  const pacer = spent();
  pacer.sent(SIZE, 1000);
  expect(pacer.nextSendTime(SIZE, 1000)).toBe(1016);
});

test('a new rate counts from when it is set', () => {
  const pacer = spent();
  pacer.setRate(WINDOW, 200, 1004);
  expect(pacer.nextSendTime(SIZE, 1004)).toBe(1004 + 600 / 75);
});

test('a path that is faster than timers is filled: 2 ms may be sent at once', () => {
  const pacer = new Pacer(WINDOW, 100);
  pacer.setRate(1_000_000, 1, 0);
  pacer.sent(2_000_000, 10);
  expect(pacer.nextSendTime(500_000, 10)).toBe(10);
  expect(pacer.nextSendTime(625_000, 10)).toBe(10.1);
});

test('a round-trip time of 0 is a fast path', () => {
  const pacer = new Pacer(WINDOW, 100);
  pacer.setRate(WINDOW, 0, 0);
  pacer.sent(WINDOW, 0);
  expect(pacer.nextSendTime(SIZE, 0)).toBeLessThan(0.001);
});
