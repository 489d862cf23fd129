import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { WorkerSample } from '../../src/cluster/messages.ts';
import { WorkerSamples } from '../../src/cluster/samples.ts';
import { emptySample } from '../../src/telemetry/sample.ts';

function sampleOf(worker: number, active_seconds: number): WorkerSample {
  const sample = emptySample();
  return { worker, sample: { ...sample, loop: { ...sample.loop, active_seconds } } };
}

test('what a worker has counted is kept once if it exits while two ask for it', async () => {
  const running = new Set([1, 2]);
  const waiting: (() => void)[] = [];
  const samples = new WorkerSamples(() => ({
    has: (id) => running.has(id),
    requestAll: async (_, guard) => {
      const results: unknown[] = [...running].map((id) => sampleOf(id, 10 * id));
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return results.filter(guard);
    },
  }));
  const activeSeconds = async () => (await samples.read()).loop.active_seconds;
  const first = activeSeconds();
  await turn();
  const second = activeSeconds();
  await turn();
  running.delete(1);
  const responses: number[] = [];
  for (const read of [first, second]) void read.then((seconds) => responses.push(seconds));
  while (responses.length < 2) {
    // The later one first, if both wait.
    waiting.pop()?.();
    await turn();
  }
  expect(responses).toEqual([30, 30]);
});
