import { expect, test } from 'vitest';
import { StopSignals } from '../../src/cli/signals.ts';

test.each([
  ['the same signal within half a second', 'SIGINT', 1499, 'ignore'],
  ['the same signal later', 'SIGINT', 1500, 'exit'],
  ['another signal', 'SIGTERM', 1000, 'exit'],
] as const)('%s: %s at %i ms: %s', (_, signal, at, expected) => {
  const signals = new StopSignals();
  expect(signals.received('SIGINT', 1000)).toBe('drain');
  expect(signals.received(signal, at)).toBe(expected);
});
