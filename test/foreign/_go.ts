import { findProgram } from '../../bench/processes.ts';
import type { Command, Outcome, Outcomes } from './_suite.ts';

/** A compiled Go test, which is to be had elsewhere. */
export function compiledTest(name: string): string | Command {
  const program = findProgram(name);
  if (program === undefined) {
    return `there is no ${name} on the PATH; test/foreign/README.md says what it has to be`;
  }
  return { program, arguments: ['-test.v', '-test.parallel', '4'] };
}

const LINE = /^( *)--- (PASS|FAIL|SKIP): (\S.*) \(\d+\.\d+s\)$/gm;
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['PASS', 'passed'],
  ['FAIL', 'failed'],
  ['SKIP', 'skipped'],
]);

/** What `-test.v` tells. A test with others below it, which follow it further in, is told by those. */
export function goOutcomes(output: string): Outcomes {
  const lines = [...output.matchAll(LINE)];
  const outcomes = new Map<string, Outcome>();
  for (const [at, [, indent = '', word = '', name = '']] of lines.entries()) {
    const [, below = ''] = lines[at + 1] ?? [];
    const outcome = OUTCOMES.get(word);
    if (outcome && below.length <= indent.length) outcomes.set(name, outcome);
  }
  return outcomes;
}
