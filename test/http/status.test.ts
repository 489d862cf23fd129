import { STATUS_CODES } from 'node:http';
import { expect, test } from 'vitest';
import { hasNoContent, hasNoLength, reasonPhrases } from '../../src/http/status.ts';

const statuses = Array.from({ length: 500 }, (_, at) => 100 + at);

test('the phrases are those of Node, where it has the registered ones', () => {
  expect(reasonPhrases).toEqual({
    ...STATUS_CODES,
    104: 'Upload Resumption Supported',
    413: 'Content Too Large',
    418: "I'm a teapot",
    422: 'Unprocessable Content',
    509: undefined,
  });
});

test('204, 205 and 304 have no content (RFC 9110 6.4.1, 15.3.6)', () => {
  expect(statuses.filter(hasNoContent)).toEqual([204, 205, 304]);
});

test('205 has a length, 0; the others have none (RFC 9110 8.6, 15.3.6)', () => {
  expect(statuses.filter(hasNoLength)).toEqual([204, 304]);
});
