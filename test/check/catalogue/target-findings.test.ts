import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench } from '../_run.ts';
import { changingPaths } from '../_wrong.ts';

const started = bench();

const RAW = 'the origin received raw bytes in the path, and refused them with 400';

test('a gateway that decodes paths is found, with what the origin receives', async () => {
  const deviation = changingPaths((path) =>
    Buffer.from(decodeURIComponent(path)).toString('latin1'),
  );
  const gateway = await started().gateway({ scheme: 'http' }, { deviation });
  const chosen = checks.filter(({ id }) =>
    /^target\/(?:encoded-utf8|hex-case|encoded-question)$/.test(id),
  );
  const { results } = await started().run(gateway, chosen);
  const words = results
    .filter(({ front }) => front === 'http/1.1')
    .map(({ id, outcome, level, expected, found }) => [id, outcome, level, expected, found]);
  expect(words).toEqual([
    ['target/encoded-question', 'fail', 'must', '/anything/a%3Fb', '/anything/a?b'],
    ['target/encoded-utf8', 'fail', 'must', '/anything/caf%C3%A9', RAW],
    ['target/hex-case', 'fail', 'must', '/anything/caf%c3%a9', RAW],
  ]);
});
