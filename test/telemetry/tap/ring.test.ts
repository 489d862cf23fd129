import { describe, expect, test } from 'vitest';
import type { TapRecord } from '../../../src/telemetry/tap/record.ts';
import { TapRing } from '../../../src/telemetry/tap/ring.ts';

const record = (time: number): TapRecord => ({
  kind: 'opened',
  time,
  connection: '1',
  protocol: undefined,
  remoteAddress: '192.0.2.1',
  remotePort: 1,
});
const { signal } = new AbortController();
const AN_HOUR = 3_600_000;

test('at() returns the last records, numbered from 1', () => {
  const ring = new TapRing(3);
  expect([ring.oldest, ring.next, ring.at(1)]).toEqual([1, 1, undefined]);
  for (let at = 1; at <= 5; at++) ring.add(record(at));
  expect([ring.oldest, ring.next]).toEqual([3, 6]);
  expect([0, 2, 3, 4, 5, 6].map((number) => ring.at(number)?.time)).toEqual([
    undefined,
    undefined,
    3,
    4,
    5,
    undefined,
  ]);
});

describe('waitForMore()', () => {
  test.each<[name: string, happens: (ring: TapRing) => void]>([
    ['a record', (ring) => ring.add(record(1))],
    ['end()', (ring) => ring.end()],
  ])('resolves for all readers after %s', async (_, happens) => {
    const ring = new TapRing(3);
    const waiting = [ring.waitForMore(AN_HOUR, signal), ring.waitForMore(AN_HOUR, signal)];
    happens(ring);
    await Promise.all(waiting);
  });

  test('resolves after the timeout', async () => {
    const ring = new TapRing(3);
    await ring.waitForMore(1, signal);
    expect(ring.ended).toBe(false);
  });

  test('resolves when the signal is aborted', async () => {
    const controller = new AbortController();
    const waiting = new TapRing(3).waitForMore(AN_HOUR, controller.signal);
    controller.abort();
    await waiting;
  });
});
