import { expect, test } from 'vitest';
import { hasNoContent, hasNoLength } from '../../src/http/status.ts';

const statuses = Array.from({ length: 500 }, (_, at) => 100 + at);

test('204, 205 and 304 have no content (RFC 9110 6.4.1, 15.3.6)', () => {
  expect(statuses.filter(hasNoContent)).toEqual([204, 205, 304]);
});

test('205 has a length, 0; the others have none (RFC 9110 8.6, 15.3.6)', () => {
  expect(statuses.filter(hasNoLength)).toEqual([204, 304]);
});
