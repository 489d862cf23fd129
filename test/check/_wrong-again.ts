import { describe, expect, test } from 'vitest';
import { bench, those } from './_run.ts';
import type { WrongProxy } from './_wrong.ts';

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
  describe(topic, () => {
    for (const wrong of proxies) {
      const { name, turns, setup } = wrong;
      const run = notFound.includes(name) ? test.fails : test;
      run(`is found: ${name}`, async () => {
        const { facts } = await started().reference(setup, []);
        const results = await started().resultsOf(wrong, facts);
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
