import { expect, test } from 'vitest';
import { GoRandom } from '../../../src/dialects/random/go.ts';

/** Output of Go 1.26: `rand.New(rand.NewSource(seed))`, `Intn(256)` 2,000 times, `Float64`. */
test.each([
  [0n, 'fa12f92afbe00f85', 0xbc],
  [42n, 'b14b843edf61a588', 0xbc],
  [-12345n, 'b59f8fa3a66c2155', 0x98],
  [2n ** 63n - 1n, '210fc7bb818639ac', 0x86],
  [-(2n ** 63n), '1d5423269730fc7b', 0xf7],
  // The modulus of the generator that expands the seed: the same as 0.
  [2n ** 31n - 1n, 'fa12f92afbe00f85', 0xbc],
])('bytes of seed %s', (seed, first, last) => {
  const random = new GoRandom(seed);
  const bytes = Uint8Array.from({ length: 2000 }, () => random.byte());
  expect(Buffer.from(bytes.subarray(0, 8)).toString('hex')).toBe(first);
  expect(bytes[1999]).toBe(last);
});

test('fractions', () => {
  const random = new GoRandom(1_234_567_890n);
  expect([random.fraction(), random.fraction(), random.fraction()]).toEqual([
    0.08269521559180903, 0.7527472737256561, 0.04503442831741122,
  ]);
});
