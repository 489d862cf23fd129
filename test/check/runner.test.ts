import { expect, test } from 'vitest';
import type { Check } from '../../src/check/check.ts';
import { Runner, plan } from '../../src/check/runner.ts';
import type { Facts } from '../../src/check/probe.ts';
import { Target } from '../../src/check/target.ts';

const facts: Facts = {
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
  const runner = new Runner(target, facts, {
    time: 60_000,
    concurrency: 1,
    rate: Infinity,
    repeat: 1,
    destructive: false,
    signal: controller.signal,
    onResult: () => undefined,
  });
  expect(await runner.run(plan([check], facts))).toEqual([]);
});
