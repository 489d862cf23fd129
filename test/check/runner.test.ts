import { expect, test } from 'vitest';
import { pass, type Check } from '../../src/check/check.ts';
import { Runner, plan } from '../../src/check/runner.ts';
import type { Facts, Pooling } from '../../src/check/probe.ts';
import { Target } from '../../src/check/target.ts';

const FACTS: Facts = {
  fronts: ['http/1.1'],
  server: undefined,
  via: undefined,
  tls: undefined,
  settings: undefined,
  origins: new Map(),
  wirebin: 'unknown',
  isTunnel: false,
  pooling: 'pooled',
  met: { 'http/1.1': new Set(), h2: new Set() },
};

test('a check that is running ends when the run is interrupted, without a result', async () => {
  const controller = new AbortController();
  const check: Check = {
    id: 'hop/te',
    section: 'RFC 9110 10.1.4',
    rule: 'It never ends.',
    level: 'must',
    risk: 'interop',
    run: () => {
      controller.abort();
      return new Promise(() => undefined);
    },
  };
  const target = new Target({ url: new URL('http://127.0.0.1:1'), insecure: false });
  const runner = new Runner(target, FACTS, {
    time: 60_000,
    concurrency: 1,
    rate: Infinity,
    repeat: 1,
    destructive: false,
    signal: controller.signal,
    onResult: () => undefined,
  });
  expect(await runner.run(plan([check], FACTS))).toEqual([]);
});

/** Runs three ordinary checks and three that need faults. @returns how many of them ran at once, and side by side */
async function runAtOnce(pooling: Pooling) {
  let mixed = false;
  const most = { ordinary: 0, breaking: 0 };
  const running = { ordinary: 0, breaking: 0 };
  const check = (name: string, kind: keyof typeof most): Check => ({
    id: `field/${name}`,
    section: '',
    rule: '',
    level: 'info',
    risk: 'interop',
    ...(kind === 'breaking' && { needs: ['faults'] }),
    async run() {
      running[kind]++;
      most[kind] = Math.max(most[kind], running[kind]);
      if (running.ordinary > 0 && running.breaking > 0) mixed = true;
      await new Promise(setImmediate);
      running[kind]--;
      return pass();
    },
  });
  const checks = [1, 2, 3].flatMap((number) => [
    check(`breaking-${number}`, 'breaking'),
    check(`ordinary-${number}`, 'ordinary'),
  ]);
  const met = { ...FACTS.met, 'http/1.1': new Set(['faults'] as const) };
  const facts: Facts = { ...FACTS, pooling, met };
  const target = new Target({ url: new URL('http://127.0.0.1'), insecure: false });
  const runner = new Runner(target, facts, {
    time: 1000,
    concurrency: 3,
    rate: Infinity,
    repeat: 1,
    destructive: false,
    signal: new AbortController().signal,
    onResult: () => undefined,
  });
  const results = await runner.run(plan(checks, facts));
  expect(results.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  expect(results.map(({ outcome }) => outcome)).toEqual(checks.map(() => 'pass'));
  return { ...most, mixed };
}

test('checks that break connections to the origin run one by one where others share them', async () => {
  expect(await runAtOnce('pooled')).toEqual({ ordinary: 3, breaking: 1, mixed: false });
  const apart = await runAtOnce('one connection for each request');
  expect(apart.mixed).toBe(true);
});
