import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { filtered, scenarios, type Scenario } from '../../bench/scenarios.ts';

function named(name: string): Scenario {
  const found = scenarios.find(({ id }) => id === name);
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
}

const letters = Buffer.alloc(1024, 'abcdefghijklmnopqrstuvwxyz');

it.each([
  ['http/1.1 /healthz', Buffer.from('OK')],
  ['h2 /anything', Buffer.from('{\n  "method": "GET"\n}\n')],
  ['h2c /bytes/1024', randomBytes(1024)],
  ['http/1.1 /range/1024', letters],
  ['http/1.1 /range/1024 part', letters.subarray(256, 768)],
])('takes the right content of %s', (name, content) => {
  expect(named(name).isContent(content)).toBe(true);
});

it.each([
  ['http/1.1 /healthz', Buffer.from('KO')],
  ['h2 /anything', Buffer.from('{}')],
  ['h2c /bytes/1024', randomBytes(1023)],
  ['h2c /bytes/1024', Buffer.alloc(1024)],
  ['http/1.1 /range/1024', Buffer.from(letters.toReversed())],
  ['http/1.1 /range/1024 part', letters.subarray(0, 512)],
])('takes no other content of %s', (name, content) => {
  expect(named(name).isContent(content)).toBe(false);
});

it('takes the scenarios whose name contains any part of the filter', () => {
  const taken = filtered(scenarios, 'h2c /healthz,handshakes').map(({ id }) => id);
  expect(taken).toEqual(['h2c /healthz', 'h2 handshakes']);
  const whole = filtered(scenarios, 'h2 /range/1048576').map(({ id }) => id);
  expect(whole).toEqual(['h2 /range/1048576', 'h2 /range/1048576 part']);
});
