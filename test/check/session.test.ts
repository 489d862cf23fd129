import { expect, test } from 'vitest';
import { Session } from '../../src/check/session.ts';
import { Target } from '../../src/check/target.ts';

const session = new Session(
  new Target({ url: new URL('http://127.0.0.1'), insecure: false }),
  'http/1.1',
  1000,
  () => Promise.resolve(),
);

test('no two requests have the same target, so that none is answered from a cache', () => {
  const [first, second] = [session.unique('/range/1000'), session.unique('/range/1000')];
  expect(first).toMatch(/^\/range\/1000\?check=check-[\da-f]{12}$/);
  expect(second).not.toBe(first);
  expect(session.unique('/fault/close?at=end')).toMatch(/^\/fault\/close\?at=end&check=check-/);
});

test('a target that has a tag, or is no path, stays as it is', () => {
  const tagged = `/anything/${session.newTag()}?a=1`;
  expect([session.unique(tagged), session.unique('*')]).toEqual([tagged, '*']);
});
