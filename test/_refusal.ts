import { expect } from 'vitest';
import type { Client } from './_client.ts';

/** The parameter texts that are no whole decimal numbers, percent-encoded, with what they mean. */
export const NO_INTEGERS: readonly (readonly [sent: string, value: string])[] = [
  ['1e3', '1e3'],
  ['%2B1', '+1'],
  ['-1', '-1'],
  ['0x10', '0x10'],
  ['%201', ' 1'],
  ['1%20', '1 '],
  ['1.', '1.'],
  ['1_000', '1_000'],
  ['%D9%A1', '\u0661'],
  ['NaN', 'NaN'],
  ['', ''],
];

/** Asks for a target, and expects 400 with this very detail (RFC 9457 3.1.4). */
export async function expectRefused(client: Client, target: string, detail: string): Promise<void> {
  const { status, headers, body } = await client.request(target);
  expect(headers['content-type']).toBe('application/problem+json');
  expect({ target, ...(JSON.parse(body.toString()) as object) }).toMatchObject({
    target,
    type: '/problems/invalid-parameter',
    status: 400,
    detail,
  });
  expect(status).toBe(400);
}
