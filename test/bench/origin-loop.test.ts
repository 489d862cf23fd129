import { expect, onTestFinished, test } from 'vitest';
import { loadBetween, medianLoad, parseLoops, readLoops } from '../../src/bench/origin-loop.ts';
import { Target } from '../../src/check/target.ts';
import { createService } from '../../src/index.ts';

const targetOf = (url: string): Target => new Target({ url: new URL(url), insecure: true });

test('the share of the time in which event loops were busy', () => {
  const before = { active: 10, idle: 100, at: 5000 };
  expect(loadBetween(before, { active: 11.5, idle: 100.5, at: 7000 })).toEqual({
    busy: 0.75,
    loops: 1,
  });
  expect(loadBetween(before, { active: 12, idle: 106, at: 7000 })).toEqual({
    busy: 0.25,
    loops: 4,
  });
});

test('one round of several does not tell how busy the origin was', () => {
  expect(medianLoad([])).toBeUndefined();
  const loads = [0.9, 0.3, 0.8].map((busy) => ({ busy, loops: 2 }));
  expect(medianLoad(loads)).toEqual({ busy: 0.8, loops: 2 });
});

test('text that is no metrics has none', () => {
  expect(parseLoops('', 0)).toBeUndefined();
  expect(parseLoops('wirebin_event_loop_seconds_total{state="active"} 1\n', 0)).toBeUndefined();
  const endless = ['active', 'idle'].map(
    (state) => `wirebin_event_loop_seconds_total{state="${state}"} 1e999\n`,
  );
  expect(parseLoops(endless.join(''), 0)).toBeUndefined();
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
