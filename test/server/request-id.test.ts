import { describe, expect, test } from 'vitest';
import { randomUuid, requestId } from '../../src/server/request-id.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('makes UUIDs of version 4 and variant 10, none twice (RFC 9562 5.4)', () => {
  const made = Array.from({ length: 2000 }, randomUuid);
  expect(made.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(new Set(made).size).toBe(made.length);
});

describe('the own identifier of a request', () => {
  test.each(['x', 'abc-123', '!~', 'a'.repeat(128)])('%s is kept', (own) => {
    expect(requestId(own)).toBe(own);
  });

  test.each([undefined, '', 'a b', 'é', 'a\tb', 'a'.repeat(129)])('%s is replaced', (own) => {
    expect(requestId(own)).toMatch(UUID_V4);
  });
});
