import { expect, test } from 'vitest';
import { phaseAfter, type Phase, type Step } from '../../../src/protocols/http1/phase.ts';

test.each<[phase: Phase, steps: Step[]]>([
  ['serving', []],
  ['ending', ['end', 'end']],
  ['switched', ['switch']],
  // An upgrade ends HTTP/1.x on the connection, before and after the switch.
  ['switched', ['end', 'switch', 'end']],
  ['closed', ['end', 'close']],
  ['closed', ['switch', 'close']],
  ['closed', ['close', 'end', 'switch', 'close']],
])('a connection is %s after %j', (phase, steps) => {
  expect(steps.reduce<Phase>(phaseAfter, 'serving')).toBe(phase);
});
