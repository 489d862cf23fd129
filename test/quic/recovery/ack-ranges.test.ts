import { expect, test } from 'vitest';
import { AckRanges } from '../../../src/quic/recovery/ack-ranges.ts';
import { randomNumbers } from '../_random.ts';

const MAX_ACK_DELAY = 25;

/** Ranges after ack-eliciting packets, received 1 ms apart from each other. */
function received(...numbers: readonly number[]): AckRanges {
  const ranges = new AckRanges(MAX_ACK_DELAY);
  numbers.forEach((number, at) => ranges.add(number, true, at));
  return ranges;
}

const shown = (ranges: AckRanges): string =>
  ranges
    .ranges()
    .map(({ smallest, largest }) =>
      smallest === largest ? `${largest}` : `${smallest}-${largest}`,
    )
    .join(' ');

test('nothing was received yet', () => {
  const ranges = received();
  expect(ranges.largest).toBe(-1);
  expect(ranges.ackAt).toBeUndefined();
  expect(ranges.ranges()).toEqual([]);
  expect(ranges.isDuplicate(0)).toBe(false);
});

// RFC 9000 13.2.3
test.each<[readonly number[], string]>([
  [[0, 1, 2], '0-2'],
  [[2, 1, 0], '0-2'],
  [[0, 2, 1], '0-2'],
  [[5, 0, 9, 2], '9 5 2 0'],
  [[5, 6, 0, 1, 4, 3, 2], '0-6'],
  [[5, 8, 7, 3], '7-8 5 3'],
])('%j are the ranges %s', (numbers, expected) => {
  expect(shown(received(...numbers))).toBe(expected);
  expect(received(...numbers).largest).toBe(Math.max(...numbers));
});

test('what was received is a duplicate (RFC 9000 12.3)', () => {
  const ranges = received(1, 2, 5);
  const duplicates = [0, 1, 2, 3, 4, 5, 6].filter((number) => ranges.isDuplicate(number));
  expect(duplicates).toEqual([1, 2, 5]);
});

test('of more than 64 ranges the oldest are forgotten, and count as received (RFC 9000 13.2.3)', () => {
  const ranges = received(...Array.from({ length: 66 }, (_, at) => 2 * at));
  expect(ranges.ranges()).toHaveLength(64);
  expect(ranges.ranges().at(-1)).toEqual({ smallest: 4, largest: 4 });
  expect([0, 1, 2, 3, 5].map((number) => ranges.isDuplicate(number))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('what the peer knows of is not reported again (RFC 9000 13.2.4)', () => {
  const ranges = received(1, 3, 5, 8);
  ranges.ackAcknowledged(5);
  expect(shown(ranges)).toBe('8');
  expect(ranges.isDuplicate(3)).toBe(true);
  ranges.ackAcknowledged(3);
  expect(shown(ranges)).toBe('8');
});

test('the largest number is always reported (RFC 9000 13.2.3)', () => {
  const ranges = received(1, 3);
  ranges.ackAcknowledged(3);
  expect(shown(ranges)).toBe('3');
});

test('a packet that fills an old gap is reported (RFC 9000 13.2.1)', () => {
  const ranges = received(1, 3, 8);
  ranges.ackAcknowledged(8);
  ranges.add(2, true, 9);
  expect(shown(ranges)).toBe('8 1-3');
});

test('the first packet waits for max_ack_delay, the second for nothing (RFC 9000 13.2.2)', () => {
  const ranges = received(0);
  expect(ranges.ackAt).toBe(25);
  ranges.add(1, true, 7);
  expect(ranges.ackAt).toBe(7);
  ranges.ackSent();
  expect(ranges.ackAt).toBeUndefined();
  ranges.add(2, true, 8);
  expect(ranges.ackAt).toBe(33);
});

test('in the Initial and Handshake spaces nothing waits (RFC 9000 13.2.1)', () => {
  const ranges = new AckRanges(0);
  ranges.add(0, true, 4);
  expect(ranges.ackAt).toBe(4);
});

test('a packet that is not ack-eliciting requires no ACK, even after a gap (RFC 9000 13.2.1)', () => {
  const ranges = new AckRanges(MAX_ACK_DELAY);
  ranges.add(0, false, 0);
  ranges.add(7, false, 1);
  expect(ranges.ackAt).toBeUndefined();
  expect(ranges.hasUnacknowledged).toBe(false);
  expect(shown(ranges)).toBe('7 0');
});

test.each<[string, readonly number[], number]>([
  ['out of order', [4, 3], 3],
  ['after a gap', [3, 5], 5],
  ['the first of all, after a gap', [], 1],
])('%s an ACK is sent at once (RFC 9000 13.2.1)', (_, before, number) => {
  const ranges = received(...before);
  ranges.ackSent();
  ranges.add(number, true, 50);
  expect(ranges.ackAt).toBe(50);
});

test('no gap is where packets that are not ack-eliciting were received (RFC 9000 13.2.1)', () => {
  const ranges = received(0);
  ranges.ackSent();
  ranges.add(1, false, 10);
  ranges.add(2, true, 20);
  expect(ranges.ackAt).toBe(45);
});

test('the delay is that of the largest number (RFC 9000 13.2.5)', () => {
  const ranges = new AckRanges(MAX_ACK_DELAY);
  ranges.add(5, true, 100);
  ranges.add(4, true, 110);
  expect(ranges.ackDelay(130)).toBe(30);
});

test.each(Array.from({ length: 20 }, (_, seed) => seed))('any order, seed %i', (seed) => {
  const next = randomNumbers(seed);
  const ranges = new AckRanges(MAX_ACK_DELAY);
  const known = new Set<number>();
  for (let packet = 0; packet < 2000; packet++) {
    const number = Math.floor(packet * 0.7 + next() * 40);
    if (!ranges.isDuplicate(number)) {
      expect(known.has(number)).toBe(false);
      known.add(number);
      ranges.add(number, next() > 0.3, packet);
    }
  }
  const reported = ranges.ranges();
  for (const [at, { smallest, largest }] of reported.entries()) {
    expect(smallest).toBeLessThanOrEqual(largest);
    expect(largest).toBeLessThan((reported[at - 1]?.smallest ?? Infinity) - 1);
    for (let number = smallest; number <= largest; number++) expect(known.has(number)).toBe(true);
  }
  const oldest = reported.at(-1)?.smallest ?? 0;
  const count = reported.reduce((sum, { smallest, largest }) => sum + largest - smallest + 1, 0);
  expect(count).toBe([...known].filter((number) => number >= oldest).length);
});
