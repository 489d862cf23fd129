import { expect, test } from 'vitest';
import type { Check } from '../../src/check/check.ts';
import { plan, type RunOptions } from '../../src/check/runner.ts';
import { pass, type Verdict } from '../../src/check/verdict.ts';
import { FACTS } from './_results.ts';
import { RULE, runnerWith } from './_runner.ts';

/** A check that comes after others, and has a verdict, or none. */
function ordered(id: Check['id'], after: Check['after'], verdict?: Verdict): Check {
  return {
    ...RULE,
    id,
    ...(after && { after }),
    async run(session) {
      await new Promise(setImmediate);
      if (!verdict) throw new Error('broken');
      session.observe('echo');
      return verdict;
    },
  };
}

test.each([1, 3])(
  'a check waits for one that is later in the plan, %d at once',
  async (concurrency) => {
    const phases = ['together', 'timed', 'alone', 'last'] as const;
    const checks = phases.flatMap((phase): Check[] => [
      { ...ordered(`hop/${phase}-last`, [`hop/${phase}-second`], pass()), phase: 'together' },
      { ...ordered(`hop/${phase}-second`, [`hop/${phase}-first`], pass()), phase: 'together' },
      { ...ordered(`hop/${phase}-first`, undefined), phase },
    ]);
    let most = 0;
    const onResult: RunOptions['onResult'] = (_, done) => void (most = done);
    const results = await runnerWith({ concurrency, onResult }).run(plan(checks, FACTS));
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(
      checks.map(({ id, after }) => [id, after ? 'blocked' : 'error']),
    );
    expect(most).toBe(checks.length);
  },
);

test('a check that is left out is not waited for', async () => {
  const last = ordered('hop/last', ['hop/first'], pass());
  const planned = plan([last], FACTS, [last, ordered('hop/first', undefined)]);
  const [result] = await runnerWith().run(planned);
  expect(result).toMatchObject({ outcome: 'pass' });
});

test.each<[string, Check[]]>([
  ['hop/te comes after hop/none, which is no check', [ordered('hop/te', ['hop/none'])]],
  ['checks wait for each other: hop/te after hop/te', [ordered('hop/te', ['hop/te'])]],
  [
    'checks wait for each other: hop/a after hop/b after hop/c after hop/a',
    [ordered('hop/a', ['hop/b']), ordered('hop/b', ['hop/c']), ordered('hop/c', ['hop/a'])],
  ],
  [
    'hop/te comes after hop/h2, which does not run on http/1.1',
    [ordered('hop/te', ['hop/h2']), { ...ordered('hop/h2', undefined), fronts: ['h2'] }],
  ],
])('no plan is made of what cannot be ordered: %s', (message, checks) => {
  expect(() => plan(checks, FACTS)).toThrow(message);
});
