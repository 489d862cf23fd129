import { describe, expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import type { Facts } from '../../src/check/probe.ts';
import { bench, those, timeFor } from './_run.ts';
import type { Setup, WrongProxy } from './_wrong.ts';

const CLEARTEXT: Setup = { scheme: 'http' };
/** Milliseconds where a check waits for what does not come. */
const SHORT_TIME = 1000;

/**
 * A test of each wrong gateway: at least one of the checks that it names has the outcome that is named, on one of
 * its fronts. Levels below `must` only differ.
 *
 * @param notFound names of those that no check finds
 */
export function testWrongAgain(
  topic: string,
  proxies: readonly WrongProxy[],
  notFound: readonly string[] = [],
): void {
  const started = bench();
  const known = new Map<string, Promise<Facts>>();

  const factsOf = (setup: Setup): Promise<Facts> => {
    const key = JSON.stringify(setup);
    const facts =
      known.get(key) ??
      started()
        .gateway(setup)
        .then((gateway) => started().run(gateway, []))
        .then((run) => run.facts);
    known.set(key, facts);
    return facts;
  };

  describe(topic, () => {
    for (const wrong of proxies) {
      const { name, turns, isSilent = false, setup = CLEARTEXT } = wrong;
      const run = notFound.includes(name) ? test.fails : test;
      run(`is found: ${name}`, async () => {
        const named = new Set(Object.keys(turns).map((key) => key.replace(/^\S+ /, '')));
        const after = new Set(
          checks.flatMap((each) => (named.has(each.id) ? (each.after ?? []) : [])),
        );
        const chosen = checks.filter(({ id }) => named.has(id) || after.has(id));
        const facts = await factsOf(setup);
        const gateway = await started().gateway(setup, wrong);
        const time = isSilent ? SHORT_TIME : timeFor(setup);
        const { results } = await started().run(gateway, chosen, facts, time);
        const found = results.filter(({ front, id, outcome, level }) => {
          const wanted = turns[`${front} ${id}`] ?? turns[id];
          return (
            outcome === wanted || (wanted === 'fail' && outcome === 'differs' && level !== 'must')
          );
        });
        const all = those(results, 'pass', 'fail', 'differs', 'flaky', 'error', 'blocked');
        expect(found.length, all.join('\n')).toBeGreaterThan(0);
      });
    }
  });
}
