import { expect, test } from 'vitest';
import {
  responseIndexing,
  responseSection,
  trailerSection,
} from '../../../src/protocols/http2-engine/response-section.ts';
import { Indexing } from '../../../src/wire/http2/hpack-encoder.ts';

test('names in lower case, and Date unless it is given', () => {
  const [, , ...fields] = responseSection(200, ['X-A', 'b']);
  expect(fields).toEqual(['x-a', 'b', 'date', expect.stringMatching(/GMT$/)]);
  expect(responseSection(200, ['Date', 'today'])).toEqual([':status', '200', 'date', 'today']);
});

test.each([
  ['connection', 'close'],
  ['Transfer-Encoding', 'chunked'],
  ['a b', ''],
  [':status', '200'],
  ['x-a', 'a\nb'],
])('%s: %s cannot be sent', (name, value) => {
  expect(() => responseSection(200, [name, value])).toThrow(TypeError);
  expect(() => trailerSection([name, value])).toThrow(TypeError);
});

test('what never repeats is not indexed', () => {
  expect(responseIndexing('x-request-id', 'a')).toBe(Indexing.never);
  expect(responseIndexing('content-type', 'a')).toBe(Indexing.incremental);
});
