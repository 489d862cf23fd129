import { expect, test } from 'vitest';
import { namesOf } from '../../../src/echo/explain/names.ts';
import { FakeExchange } from '../../_exchange.ts';

const named = (fields: readonly string[], trailers: readonly string[] = []) =>
  namesOf(new FakeExchange('/', { fields: fields.flatMap((name) => [name, '1']), trailers }));

test('names by status, as sent and in order', () => {
  const fields = ['Host', 'x-b', 'PRAGMA', 'Content-MD5', 'Sec-GPC', 'X-A', 'warning', 'Expect-CT'];
  expect(named(fields)).toEqual({
    unregistered: ['x-b', 'X-A'],
    deprecated: ['PRAGMA', 'Expect-CT'],
    obsoleted: ['Content-MD5', 'warning'],
  });
});

test('each name once, including those of trailer fields', () => {
  const { unregistered } = named(['X-A', 'x-a'], ['X-a', '1', 'X-Trailer', '1']);
  expect(unregistered).toEqual(['X-A', 'X-Trailer']);
});

test.each(['constructor', '__proto__', 'toString', 'unregistered'])('%s is no name', (name) => {
  expect(named([name]).unregistered).toEqual([name]);
});

test('pseudo-header fields are left out', () => {
  expect(named([':method', ':authority', 'accept'])).toEqual({
    unregistered: [],
    deprecated: [],
    obsoleted: [],
  });
});
