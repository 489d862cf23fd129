import { expect, onTestFinished, test } from 'vitest';
import { loadBetween, medianLoad, parseLoops, readLoops } from '../../src/bench/origin-loop.ts';
import { Target } from '../../src/check/target.ts';
import { createService } from '../../src/index.ts';

const targetOf = (url: string): Target => new Target({ url: new URL(url), insecure: true });

test('the share of the time in which event loops were busy, and waited', () => {
  const before = { active: 10, idle: 100, waited: 1, at: 5000 };
  expect(loadBetween(before, { active: 11.5, idle: 100.5, waited: 1.5, at: 7000 })).toEqual({
    busy: 0.75,
    waited: 0.25,
    loops: 1,
  });
  // Four loops that need three cores: the share is that of those three.
  expect(loadBetween(before, { active: 16, idle: 102, waited: 4, at: 7000 })).toEqual({
    busy: 0.75,
    waited: 0.5,
    loops: 4,
  });
  const silent = { ...before, waited: undefined };
  expect(loadBetween(silent, { ...silent, at: 7000, idle: 102 }).waited).toBeUndefined();
});

test('one round of several does not tell how busy the origin was', () => {
  expect(medianLoad([])).toBeUndefined();
  const loads = [0.9, 0.3, 0.8].map((busy) => ({ busy, waited: busy / 10, loops: 2 }));
  expect(medianLoad(loads)).toEqual({ busy: 0.8, waited: 0.08, loops: 2 });
});

test('text that is no metrics has none', () => {
  expect(parseLoops('', 0)).toBeUndefined();
  expect(parseLoops('wirebin_event_loop_seconds_total{state="active"} 1\n', 0)).toBeUndefined();
  const endless = ['active', 'idle'].map(
    (state) => `wirebin_event_loop_seconds_total{state="${state}"} 1e999\n`,
  );
  expect(parseLoops(endless.join(''), 0)).toBeUndefined();
});

test('an origin of another system or version does not say how long it waited', () => {
  const lines = ['active', 'idle'].map(
    (state) => `wirebin_event_loop_seconds_total{state="${state}"} 1\n`,
  );
  expect(parseLoops(lines.join(''), 5)).toEqual({ active: 1, idle: 1, waited: undefined, at: 5 });
  lines.push('wirebin_event_loop_wait_seconds_total 0.5\n');
  expect(parseLoops(lines.join(''), 5)?.waited).toBe(0.5);
});

test('they are read from a wirebin with --metrics-enabled', async () => {
  const [service, other] = await Promise.all([
    createService({ metricsEnabled: true }),
    createService(),
  ]);
  onTestFinished(async () => void (await Promise.all([service.close(), other.close()])));
  const loops = await readLoops(targetOf(service.httpsOrigin), 5000);
  expect(loops?.active).toBeGreaterThan(0);
  expect(await readLoops(targetOf(other.httpOrigin), 5000)).toBeUndefined();
  expect(await readLoops(targetOf('http://127.0.0.1:1'), 5000)).toBeUndefined();
});
