import { expect } from 'vitest';
import type { Client, Received, Sent } from './_client.ts';

/** Asks for a target, and expects 400 with this very detail, or one that matches (RFC 9457 3.1.4). */
export async function expectRefused(
  client: Client,
  target: string,
  detail: string | RegExp,
  sent: Sent = {},
): Promise<Received> {
  const received = await client.request(target, sent);
  const { status, headers, body } = received;
  expect(headers['content-type']).toBe('application/problem+json');
  expect({ target, ...(JSON.parse(body.toString()) as object) }).toMatchObject({
    target,
    type: '/problems/invalid-parameter',
    status: 400,
    detail: typeof detail === 'string' ? detail : (expect.stringMatching(detail) as unknown),
  });
  expect(status).toBe(400);
  return received;
}
