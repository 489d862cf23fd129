import { expect, test } from 'vitest';
import { closestProtocol } from '../../src/bench/offered-protocols.ts';
import type { Protocol } from '../../src/bench/protocol.ts';

test.each<[Protocol, Protocol[], Protocol]>([
  ['h2', ['h2', 'http/1.1'], 'h2'],
  ['h2', ['http/1.1', 'h2c'], 'h2c'],
  ['h2', ['http/1.1'], 'http/1.1'],
  ['h2c', ['h2', 'http/1.1'], 'h2'],
  ['http/1.1', ['http/1.1', 'h2c'], 'http/1.1'],
  ['http/1.1', ['h2'], 'http/1.1'],
])('like %s, of %j: %s', (protocol, offered, expected) => {
  expect(closestProtocol(protocol, offered)).toBe(expected);
});
