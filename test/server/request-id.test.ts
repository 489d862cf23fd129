import { describe, expect, test } from 'vitest';
import { randomUuid, requestId } from '../../src/server/request-id.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('generates unique UUIDs of version 4 and variant 10 (RFC 9562 5.4)', () => {
  const made = Array.from({ length: 2000 }, randomUuid);
  expect(made.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(new Set(made).size).toBe(made.length);
});

describe('an identifier sent by the client', () => {
  test.each(['x', 'abc-123', '!~', 'a'.repeat(128)])('%s is kept', (sent) => {
    expect(requestId(sent)).toBe(sent);
  });

  test.each([undefined, '', 'a b', 'é', 'a\tb', 'a'.repeat(129)])('%s is replaced', (sent) => {
    expect(requestId(sent)).toMatch(UUID_V4);
  });
});
