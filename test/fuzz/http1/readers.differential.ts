import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { SEED, testExamples, unexplained, type Compared } from './compare.ts';
import { goReader, h11Reader } from './programs.ts';
import { llhttpReader, wirebinReader } from './servers.ts';
import type { Reader } from './reading.ts';

const INPUTS = Number(process.env['WIREBIN_FUZZ_INPUTS'] ?? 5000);

const running = sharedService();
const others: Reader[] = [];
beforeAll(async () => {
  others.push(await llhttpReader());
  for (const start of [h11Reader, goReader]) {
    const reader = await start();
    if (typeof reader === 'string') process.stdout.write(`NOT TESTED: ${reader}\n`);
    else others.push(reader);
  }
});
afterAll(async () => {
  for (const reader of others) await reader.close();
});
const compared = (): Compared => ({ wirebin: wirebinReader(running().port), others });

testExamples(compared, ['llhttp', 'h11', 'go']);

test(`${INPUTS} inputs, seed ${SEED}`, async () => {
  expect(await unexplained(compared(), INPUTS, SEED)).toEqual([]);
});
