import { expect, onTestFinished, test } from 'vitest';
import type { LoadPlan } from '../../../src/bench/load/generator.ts';
import { LoadThreads } from '../../../src/bench/load/load-threads.ts';
import { REQUEST } from './_request.ts';

// test/main.bench.test.ts has the program of the threads.

const plan: LoadPlan = {
  target: { url: new URL('http://127.0.0.1:1'), insecure: true, ca: Buffer.from('a') },
  protocol: 'h2c',
  requests: [REQUEST],
  concurrency: { connections: 5, streams: 1, isReused: true },
  timeout: 1000,
  isResumed: false,
};
const TIMES = { seconds: 1, warmUp: 0 };
const USE = `seconds: 1, kept: 0.25, ran: 0.5, processRan: 1.1, pressure: undefined`;

/** A load by two threads that reply as this program says. */
function loadBy(program: string, signal = new AbortController().signal) {
  const code = `
    import { createHistogram } from 'node:perf_hooks';
    import { parentPort, threadId } from 'node:worker_threads';
    const histogram = (...values) => {
      const made = createHistogram();
      for (const value of values) made.record(value);
      return made;
    };
    let connections = 0;
    parentPort.on('message', (call) => {
      const { kind } = call;
      ${program}
    });`;
  const threads = new LoadThreads(2, new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  onTestFinished(() => threads.close());
  return threads.generator(plan, signal);
}

test('each thread has its part of the connections and of the rate, and all results are merged', async () => {
  const load = loadBy(`
    if (kind === 'open') connections = call.plan.concurrency.connections;
    const use = { busy: connections / 10, ${USE} };
    const replies = {
      open: {},
      full: { load: { requestsPerSecond: 10 ** connections, use } },
      fixed: {
        load: {
          count: call.rate, queued: connections, completed: call.rate, milliseconds: 1000,
          lag: histogram(call.rate === 60 ? 1e6 : 2e6 + (call.offset ?? 0)), use,
        },
      },
      finish: {
        counts: { requests: connections, errors: { timeout: 1, ['status ' + connections]: 2 } },
        latencies: histogram(connections * 1e6),
      },
    };
    parentPort.postMessage({ kind, ...replies[kind] });`);
  await load.open();
  // The time of other threads of the process, 0.1 s, is subtracted from what each was kept from running.
  const shared = { busy: 0.3, pressure: undefined };
  const full = await load.full(TIMES);
  expect(full).toMatchObject({ ...shared, requestsPerSecond: 1100 });
  expect(full.waited).toBeCloseTo(0.15);
  const fixed = await load.fixed(TIMES, 100);
  expect(fixed).toMatchObject({ ...shared, queued: 0.05, completed: 100 });
  expect(fixed.lagP99).toBeCloseTo(2, 2);
  const { latencies, ...counts } = await load.finish();
  const errors = { timeout: 2, 'status 3': 2, 'status 2': 2 };
  expect(counts).toEqual({ requests: 5, errors });
  expect(latencies.percentiles?.p50).toBeCloseTo(2, 1);
  expect(latencies.percentiles?.max).toBeCloseTo(3, 1);
});

test.each([
  ['that ends', `process.exit(3)`, /^a thread of the load has ended$/],
  ['that throws', `throw new Error('x')`, /^a thread of the load has failed: Error: x$/],
  ['that reports a failure', `parentPort.postMessage({ kind: 'failed', reason: 'y' })`, /^y$/],
])('a thread %s is an error', async (_, program, message) => {
  const load = loadBy(`
    if (kind === 'open') parentPort.postMessage({ kind });
    else if (threadId % 2 === 0) ${program};`);
  await load.open();
  await expect(load.full(TIMES)).rejects.toThrow(message);
  // The other one is ended, because it may still be in that load.
  await expect(load.finish()).rejects.toThrow(/^a thread of the load has/);
  load.close();
});

test('a signal ends the threads at once', async () => {
  const controller = new AbortController();
  const load = loadBy(`if (kind === 'open') parentPort.postMessage({ kind });`, controller.signal);
  await load.open();
  const full = load.full(TIMES);
  controller.abort(new Error('interrupted'));
  await expect(full).rejects.toThrow('interrupted');
  load.close();
});
