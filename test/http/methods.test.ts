import { METHODS } from 'node:http';
import { expect, test } from 'vitest';
import { isKnownMethod, registeredMethods } from '../../src/http/methods.ts';

test('every method is known that is registered, or that Node knows', () => {
  expect([...METHODS, ...registeredMethods].filter((method) => !isKnownMethod(method))).toEqual([]);
});

test.each(['HUNTER2', 'get', 'GETS', '', 'constructor'])('%o is unknown', (method) => {
  expect(isKnownMethod(method)).toBe(false);
});

test('no method is twice in the table', () => {
  expect(registeredMethods).toEqual([...new Set(registeredMethods)].sort());
});
