import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Check, Outcome } from '../../src/check/check.ts';
import {
  differs,
  fail,
  failProven,
  notApplicable,
  pass,
  type Verdict,
} from '../../src/check/verdict.ts';
import { plan, type RunOptions } from '../../src/check/runner.ts';
import type { Transfer } from '../../src/check/message.ts';
import type { Facts } from '../../src/check/probe.ts';
import { PATIENCE } from '../_adapters.ts';
import { collectGarbage } from '../_garbage.ts';
import { FACTS } from './_results.ts';
import { RULE, runnerWith } from './_runner.ts';

/** The result of one check. */
async function resultOf(check: Check, options: Partial<RunOptions> = {}) {
  const [result] = await runnerWith(options).run(plan([check], FACTS));
  return result;
}

test('a check that is running ends when the run is interrupted, without a result', async () => {
  const controller = new AbortController();
  const check: Check = {
    ...RULE,
    run: () => {
      controller.abort();
      return new Promise(() => undefined);
    },
  };
  expect(await resultOf(check, { time: 60_000, signal: controller.signal })).toBeUndefined();
});

test('evidence is not kept once its check has a result: it may be large', async () => {
  let evidence: WeakRef<object> | undefined;
  const first: Check = {
    ...RULE,
    async run() {
      const transfer = { ...SILENCE };
      evidence = new WeakRef(transfer);
      return differs('as it is', transfer);
    },
  };
  const second: Check = {
    ...RULE,
    id: 'hop/other',
    async run(session) {
      session.observe('echo');
      await vi.waitFor(() => {
        collectGarbage();
        // A failed expectation would keep what it was given.
        expect(evidence?.deref() === undefined).toBe(true);
      }, PATIENCE);
      return pass();
    },
  };
  const { signal } = new AbortController();
  const results = await runnerWith({ signal }).run(plan([first, second], FACTS));
  expect(results.map(({ outcome }) => outcome)).toEqual(['differs', 'pass']);
});

/** A check with a verdict for each time that it is run. @param waits how often it waits for as long as it may */
function checkWith(waits: number, ...verdicts: readonly Verdict[]) {
  const times: number[] = [];
  const check: Check = {
    ...RULE,
    async run(session) {
      const { time } = session;
      session.observe('echo');
      times.push(time);
      if (times.length <= waits) await pause(time);
      const verdict = verdicts[times.length - 1];
      if (!verdict) throw new Error('run once too often');
      return verdict;
    },
  };
  return { check, times };
}

const FAIL = fail('a response', 'timeout');

test('a pass without what it rests on is blocked', async () => {
  const check: Check = { ...RULE, run: async () => pass() };
  const { signal } = new AbortController();
  expect(await resultOf(check, { signal })).toMatchObject({
    outcome: 'blocked',
    reason: 'this was not observed: the origin has echoed a request of the check',
  });
  expect(await resultOf({ ...check, observes: 'refusal' }, { signal })).toMatchObject({
    outcome: 'blocked',
  });
  // Without the journal nobody can know.
  expect(await resultOf({ ...check, observes: 'arrival' }, { signal })).toMatchObject({
    outcome: 'not-applicable',
    reason: 'the journal of the origin cannot be read',
  });
});

test('what the target does keeps a check from a verdict, but is no error', async () => {
  const { signal } = new AbortController();
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const outcomeOf = async (thrown: Error): Promise<Outcome | undefined> => {
    const run: Check['run'] = () => Promise.reject(thrown);
    return (await resultOf({ ...RULE, run }, { signal }))?.outcome;
  };
  expect(await outcomeOf(refused)).toBe('blocked');
  expect(await outcomeOf(new AggregateError([refused, refused]))).toBe('blocked');
  expect(await outcomeOf(Object.assign(new Error(), { code: 'ERR_SSL_BAD' }))).toBe('blocked');
  expect(await outcomeOf(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(
    'error',
  );
  expect(await outcomeOf(new TypeError('undefined is not a function'))).toBe('error');
});

test('a fact is no finding', async () => {
  const { check } = checkWith(0, FAIL, FAIL, FAIL);
  expect(await resultOf({ ...check, level: 'info' })).toMatchObject({
    outcome: 'differs',
    found: 'timeout',
    expected: undefined,
  });
  expect(await resultOf(check)).toMatchObject({
    outcome: 'fail',
    expected: 'a response',
  });
});

test('what a check differs in that measures time is measured again', async () => {
  const late = checkWith(0, differs('late'), pass());
  expect((await resultOf({ ...late.check, phase: 'timed' }))?.outcome).toBe('pass');
  const slow = checkWith(0, differs('late'), differs('later'));
  expect(await resultOf({ ...slow.check, phase: 'timed' })).toMatchObject({ found: 'later' });
  const other = checkWith(0, differs('404'));
  expect(await resultOf(other.check)).toMatchObject({ found: '404' });
});

test('a finding after a wait in vain is confirmed with more time', async () => {
  const slow = checkWith(2, FAIL, pass());
  expect(await resultOf(slow.check, { time: 50 })).toMatchObject({
    outcome: 'pass',
    reason: 'needed more than 50 ms',
  });
  expect(slow.times).toEqual([50, 125]);
  const other = checkWith(2, FAIL, differs('404'));
  expect(await resultOf(other.check, { time: 50 })).toMatchObject({
    outcome: 'differs',
    found: '404',
    reason: 'needed more than 50 ms',
  });
  // What is over at once the second time was not slow.
  const moody = checkWith(1, FAIL, pass());
  expect(await resultOf(moody.check, { time: 50 })).toMatchObject({
    outcome: 'flaky',
    found: 'timeout',
    reason: 'fail, then pass',
  });
  const silent = checkWith(1, FAIL, FAIL);
  expect(await resultOf(silent.check, { time: 50 })).toMatchObject({ outcome: 'fail' });
});

/** A transfer that ended by its limit. */
const SILENCE: Transfer = {
  sent: 'GET / HTTP/1.1\r\n\r\n',
  received: '',
  interim: [],
  response: undefined,
  ending: 'timeout',
  firstByte: undefined,
  duration: 50,
  isReusable: false,
};

/** A check of 50 seconds, with a transfer for each five of them at first. */
const longCheck = (transfers: number): Check => ({
  ...RULE,
  async run(session) {
    session.observe('echo');
    for (let at = 0; at < 10; at++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 5000);
      });
      if (at < transfers) session.record(SILENCE);
    }
    return pass();
  },
});

test('a check takes as long as its transfers end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const results = [8, 1].map((transfers) => resultOf(longCheck(transfers), { time: 1000 }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await Promise.all(results)).toMatchObject([
    { outcome: 'pass' },
    { outcome: 'blocked', reason: 'no transfer of the check has ended for 20000 ms' },
  ]);
});

test('a finding after a wait in vain that more time does not judge is flaky, not gone', async () => {
  const finding = fail('a response', 'timeout', SILENCE);
  const skipped = checkWith(1, finding, notApplicable('the target reuses no response'));
  expect(await resultOf(skipped.check, { time: 50 })).toMatchObject({
    outcome: 'flaky',
    reason: 'fail, then not-applicable (the target reuses no response)',
    expected: 'a response',
    found: 'timeout',
    evidence: [{ ending: 'timeout' }],
  });
  const broken = checkWith(1, finding);
  expect(await resultOf(broken.check, { time: 50 })).toMatchObject({
    outcome: 'flaky',
    reason: 'fail, then error (run once too often)',
    found: 'timeout',
  });
});

test('a prompt check waits for a part of the limit, and for all of it if nothing has come', async () => {
  const prompt = ({ check }: ReturnType<typeof checkWith>): Check => ({ ...check, isPrompt: true });
  const quick = checkWith(0, pass());
  expect(await resultOf(prompt(quick), { time: 500 })).toMatchObject({ outcome: 'pass' });
  expect(quick.times).toEqual([100]);
  const silent = checkWith(2, FAIL, FAIL);
  expect(await resultOf(prompt(silent), { time: 500 })).toMatchObject({ outcome: 'fail' });
  expect(silent.times).toEqual([100, 500]);
  const slow = checkWith(2, FAIL, pass());
  expect(await resultOf(prompt(slow), { time: 500 })).toMatchObject({
    outcome: 'pass',
    reason: 'needed more than 100 ms',
  });
  // Held up once, as on a busy machine: all of the limit decides, in two runs.
  const late = checkWith(1, FAIL, pass(), pass());
  expect(await resultOf(prompt(late), { time: 500 })).toMatchObject({
    outcome: 'pass',
    reason: undefined,
  });
  expect(late.times).toEqual([100, 500, 500]);
  const unsteady = checkWith(1, FAIL, pass(), FAIL);
  expect(await resultOf(prompt(unsteady), { time: 500 })).toMatchObject({
    outcome: 'flaky',
    reason: 'pass, then fail',
  });
  const unknown = checkWith(1, notApplicable('no response'), pass());
  expect(await resultOf(prompt(unknown), { time: 500 })).toMatchObject({
    outcome: 'pass',
    reason: undefined,
  });
  const fact = checkWith(1, differs('timeout'), pass());
  expect(await resultOf(prompt(fact), { time: 500 })).toMatchObject({ outcome: 'pass' });
  const other = checkWith(0, notApplicable('no cache'));
  expect(await resultOf(prompt(other), { time: 500 })).toMatchObject({ outcome: 'not-applicable' });
  expect(other.times).toEqual([100]);
});

test('what was seen once is a finding, even if the check passes when it is run again', async () => {
  const seen = checkWith(0, failProven('1 attempt', '2 attempts', SILENCE), pass());
  expect(await resultOf(seen.check)).toMatchObject({
    outcome: 'fail',
    found: '2 attempts',
    reason: 'seen in 1 of 2 runs, otherwise pass',
    evidence: [{ ending: 'timeout' }],
  });
  const rare = checkWith(0, pass(), pass(), failProven('2 fields', '1 field'), pass());
  expect(await resultOf(rare.check, { repeat: 4 })).toMatchObject({
    outcome: 'fail',
    reason: 'seen in 1 of 4 runs, otherwise pass',
  });
});

test('a finding without a wait that is not confirmed is flaky', async () => {
  const { check, times } = checkWith(0, FAIL, pass());
  expect(await resultOf(check)).toMatchObject({ outcome: 'flaky', reason: 'fail, then pass' });
  expect(times).toEqual([1000, 1000]);
});

/** Runs three ordinary checks and three others. @returns how many of them ran at once, and side by side */
async function runAtOnce(
  given: Partial<Facts>,
  other: Pick<Check, 'observes' | 'needs'> = { observes: 'echo', needs: ['faults'] },
) {
  let mixed = false;
  const most = { ordinary: 0, other: 0 };
  const running = { ordinary: 0, other: 0 };
  const check = (name: string, kind: keyof typeof most): Check => ({
    id: `field/${name}`,
    section: '',
    rule: '',
    level: 'info',
    risk: 'interop',
    observes: 'echo',
    ...(kind === 'other' && other),
    async run(session) {
      session.observe((kind === 'other' ? other.observes : undefined) ?? 'echo');
      running[kind]++;
      most[kind] = Math.max(most[kind], running[kind]);
      if (running.ordinary > 0 && running.other > 0) mixed = true;
      await new Promise(setImmediate);
      running[kind]--;
      return pass();
    },
  });
  const checks = [1, 2, 3].flatMap((number) => [
    check(`other-${number}`, 'other'),
    check(`ordinary-${number}`, 'ordinary'),
  ]);
  const met = { ...FACTS.met, 'http/1.1': new Set(['faults'] as const) };
  const facts: Facts = { ...FACTS, met, ...given };
  const results = await runnerWith({ concurrency: 3 }, facts).run(plan(checks, facts));
  expect(results.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  expect(results.map(({ outcome }) => outcome)).toEqual(checks.map(() => 'pass'));
  return { ...most, mixed };
}

test('checks that break connections to the origin run one by one where others share them', async () => {
  expect(await runAtOnce({ pooling: 'pooled' })).toEqual({ ordinary: 3, other: 1, mixed: false });
  const apart = await runAtOnce({ pooling: 'one connection for each request' });
  expect(apart.mixed).toBe(true);
});

test('checks of refusals run one by one if the origin speaks HTTP/2', async () => {
  const refusal = { observes: 'refusal' } as const;
  const met = { ...FACTS.met, 'http/1.1': new Set(['h2-origin'] as const) };
  expect(await runAtOnce({ met }, refusal)).toEqual({ ordinary: 3, other: 1, mixed: false });
  expect((await runAtOnce({}, refusal)).mixed).toBe(true);
});
