import { expect, test } from 'vitest';
import { inDialect } from '../_in.ts';
import { contradictions, listedDifferences } from './_differences.ts';

const client = inDialect('httpbin');

test('the page of differences has some requests', () => {
  expect(listedDifferences().length).toBeGreaterThan(20);
});

test.each(listedDifferences())('$path $headers is $here', async ({ path, headers, here }) => {
  expect(contradictions(here, await client().request(path, { headers }))).toEqual([]);
});
