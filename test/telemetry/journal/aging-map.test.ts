import { expect, test } from 'vitest';
import { AgingMap } from '../../../src/telemetry/journal/aging-map.ts';
import { collectGarbage } from '../../_garbage.ts';

function mapOf(...keys: string[]): AgingMap<string> {
  const map = new AgingMap<string>();
  for (const key of keys) map.set(key, key);
  return map;
}

test('the oldest is the one set first', () => {
  const map = mapOf('a', 'b', 'c');
  expect([map.oldest, map.size]).toEqual(['a', 3]);
  map.delete('a');
  map.delete('b');
  expect([map.oldest, map.size]).toEqual(['c', 1]);
  map.delete('c');
  expect([map.oldest, map.size]).toEqual([undefined, 0]);
  map.set('d', 'd');
  expect([map.oldest, map.get('d'), map.get('a')]).toEqual(['d', 'd', undefined]);
});

test('a value that is set again is the newest', () => {
  const map = mapOf('a', 'b', 'c');
  for (const key of ['a', 'b', 'b', 'a', 'c']) {
    expect(map.oldest).toBe([...map.values()][0]);
    map.set(key, key);
  }
  expect([...map.values()]).toEqual(['b', 'a', 'c']);
  expect(map.oldest).toBe('b');
});

test('is as a Map after anything', () => {
  const map = new AgingMap<number>();
  const plain = new Map<string, number>();
  for (let at = 0, random = 1; at < 20_000; at++) {
    random = (random * 48_271) % 2_147_483_647;
    const key = String(random % 20);
    plain.delete(key);
    if (random % 3 === 0) map.delete(key);
    else {
      map.set(key, at);
      plain.set(key, at);
    }
    if (random % 5 === 0) expect(map.oldest).toBe([...plain.values()][0]);
  }
  expect([...map.values()]).toEqual([...plain.values()]);
});

test('an old value does not keep memory of those that have been deleted', () => {
  const map = new AgingMap<number>();
  map.set('old', 0);
  expect(map.oldest).toBe(0);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 300_000; at++) {
    map.set('new', at);
    map.delete('new');
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  expect(map.oldest).toBe(0);
});
