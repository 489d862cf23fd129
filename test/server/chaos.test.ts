import { expect, test } from 'vitest';
import { Chaos, seedOf, type ChaosShare } from '../../src/server/chaos.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { text } from '../../src/server/reply.ts';
import { FakeExchange } from '../_exchange.ts';

const SHARES: readonly ChaosShare[] = [
  { text: 'status=503', percent: 10, disturbance: { kind: 'status', status: 503 } },
  { text: 'delay=1s', percent: 0.5, disturbance: { kind: 'delay', seconds: 1 } },
  { text: 'reset', percent: 20, disturbance: { kind: 'fault', name: 'reset' } },
];
const found = endpoint({
  path: '/a',
  group: 'content',
  summary: '',
  responses: {},
  handle: () => text(''),
});

const includes = (pattern: string, path: string) => pattern === '/a' && path !== '/b';

function sequence(seed: number, count: number, shares = SHARES): (string | undefined)[] {
  const chaos = new Chaos({ shares, seed, includes: () => true, reply: () => text('') });
  const exchange = new FakeExchange('/a');
  exchange.endpoint = found;
  let differing = 0;
  const drawn = Array.from({ length: count }, () => {
    chaos.spare(exchange);
    const disturbance = chaos.draw(exchange);
    const share = chaos.shareOf(exchange);
    if (share?.disturbance !== disturbance) differing++;
    return share?.text;
  });
  expect(differing).toBe(0);
  return drawn;
}

test('the same seed gives the same sequence, another one another', () => {
  expect(sequence(1, 1000)).toEqual(sequence(1, 1000));
  expect(sequence(1, 1000)).not.toEqual(sequence(2, 1000));
  expect(sequence(seedOf(1, 1), 1000)).not.toEqual(sequence(seedOf(1, 2), 1000));
  expect(seedOf(7, undefined)).toBe(7);
});

test('the sequence of a seed stays as it is, so that it can be repeated elsewhere', () => {
  const drawn = sequence(42, 40);
  const positionsOf = (share: string) => drawn.flatMap((each, at) => (each === share ? [at] : []));
  expect(positionsOf('reset')).toEqual([4, 6, 10, 14, 24, 26, 30]);
  expect(positionsOf('status=503')).toEqual([18, 21, 23, 25, 29, 36, 37]);
  expect(positionsOf('delay=1s')).toEqual([]);
});

test('the shares are what they are said to be', () => {
  const all = sequence(3, 100_000);
  const count = (share: string | undefined) => all.filter((other) => other === share).length;
  // Five standard deviations at most.
  expect(Math.abs(count('status=503') - 10_000)).toBeLessThan(5 * 95);
  expect(Math.abs(count('delay=1s') - 500)).toBeLessThan(5 * 23);
  expect(Math.abs(count('reset') - 20_000)).toBeLessThan(5 * 127);
  expect(Math.abs(count(undefined) - 69_500)).toBeLessThan(5 * 146);
});

test('0% and 100% are exact', () => {
  const [first, , last] = SHARES;
  if (!first || !last) throw new Error('two shares');
  const shares = [
    { ...first, percent: 0 },
    { ...last, percent: 100 },
  ];
  expect(new Set(sequence(4, 10_000, shares))).toEqual(new Set(['reset']));
  expect(new Set(sequence(4, 10_000, [{ ...first, percent: 0 }]))).toEqual(new Set([undefined]));
});

test('requests that are not included, or have no endpoint, draw no number', () => {
  const chaos = new Chaos({ shares: SHARES, seed: 1, includes, reply: () => text('') });
  const drawn = Array.from({ length: 500 }, () => {
    for (const [path, its] of [
      ['/b', found],
      ['/a', undefined],
    ] as const) {
      const other = new FakeExchange(path);
      other.endpoint = its;
      expect(chaos.draw(other)).toBeUndefined();
    }
    const exchange = new FakeExchange('/a');
    exchange.endpoint = found;
    chaos.draw(exchange);
    return chaos.shareOf(exchange)?.text;
  });
  expect(drawn).toEqual(sequence(1, 500));
});
