import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { complaintOf } from '../../bench/check.ts';
import { scenarios, type Scenario } from '../../bench/scenarios.ts';

function named(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
}

function answer(status: number, body: Buffer): Parameters<typeof complaintOf>[0] {
  return { status, headers: { 'content-length': String(body.length) }, body };
}

const letters = Buffer.alloc(1024, 'abcdefghijklmnopqrstuvwxyz');

describe('complaintOf', () => {
  it.each([
    ['http/1.1 /healthz', answer(200, Buffer.from('OK'))],
    ['h2 /anything', answer(200, Buffer.from('{\n  "method": "GET"\n}\n'))],
    ['h2c /bytes/1024', answer(200, randomBytes(1024))],
    ['http/1.1 /range/1024', answer(200, letters)],
    ['http/1.1 /range/1024 part', answer(206, letters.subarray(256, 768))],
  ])('has none of a right answer to %s', (name, right) => {
    expect(complaintOf(right, named(name))).toBeUndefined();
  });

  it.each([
    ['http/1.1 /healthz', answer(503, Buffer.from('OK')), 'with 503'],
    ['http/1.1 /healthz', answer(200, Buffer.from('KO')), 'with another text'],
    ['h2 /anything', answer(200, Buffer.from('{}')), 'with no echo'],
    ['h2c /bytes/1024', answer(200, randomBytes(1023)), 'with 1023 bytes'],
    ['h2c /bytes/1024', answer(200, Buffer.alloc(1024)), 'with bytes that are not random'],
    [
      'http/1.1 /range/1024',
      answer(200, Buffer.from(letters.toReversed())),
      'with another byte at 0',
    ],
    ['http/1.1 /range/1024 part', answer(206, letters.subarray(0, 512)), 'with another byte at 0'],
    [
      'http/1.1 /range/1024',
      { status: 200, headers: {}, body: letters },
      'with Content-Length undefined',
    ],
  ])('says what is wrong with %s', (name, wrong, complaint) => {
    expect(complaintOf(wrong, named(name))).toBe(complaint);
  });
});
