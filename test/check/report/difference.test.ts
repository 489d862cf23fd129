import { expect, test } from 'vitest';
import { difference } from '../../../src/check/report/difference.ts';

test.each([
  ['', '', ['', '', '', '']],
  ['a', 'a', ['a', '', '', '']],
  ['a', 'b', ['', 'a', 'b', '']],
  ['abc', 'axc', ['a', 'b', 'x', 'c']],
  ['aa', 'aaa', ['aa', '', 'a', '']],
  ['no TE', 'TE', ['', 'no ', '', 'TE']],
])('the difference of %j and %j', (one, other, expected) => {
  expect(difference(one, other)).toEqual(expected);
});
