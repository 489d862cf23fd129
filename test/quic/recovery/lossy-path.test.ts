import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../_random.ts';
import { SIZE, Transfer, type Path } from './_path.ts';

const PACKETS = 10_000;

/** A path of a seed: up to 10 % loss, 1 to 200 ms, with reordering, from 1 to 100 Mbit/s. */
function pathOf(seed: number): Path {
  const next = randomNumbers(seed);
  return {
    seed,
    loss: next() * 0.1,
    rtt: 1 + next() * 200,
    jitter: next() * 20,
    bandwidth: 125 * 100 ** next(),
    queue: SIZE * (2 + next() * 100),
  };
}

describe.each(Array.from({ length: 12 }, (_, seed) => seed))('seed %i', (seed) => {
  test('every packet is acknowledged or lost once', () => {
    const transfer = new Transfer(pathOf(seed));
    let isConsistent = true;
    let timersAhead = true;
    transfer.run(PACKETS, Infinity, ({ sender, outstanding, now }) => {
      isConsistent &&= sender.congestion.bytesInFlight === outstanding.size * SIZE;
      timersAhead &&= (sender.nextTimeout() ?? Infinity) > now;
    });
    expect(isConsistent).toBe(true);
    expect(timersAhead).toBe(true);
    expect(transfer.outstanding.size).toBe(0);
    expect(transfer.sender.congestion.bytesInFlight).toBe(0);
    expect(transfer.acknowledged + transfer.lost).toBe(transfer.sent);
    expect(transfer.sent).toBeGreaterThanOrEqual(PACKETS);
    expect(transfer.sender.nextTimeout()).toBeUndefined();
  });
});
