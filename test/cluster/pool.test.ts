import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WorkerPool } from '../../src/cluster/pool.ts';
import { JournalStore } from '../../src/telemetry/journal/store.ts';

/** Is online at once, and does what it is asked. */
class FakeWorker extends EventEmitter {
  readonly id = 1;
  readonly process = { pid: 1, kill: () => this.emit('exit', null, 'SIGKILL') };

  constructor() {
    super();
    queueMicrotask(() => this.emit('message', { kind: 'online' }));
  }

  send({ id }: { id: number }, _handle: unknown, _options: unknown, onSent: () => void): void {
    onSent();
    this.emit('message', { kind: 'response', id, result: null });
  }
}

const START = {
  type: 'start',
  credentials: { cert: '', key: '', others: [], ticketKeys: '' },
  rules: [],
  nonceKey: '',
  process: '',
  ready: true,
  draining: false,
} as const;

test('restarts of workers that die early are delayed more and more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const workers: FakeWorker[] = [];
  const died: object[] = [];
  const log = { error: (fields: object) => void died.push(fields), info: () => undefined };
  const pool = new WorkerPool({
    fork: () => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    },
    log: { ...log, warn: log.info, debug: log.info },
    journal: new JournalStore({ entries: 1, keys: 1, bytes: 1, lifetime: 1 }, ''),
    createStartRequest: () => START,
    handle: () => null,
    onStatistics: () => undefined,
    onUnsentConnection: () => undefined,
  });
  await pool.start(1);

  /** Milliseconds from the death of the worker to the start of the next. */
  const delay = async (): Promise<number> => {
    const before = workers.length;
    workers.at(-1)?.process.kill();
    await turn();
    const diedAt = performance.now();
    while (workers.length === before) await vi.advanceTimersToNextTimerAsync();
    await turn();
    expect(pool.ready).toHaveLength(1);
    return performance.now() - diedAt;
  };
  for (const expected of [0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
    expect(await delay()).toBe(expected);
  }
  vi.advanceTimersByTime(10_000);
  expect(await delay()).toBe(0);
  expect(died).toHaveLength(11);

  workers.at(-1)?.process.kill();
  await turn();
  pool.close();
  expect(vi.getTimerCount()).toBe(0);
});
