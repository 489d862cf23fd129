import { expect, test } from 'vitest';
import {
  responsePhaseAfter,
  type ResponsePhase,
  type ResponseStep,
} from '../../src/server/response-phase.ts';

function after(steps: readonly ResponseStep[]): ResponsePhase {
  return steps.reduce<ResponsePhase>(responsePhaseAfter, 'none');
}

test.each<[phase: ResponsePhase, steps: ResponseStep[]]>([
  ['none', []],
  ['begun', ['begin']],
  ['trailing', ['begin-trailing']],
  ['begun', ['begin-trailing', 'trail']],
  ['failed', ['fail']],
  ['failed', ['begin', 'fail']],
  // What was scheduled before an error may still come.
  ['failed', ['begin-trailing', 'fail', 'trail', 'begin', 'begin-trailing', 'fail']],
])('a response is %s after %j', (phase, steps) => {
  expect(after(steps)).toBe(phase);
});

test.each<[steps: ResponseStep[], message: string]>([
  [['begin', 'begin'], 'response begun: cannot begin'],
  [['begin', 'begin-trailing'], 'response begun: cannot begin-trailing'],
  [['begin-trailing', 'begin'], 'response trailing: cannot begin'],
  [['begin', 'trail'], 'response begun: cannot trail'],
  [['trail'], 'response none: cannot trail'],
])('%j is an internal error: %s', (steps, message) => {
  expect(() => after(steps)).toThrow(message);
});
