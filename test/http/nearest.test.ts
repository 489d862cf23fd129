import { expect, test } from 'vitest';
import { editDistance, nearest } from '../../src/http/nearest.ts';

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['', 'abc', 3],
  ['port', 'port', 0],
  ['port', 'sort', 1],
  ['port', 'ports', 1],
  ['prot', 'port', 1],
  ['kitten', 'sitting', 3],
  // No substring is edited twice; otherwise it would be 2.
  ['ca', 'abc', 3],
])('the distance from %j to %j is %d', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
  expect(editDistance(to, from)).toBe(distance);
});

const names = ['port', 'host', 'tap', 'tap-secrets', 'metrics-enabled', 'hostname-enabled'];

test.each([
  ['prot', 'port'],
  ['porrt', 'port'],
  ['taps', 'tap'],
  ['tap-', 'tap-secrets'],
  ['metrics', 'metrics-enabled'],
  ['hostname', 'hostname-enabled'],
  ['metric-enable', 'metrics-enabled'],
  ['', undefined],
  ['elephant', undefined],
  ['p'.repeat(65), undefined],
])('the nearest name to %j is %j', (typed, name) => {
  expect(nearest(typed, names)).toBe(name);
});
