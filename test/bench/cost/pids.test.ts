import { expect, test } from 'vitest';
import { pidsByName } from '../../../src/bench/cost/pids.ts';

test('of the only target, or of the sides by name', () => {
  expect(pidsByName(['12', '13'], [])).toEqual(new Map([['', [12, 13]]]));
  expect(pidsByName(['a=12', 'b.1=13', 'a=14'], ['a', 'b.1'])).toEqual(
    new Map([
      ['a', [12, 14]],
      ['b.1', [13]],
    ]),
  );
  expect(pidsByName([], ['a', 'b'])).toEqual(new Map());
});

test.each([
  [['0'], [], "--pid cannot be '0'; allowed: PID"],
  [['x'], [], "--pid cannot be 'x'; allowed: PID"],
  [['a=12'], [], "--pid cannot be 'a=12'; allowed: PID"],
  [['12'], ['a', 'b'], "--pid cannot be '12'; allowed: a=PID, b=PID"],
  [['c=12'], ['a', 'b'], "--pid cannot be 'c=12'; allowed: a=PID, b=PID"],
])('%j beside %j is a usage error', (values, names, message) => {
  expect(() => pidsByName(values, names)).toThrow(message);
});
