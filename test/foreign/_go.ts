import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../bench/processes.ts';
import { outputOf, type Command, type Outcome, type Outcomes } from './_suite.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/foreign', import.meta.url));
const FLAGS = ['-test.v', '-test.parallel', '4'];

/** A compiled Go test, which is to be had elsewhere. */
export function compiledTest(name: string): string | Command {
  const program = findProgram(name);
  if (program === undefined) {
    return `there is no ${name} on the PATH; test/foreign/README.md says what it has to be`;
  }
  return { program, arguments: FLAGS };
}

/**
 * Compiles the Go test in `go/NAME/`.
 *
 * @param module the lines of go.mod below its name
 * @returns what is missing, in words for a person, or how to run it
 */
export async function compileTest(name: string, module: string): Promise<string | Command> {
  const go = findProgram('go');
  if (go === undefined) return 'it needs Go and a module proxy';
  const directory = join(CACHE, name);
  const sources = fileURLToPath(new URL(`go/${name}`, import.meta.url));
  mkdirSync(directory, { recursive: true });
  for (const file of readdirSync(sources)) copyFileSync(join(sources, file), join(directory, file));
  writeFileSync(join(directory, 'go.mod'), `module ${name.replace('-', '')}\n\n${module}\n`);
  const program = join(directory, name);
  try {
    await outputOf({
      program: go,
      arguments: ['-C', directory, 'test', '-mod=mod', '-c', '-o', program, '.'],
      environment: { GOTOOLCHAIN: 'auto' },
    });
  } catch (error) {
    return `it needs Go and a module proxy (${String(error)})`;
  }
  return { program, arguments: FLAGS };
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
