import * as fc from 'fast-check';
import { Problem } from '../../src/http/problem.ts';

/** A parser under test: whatever it is given, it gives back in time what it is held to. */
export interface Parser {
  /** The functions that are held to it. */
  readonly name: string;
  /** @throws with the seed, the path to the smallest input and the input itself */
  assert(runs: number, seed?: number): void;
}

/** Seconds of processor time that one input may take; what is not linear takes more. */
const LIMIT = 0.15;
/** Code that is not compiled yet takes longer, and so does all code on a busy machine: the fastest attempt counts. */
const ATTEMPTS = 5;

/** @param hold throws where the parser does not do what it has to */
export function parser<T>(
  name: string,
  input: fc.Arbitrary<T>,
  hold: (input: T) => unknown,
): Parser {
  const secondsFor = (value: T): number => {
    const before = process.cpuUsage();
    hold(value);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const property = fc.property(input, (value) => {
    let fastest = Infinity;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      fastest = Math.min(fastest, secondsFor(value));
      if (fastest <= LIMIT) return;
    }
    throw new Error(`it took ${fastest} s`);
  });
  return {
    name,
    assert(runs, seed) {
      fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
    },
  };
}

export function expects(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not held: ${what}`);
}

/** Runs what may refuse its input, but in no other way than by a Problem. */
export function refusing<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Problem && error.code !== 'internal-error') return undefined;
    throw error;
  }
}
