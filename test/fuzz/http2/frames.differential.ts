import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Adapters } from '../../_adapters.ts';
import { differencesOf, rows, type Found } from './compare.ts';
import { deliver, LONG, SHORT, type Patience } from './delivery.ts';
import { opening } from './difference.ts';
import { inputOf, inputs, type Input } from './inputs.ts';
import { forget, startBoth } from './services.ts';

// The same frames of clients, valid and malformed, for the service by node:http2 and by wirebin's own frames.

/** About ten frames each. */
const INPUTS = Number(process.env['WIREBIN_FUZZ_INPUTS'] ?? 2000);
/** Always the same unless another one is asked for, so that a run does not fail by chance. */
const SEED = Number(process.env['WIREBIN_FUZZ_SEED'] ?? 49);
/** How many inputs are made, and below, on their way at once. */
const BATCH = 1000;
const AT_ONCE = 48;
/** Milliseconds for an input, on a machine with other work. */
const TIME = 50;

let node: Adapters;
let wirebin: Adapters;
beforeAll(async () => {
  ({ node, wirebin } = await startBoth());
});
afterAll(() => {
  for (const each of [node, wirebin]) {
    each.close();
    expect(each.defects).toEqual([]);
  }
});

async function compared(input: Input, patience: Patience): Promise<Found[]> {
  const [one, other] = await Promise.all(
    [node, wirebin].map((each) => deliver(each.port, input, patience)),
  );
  return one && other ? differencesOf(one, other, input) : [];
}

test.each(rows)('$section: $name', async (row) => {
  const input = inputOf([opening(row.settings), ...row.example], !row.isInPieces);
  const found = await compared(input, LONG);
  expect(found.length).toBeGreaterThan(0);
  const names = found.map((each) => each.rows.map(({ name }) => name));
  for (const each of names) expect(each).toContain(row.name);
});

/** Whether it may be that a service has only been late. */
const isUncertain = ({ rows: explaining, node: one, wirebin: other }: Found): boolean =>
  explaining.length === 0 || [one, other].includes('waits');

/** Counts of what was compared. */
const counts = { inputs: 0, frames: 0, explained: 0 };

/** Gives inputs to both. @returns the differences that no row explains, as text */
async function unexplained(list: readonly Input[], seed: number): Promise<string[]> {
  const suspicious: [number, Input][] = [];
  const rest = list.entries();
  const work = async (): Promise<void> => {
    for (const [at, input] of rest) {
      const found = await compared(input, SHORT);
      counts.inputs++;
      counts.frames += input.frames;
      if (found.some(isUncertain)) suspicious.push([at, input]);
      else if (found.length > 0) counts.explained++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const texts: string[] = [];
  for (const [at, input] of suspicious) {
    const found = await compared(input, LONG);
    for (const each of found.filter((one) => one.rows.length === 0)) {
      texts.push(`seed ${seed}, input ${at}: ${each.node} by Node, ${each.wirebin} by wirebin`);
    }
  }
  return texts;
}

test(`${INPUTS} inputs, seed ${SEED}`, { timeout: 60_000 + TIME * INPUTS }, async () => {
  const found: string[] = [];
  for (let seed = SEED; counts.inputs < INPUTS; seed++) {
    const numRuns = Math.min(BATCH, INPUTS - counts.inputs);
    found.push(...(await unexplained(fc.sample(inputs, { numRuns, seed }), seed)));
    for (const each of [node, wirebin]) forget(each);
  }
  const { inputs: all, frames, explained } = counts;
  process.stdout.write(`${frames} frames on ${all} connections; rows explain ${explained}\n`);
  expect(found).toEqual([]);
  expect(explained / all).toBeLessThan(1 / 4);
});
