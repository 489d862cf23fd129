import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { differences } from '../http1-differences.ts';
import type { Difference } from './difference.ts';
import { inputOf, inputs, type Input } from './inputs.ts';
import { differenceTo, READERS, type Reader, type ReaderName } from './reading.ts';

/** The rows for the llhttp of this Node. */
const rows = differences.flatMap((row): Difference[] => {
  const { llhttp, ...readers } = row.readers;
  if (!isOutdated(row)) return [row];
  return llhttp === undefined ? [] : [{ ...row, readers }];
});

function isOutdated({ untilLlhttp }: Difference): boolean {
  if (untilLlhttp === undefined) return false;
  const order = new Intl.Collator('en', { numeric: true });
  return order.compare(process.versions['llhttp'] ?? '', untilLlhttp) >= 0;
}

/** Of the inputs. Always the same unless another one is asked for, so that a run does not fail by chance. */
export const SEED = Number(process.env['WIREBIN_FUZZ_SEED'] ?? 49);

/** How many inputs are on their way at once. */
const AT_ONCE = 32;

/** Readers that have started, and what wirebin is. */
export interface Compared {
  readonly wirebin: Reader;
  readonly others: readonly Reader[];
}

/** Tests that wirebin and other readers do with the example of each row what it says. */
export function testExamples(compared: () => Compared, names: readonly ReaderName[]): void {
  const concerned = rows.filter(({ readers }) =>
    READERS.some((name) => names.includes(name) && readers[name] !== undefined),
  );
  test.each(concerned)('$section: $name ($wirebin)', async (row) => {
    const { wirebin, others } = compared();
    const input = inputOf(row.example);
    expect(input.text).toMatch(row.input);
    const reading = await wirebin.read(input.pieces);
    const isRead = reading.some((request) => request?.target === '/anything/end');
    expect(isRead ? 'accepts' : 'refuses').toBe(row.wirebin);
    for (const reader of others) {
      const outcome = differenceTo(reading, await reader.read(input.pieces), reader.keepsFields);
      expect([reader.name, outcome]).toEqual([reader.name, expected(row, reader.name)]);
    }
  });
}

function expected({ readers }: Difference, name: ReaderName): string | undefined {
  return name === 'wirebin' ? undefined : readers[name];
}

/**
 * Gives each input to all readers.
 *
 * @returns differences between wirebin and another reader that no row explains, as text
 */
export async function unexplained(
  { wirebin, others }: Compared,
  count: number,
  seed: number,
): Promise<string[]> {
  const found: string[] = [];
  const rest = fc.sample(inputs, { numRuns: count, seed }).entries();
  const work = async (): Promise<void> => {
    for (const [at, input] of rest) {
      const reading = await wirebin.read(input.pieces);
      for (const reader of others) {
        const other = await reader.read(input.pieces);
        const outcome = differenceTo(reading, other, reader.keepsFields);
        const isKnown = rows.some(
          (row) => expected(row, reader.name) === outcome && row.input.test(input.text),
        );
        if (outcome === undefined || isKnown) continue;
        const counts = `${reading.length} requests by wirebin, ${other.length} by ${reader.name}`;
        const place = `seed ${seed}, input ${at}: ${reader.name} ${outcome}`;
        found.push(`${place}: ${counts}: ${written(input)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

function written({ pieces }: Input): string {
  return JSON.stringify(pieces.map((piece) => piece.toString('latin1')));
}
