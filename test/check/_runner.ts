import type { Check } from '../../src/check/check.ts';
import { Runner, type RunOptions } from '../../src/check/runner.ts';
import { Target } from '../../src/check/target.ts';
import { FACTS } from './_results.ts';

/** One check at a time, at any rate. */
const OPTIONS: Omit<RunOptions, 'signal'> = {
  time: 1000,
  concurrency: 1,
  rate: Infinity,
  repeat: 1,
  destructive: false,
  slow: false,
  onResult: () => undefined,
};

/** What checks of the runner's tests declare. */
export const RULE: Omit<Check, 'run'> = {
  id: 'hop/te',
  section: 'RFC 9110 10.1.4',
  rule: 'A rule.',
  level: 'must',
  risk: 'interop',
  observes: 'echo',
};

/** A runner whose target is never asked. */
export function runnerWith(options: Partial<RunOptions> = {}, facts = FACTS): Runner {
  const target = new Target({ url: new URL('http://127.0.0.1:1'), insecure: false });
  const { signal } = new AbortController();
  return new Runner(target, facts, { ...OPTIONS, signal, ...options });
}
