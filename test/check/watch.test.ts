import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../src/check/check.ts';
import type { Result } from '../../src/check/result.ts';
import { NotForwarded, Watch, type Watched } from '../../src/check/watch.ts';

const TIME = 5000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Who answers as the test says. */
class Answering implements Watched {
  readonly name: string;
  /** Milliseconds. */
  delay = 1;
  process = 'a';
  asked = 0;
  isGone = false;

  constructor(name: string) {
    this.name = name;
  }

  async ask(time: number): Promise<string> {
    this.asked++;
    await new Promise((resolve) => setTimeout(resolve, Math.min(this.delay, time)));
    if (this.isGone || this.delay > time) throw new Error('refused');
    return this.process;
  }

  close(): void {
    this.delay = 1;
  }
}

function watching({ hasOrigin = true } = {}) {
  const origin = new Answering('the origin');
  const target = new Answering('the target');
  const watch = new Watch({
    origins: hasOrigin ? [origin] : [],
    target,
    time: TIME,
    signal: new AbortController().signal,
  });
  watch.start();
  return { watch, origin, target };
}

const resultWith = (outcome: Outcome): Result => ({
  id: 'hop/te',
  front: 'http/1.1',
  level: 'must',
  risk: 'interop',
  section: 'RFC 9110 10.1.4',
  rule: 'A rule.',
  outcome,
  expected: undefined,
  found: 'something',
  reason: undefined,
  evidence: [],
  isProven: false,
  duration: 1,
});

/**
 * Runs a check of a second.
 *
 * @param during what happens in the middle of each attempt, by its number from 1
 */
async function run(
  watch: Watch,
  outcome: Outcome,
  during: (attempt: number) => void = () => undefined,
  { drains = false, isAlone = false, rest = 500 } = {},
) {
  let attempts = 0;
  const attempt = async (): Promise<Result> => {
    const number = ++attempts;
    await vi.advanceTimersByTimeAsync(500);
    during(number);
    await vi.advanceTimersByTimeAsync(rest);
    return resultWith(outcome);
  };
  const running = watch.undisturbed(attempt, { drains, isAlone }, (reason) => ({
    ...resultWith('blocked'),
    reason,
  }));
  const ended: Result[] = [];
  void running.then((result) => ended.push(result));
  while (ended.length === 0) await vi.advanceTimersByTimeAsync(50);
  watch.stop();
  const result = await running;
  return { attempts, outcome: result.outcome, reason: result.reason };
}

const once = (change: () => void) => (attempt: number) => {
  if (attempt === 1) change();
};

const restart = (who: Answering) =>
  once(() => {
    who.process = 'b';
  });

/** Does not answer for a while. */
const leave = (who: Answering, time: number) => (): void => {
  who.isGone = true;
  setTimeout(() => {
    who.isGone = false;
  }, time);
};

test('a finding holds if the origin has answered in time', async () => {
  const { watch, origin } = watching();
  origin.delay = 400;
  expect(await run(watch, 'fail')).toMatchObject({ attempts: 1, outcome: 'fail' });
});

test.each(['pass', 'fail', 'flaky', 'error', 'differs', 'blocked'] as const)(
  'a check with the outcome %s is run again after a restart of the origin',
  async (outcome) => {
    const { watch, origin } = watching();
    expect(await run(watch, outcome, restart(origin))).toMatchObject({ attempts: 2, outcome });
  },
);

test('a check is run again after an answer that was late', async () => {
  const { watch, origin } = watching();
  const freeze = once(() => {
    origin.delay = 600;
    setTimeout(() => {
      origin.delay = 1;
    }, 400);
  });
  expect(await run(watch, 'fail', freeze)).toMatchObject({ attempts: 2, outcome: 'fail' });
});

test('a check that passes in spite of a delay is not run again', async () => {
  const { watch, origin } = watching();
  const freeze = once(() => {
    origin.delay = 600;
  });
  expect(await run(watch, 'pass', freeze)).toMatchObject({ attempts: 1, outcome: 'pass' });
});

test('a check is run again when the origin is back', async () => {
  const { watch, origin } = watching();
  expect(await run(watch, 'fail', once(leave(origin, TIME)))).toMatchObject({
    attempts: 2,
    outcome: 'fail',
  });
  expect(watch.gone).toBeUndefined();
});

test('a check is run again if this process was delayed', async () => {
  const { watch } = watching();
  const now = performance.now.bind(performance);
  const delay = once(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 1000);
  });
  expect(await run(watch, 'fail', delay)).toMatchObject({ attempts: 2, outcome: 'fail' });
});

test('a check that is always disturbed is blocked', async () => {
  const { watch, origin } = watching();
  const restarts = (attempt: number): void => {
    origin.process = String(attempt);
  };
  expect(await run(watch, 'fail', restarts)).toEqual({
    attempts: 3,
    outcome: 'blocked',
    reason: 'the origin was slow or restarted during each of 3 attempts',
  });
});

test('a check that passes at the end of an origin is run again', async () => {
  const { watch, origin } = watching();
  const restarted = await run(watch, 'pass', restart(origin), { rest: 0 });
  expect(restarted).toMatchObject({ attempts: 2, outcome: 'pass' });
});

test('the run ends if the origin does not come back', async () => {
  const { watch, origin } = watching();
  const result = await run(watch, 'fail', () => {
    origin.isGone = true;
  });
  expect(result.attempts).toBe(1);
  expect(watch.gone).toBe('the origin no longer answers: refused');
  expect(watch.signal.aborted).toBe(true);
});

test('the run ends if the target does not come back', async () => {
  const { watch, target } = watching();
  await run(watch, 'error', () => {
    target.isGone = true;
  });
  expect(watch.gone).toBe('the target no longer answers: refused');
});

test('what a check does to the target is its finding', async () => {
  const { watch, target } = watching();
  expect(await run(watch, 'fail', leave(target, 1000))).toMatchObject({
    attempts: 3,
    outcome: 'fail',
  });
});

test('one answer of the target is not enough to doubt a finding', async () => {
  const { watch, target } = watching();
  const ask = target.ask.bind(target);
  let asked = 0;
  target.ask = async (time) => {
    if (++asked === 1) throw new Error('400 from the target');
    return ask(time);
  };
  expect(await run(watch, 'fail')).toMatchObject({ attempts: 1, outcome: 'fail' });
  expect(asked).toBe(2);
});

test('a check that drains the origin is run again after a restart only', async () => {
  const { watch, origin } = watching();
  const drained = await run(watch, 'fail', leave(origin, 700), { drains: true });
  expect(drained).toMatchObject({ attempts: 1, outcome: 'fail' });
  const other = watching();
  const restarted = await run(other.watch, 'fail', restart(other.origin), { drains: true });
  expect(restarted).toMatchObject({ attempts: 2, outcome: 'fail' });
});

/** A target that answers itself for a while. */
function refusing(target: Answering, time: number): void {
  const ask = target.ask.bind(target);
  const end = performance.now() + time;
  target.ask = async (limit) => {
    if (performance.now() < end) throw new NotForwarded('502 from the target');
    return ask(limit);
  };
}

test('a check that runs alone waits for a target that keeps the origin out of use', async () => {
  const { watch, target } = watching();
  refusing(target, 3000);
  const start = performance.now();
  expect(await run(watch, 'differs', undefined, { isAlone: true })).toMatchObject({
    attempts: 1,
    outcome: 'differs',
  });
  expect(performance.now() - start).toBeGreaterThan(3000);
});

test('a target that keeps the origin out of use for long blocks a check, then ends the run', async () => {
  const { watch, target } = watching();
  refusing(target, Infinity);
  for (const attempts of [0, 0, 0]) {
    expect(watch.gone).toBeUndefined();
    expect(await run(watch, 'fail', undefined, { isAlone: true })).toEqual({
      attempts,
      outcome: 'blocked',
      reason: 'the target no longer leads to the origin: 502 from the target',
    });
  }
  expect(watch.gone).toBe('the target no longer leads to the origin: 502 from the target');
});

test('an origin that is not known is asked through the target, if something is not as it should be', async () => {
  const { watch, target } = watching({ hasOrigin: false });
  expect(await run(watch, 'pass')).toMatchObject({ attempts: 1, outcome: 'pass' });
  expect(target.asked).toBe(1);
  expect(await run(watch, 'fail', restart(target))).toMatchObject({ attempts: 2, outcome: 'fail' });
});
