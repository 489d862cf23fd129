import { expect, test } from 'vitest';
import { PythonRandom } from '../../../src/dialects/random/python.ts';

/** Output of Python 3.11: `random.seed(seed)`, then `randint(0, 255)` 3,000 times. */
test.each([
  [0n, 'c5d71484f8cf9bf4', 0x81],
  [1n, '4420823cfde6f1c2', 0x02],
  [42n, '390c8c7d7247342c', 0x57],
  [-12345n, 'd50598bc638adf52', 0x0a],
  [2n ** 32n, '39b3d5080ba9e707', 0xc5],
  [2n ** 32n + 1n, '76d42e897f72437d', 0x7a],
  [2n ** 63n - 1n, 'a243fbe837f48d55', 0x45],
  [-(2n ** 63n), 'c96b7b2bb6aa9cea', 0xbd],
])('bytes of seed %s', (seed, first, last) => {
  const random = new PythonRandom(seed);
  const bytes = Uint8Array.from({ length: 3000 }, () => random.byte());
  expect(Buffer.from(bytes.subarray(0, 8)).toString('hex')).toBe(first);
  expect(bytes[2999]).toBe(last);
});
