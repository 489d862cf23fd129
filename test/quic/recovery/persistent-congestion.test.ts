import { describe, expect, test } from 'vitest';
import { Sender, SIZE } from './_sender.ts';

const COLLAPSED = 2 * SIZE;

/** The example of RFC 9002 7.6.3, in seconds, with a probe timeout of 2 s; its packet 0 takes a sample before. */
function example(): Sender {
  const sender = new Sender();
  sender.detection.rtt.maxAckDelay = 500;
  sender.sample(500);
  for (const [at, second] of [1, 2, 3, 4, 5, 6, 7, 9].entries()) sender.send(1 + at, second * 1000);
  sender.send(9, 13_000);
  return sender;
}

describe('persistent congestion (RFC 9002 7.6)', () => {
  test('makes the window the smallest', () => {
    const sender = example();
    expect(sender.acknowledge([9], 13_900).lost).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // The packet that was acknowledged counts already.
    expect(sender.detection.congestion.window).toBe(COLLAPSED + SIZE);
    expect(sender.detection.rtt.min).toBe(900);
  });

  test('is none if a packet between is acknowledged', () => {
    const sender = example();
    expect(sender.acknowledge([9, 4], 13_200).lost).toEqual([1, 2, 3, 5, 6, 7, 8]);
    expect(sender.detection.congestion.window).toBeGreaterThan(3 * COLLAPSED);
  });

  test('is none before there is a sample of the round-trip time', () => {
    const sender = new Sender();
    for (let number = 0; number < 9; number++) sender.send(number, number * 1000);
    sender.acknowledge([8], 8200);
    expect(sender.detection.congestion.window).toBeGreaterThan(3 * COLLAPSED);
  });

  test('is none by packets with PADDING only', () => {
    const sender = new Sender();
    sender.sample(100);
    for (let number = 1; number < 9; number++) sender.pad(number, number * 1000);
    sender.send(9, 9000);
    expect(sender.acknowledge([9], 9100).lost).toHaveLength(8);
    expect(sender.detection.congestion.window).toBeGreaterThan(3 * COLLAPSED);
  });

  // Three times 100 + 4 * 37.5 + 25 ms.
  test.each([
    [825, false],
    [826, true],
  ])('has taken %i ms: %j', (duration, isPersistent) => {
    const sender = new Sender();
    sender.sample(100);
    sender.send(1, 1000);
    sender.send(2, 1000 + duration);
    sender.send(3, 2200);
    expect(sender.acknowledge([3], 2300).lost).toEqual([1, 2]);
    expect(sender.detection.congestion.window <= COLLAPSED + SIZE).toBe(isPersistent);
  });
});
