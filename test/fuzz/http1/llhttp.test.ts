import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { rounds } from '../../_whole.ts';
import { SEED, testExamples, unexplained, type Compared } from './compare.ts';
import { llhttpReader, wirebinReader } from './servers.ts';
import type { Reader } from './reading.ts';

const running = sharedService();
let llhttp: Reader;
beforeAll(async () => {
  llhttp = await llhttpReader();
});
afterAll(() => llhttp.close());
const compared = (): Compared => ({ wirebin: wirebinReader(running().port), others: [llhttp] });

testExamples(compared, ['llhttp']);

test('whatever comes, wirebin reads as llhttp, but for the differences in the table', async () => {
  expect(await unexplained(compared(), rounds(16_000), SEED)).toEqual([]);
});
