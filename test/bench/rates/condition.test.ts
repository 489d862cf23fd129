import { expect, test } from 'vitest';
import { Latencies } from '../../../src/bench/latencies.ts';
import { judgeTrial, parseCondition } from '../../../src/bench/rates/condition.ts';
import type { Trial } from '../../../src/bench/rates/trial.ts';
import { SettingsError } from '../../../src/settings/settings-error.ts';

/** A thousand requests in a second, of 1, 2, 3 and so on up to 1,000 µs. */
function trialOf(given: Partial<Trial> = {}): Trial {
  const latencies = new Latencies();
  for (let at = 1; at <= 1000; at++) latencies.record(at / 1000);
  return {
    rate: 1000,
    completed: 1000,
    requests: 1000,
    errors: 0,
    latencies,
    lagP99: 0,
    queued: 0,
    waited: 0,
    pressure: undefined,
    seconds: 1,
    ...given,
  };
}

test.each([
  ['p50<501us', 'holds'],
  ['p50<499us', 'fails'],
  ['p90<=0.91ms', 'holds'],
  ['p99<1ms', 'holds'],
  ['p99.9 < 990us', 'fails'],
  ['max<1.1ms', 'holds'],
  ['errors=0', 'holds'],
  ['p99<1ms,errors=0', 'holds'],
  ['p99<1ms and max<0.5ms', 'fails'],
])('%s', (text, outcome) => {
  expect(judgeTrial(parseCondition(text), trialOf())).toBe(outcome);
});

test.each([
  [0, 'errors=0', 'holds'],
  [1, 'errors=0', 'fails'],
  [1, 'errors<0.1%', 'fails'],
  [1, 'errors<=0.1%', 'holds'],
  [9, 'errors<1%', 'holds'],
  [9, 'p99<2ms', 'holds'],
  [11, 'p99<2ms', 'fails'],
  [1, 'max<2ms', 'fails'],
  [1000, 'p50<2ms', 'fails'],
])('%d of 1,000 requests fail: %s', (errors, text, outcome) => {
  expect(judgeTrial(parseCondition(text), trialOf({ errors }))).toBe(outcome);
});

test('at a rate that is not kept, no condition holds', () => {
  expect(judgeTrial(parseCondition('errors=0'), trialOf({ completed: 985 }))).toBe('holds');
  expect(judgeTrial(parseCondition('errors=0'), trialOf({ completed: 975 }))).toBe('fails');
});

test('a load generator that is late itself, or without a core, says nothing against a side', () => {
  const condition = parseCondition('p99<0.9ms');
  expect(judgeTrial(condition, trialOf({ lagP99: 0.05 }))).toBe('fails');
  expect(judgeTrial(condition, trialOf({ lagP99: 0.2 }))).toBe('lagged');
  expect(judgeTrial(condition, trialOf({ waited: 0.2 }))).toBe('starved');
  expect(judgeTrial(parseCondition('p99<2ms'), trialOf({ lagP99: 0.2, waited: 0.2 }))).toBe(
    'holds',
  );
  const late = { completed: 950, lagP99: 40 };
  expect(judgeTrial(parseCondition('errors=0'), trialOf(late))).toBe('lagged');
});

test.each([
  ['', "'' cannot be a condition: it names no metric"],
  ['p95<5ms', 'p95 is no metric; did you mean p90?'],
  ['latency<5ms', 'latency is no metric; there are p50, p90, p99, p99.9, max, errors'],
  ['p99>5ms', 'p99 must be followed by < or <='],
  ['p99=5ms', 'p99 must be followed by < or <='],
  ['p99<5', 'a latency has a unit, such as 5ms, 250us or 1s'],
  ['p99<0ms', 'a latency has a unit'],
  ['p99<-1ms', 'a latency has a unit'],
  ['p99<', 'a latency has a unit'],
  ['errors<0', 'write errors=0, errors<1% or errors<=1%'],
  ['errors=1%', 'write errors=0, errors<1% or errors<=1%'],
  ['errors<5', 'errors are 0, or a share such as 0.1%'],
  ['errors<100%', 'errors are 0, or a share such as 0.1%'],
  ['p99<5ms,', "'' cannot be a condition"],
  ['p99<5ms or errors=0', 'a latency has a unit'],
])('%j is refused', (text, message) => {
  expect(() => parseCondition(text)).toThrow(SettingsError);
  expect(() => parseCondition(text)).toThrow(message);
});

test('it is shown in one way', () => {
  expect(parseCondition(' p99 < 5ms , errors=0').text).toBe('p99<5ms and errors=0');
});
