import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import type { Check } from '../../../src/check/check.ts';
import { pass } from '../../../src/check/verdict.ts';
import { FRONTS, NEEDS, type Need } from '../../../src/check/front.ts';
import type { Facts, Pooling } from '../../../src/check/probe.ts';
import { plan, Runner } from '../../../src/check/runner.ts';
import { Target } from '../../../src/check/target.ts';
import { FACTS } from '../_results.ts';

const isNeed = (name: string): name is Need => name in NEEDS;
const ALL = new Set(Object.keys(NEEDS).filter(isNeed));

/** The ids of the checks that others come after. */
const first = new Set(checks.flatMap(({ after = [] }) => after));

/** Checks that send nothing, and have no verdict if others come after them. */
const silent = checks.map((check): Check => ({
  ...check,
  async run(session) {
    // Others would begin meanwhile, if they did not wait.
    await new Promise(setImmediate);
    if (first.has(check.id) && check.after === undefined) throw new Error('broken');
    session.observe(check.observes ?? 'arrival');
    return pass();
  },
}));

const factsWith = (pooling: Pooling): Facts => ({
  ...FACTS,
  fronts: FRONTS,
  pooling,
  met: { 'http/1.1': ALL, h2: ALL },
});

test.each([
  ['one connection for each request', silent],
  ['pooled', silent],
  // Also if it would begin first.
  ['pooled', silent.toReversed()],
] as const)(
  'each check is blocked if one that it comes after has no verdict: %s (%#)',
  async (pooling, ordered) => {
    const facts = factsWith(pooling);
    const target = new Target({ url: new URL('http://127.0.0.1:1'), insecure: false });
    const runner = new Runner(target, facts, {
      time: 1000,
      concurrency: 16,
      rate: Infinity,
      repeat: 1,
      destructive: true,
      slow: true,
      signal: new AbortController().signal,
      onResult: () => undefined,
    });
    const results = await runner.run(plan(ordered, facts));
    const outcomes = new Map(results.map(({ id, front, outcome }) => [`${front} ${id}`, outcome]));
    const dependents = checks.flatMap(({ id, fronts = FRONTS, after = [] }) =>
      fronts
        .filter((front) => after.some((each) => outcomes.has(`${front} ${each}`)))
        .map((front) => `${front} ${id}`),
    );
    expect(dependents.length).toBeGreaterThan(30);
    expect(dependents.filter((key) => outcomes.get(key) !== 'blocked')).toEqual([]);
  },
);
