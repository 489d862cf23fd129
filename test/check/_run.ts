import { checks } from '../../src/check/catalogue/all.ts';
import type { Check, Outcome } from '../../src/check/check.ts';
import { probe, type Facts } from '../../src/check/probe.ts';
import type { Result } from '../../src/check/result.ts';
import { plan, Runner } from '../../src/check/runner.ts';
import { Target } from '../../src/check/target.ts';

/** Milliseconds for a transfer. */
const TIME = 10_000;

export interface Run {
  readonly facts: Facts;
  readonly results: readonly Result[];
}

/** Runs checks as fast as they go. @param known what a probe has found before */
export async function runChecks(
  url: URL,
  origin: URL,
  chosen: readonly Check[] = checks,
  known?: Facts,
): Promise<Run> {
  const target = new Target({ url, origin, insecure: true });
  const facts = known ?? (await probe(target, TIME));
  const runner = new Runner(target, facts, {
    time: TIME,
    concurrency: 16,
    rate: Infinity,
    repeat: 1,
    destructive: true,
    signal: new AbortController().signal,
    onResult: () => undefined,
  });
  return { facts, results: await runner.run(plan(chosen, facts)) };
}

/** The results with these outcomes, in words. */
export function those(results: readonly Result[], ...outcomes: readonly Outcome[]): string[] {
  return results
    .filter(({ outcome }) => outcomes.includes(outcome))
    .map((each) => {
      const { front, id, outcome, expected, found, reason } = each;
      const words = reason ?? `${found ?? ''}${expected === undefined ? '' : `, expected: ${expected}`}`;
      return `${front} ${id}: ${outcome} (${words})`;
    });
}
