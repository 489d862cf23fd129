import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import {
  addSamples,
  countedBy,
  emptySample,
  Sampler,
  type Sample,
} from '../../src/telemetry/sample.ts';

function connection(protocol: TcpConnection['protocol'], open: number): TcpConnection {
  const made = new TcpConnection(new Socket());
  if (protocol !== undefined) made.detected(protocol);
  for (let at = 0; at < open; at++) made.requests.nextNumber();
  return made;
}

describe('Sampler', () => {
  test('open connections and requests, by transport', async () => {
    const open = [connection('h2', 3), connection(undefined, 0), connection('h2', 1)];
    const sampler = new Sampler(() => open);
    expect((await sampler.sample()).open).toEqual({
      h2: { connections: 2, requests: 4 },
      none: { connections: 1, requests: 0 },
    });
    open.pop();
    expect((await sampler.sample()).open['h2']).toEqual({ connections: 1, requests: 3 });
    sampler.close();
  });

  test('this process', async () => {
    const sampler = new Sampler(() => []);
    const { process: facts, loop } = await sampler.sample();
    sampler.close();
    expect(facts.cpu_seconds).toBeGreaterThan(0);
    expect(facts.cpu_seconds).toBeLessThan(process.uptime() * 100);
    expect(facts.resident_bytes).toBeGreaterThan(2 ** 20);
    expect(Math.abs(Date.now() / 1000 - process.uptime() - facts.start_seconds)).toBeLessThan(60);
    expect(loop.active_seconds + loop.idle_seconds).toBeGreaterThan(0);
  });
});

describe('the event-loop delay', () => {
  let now = 0;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('is how late the timer is', async () => {
    const sampler = new Sampler(() => []);
    for (const late of [0, 0, 0.64]) {
      now += 100 + late * 1000;
      vi.advanceTimersByTime(100);
    }
    const { delays } = (await sampler.sample()).loop;
    expect(delays.counts.reduce((sum, count) => sum + count)).toBe(3);
    expect(delays.counts[0]).toBe(2);
    expect(delays.sum_us).toBe(640_000);
    sampler.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('addSamples', () => {
  const one: Sample = {
    open: { h2: { connections: 1, requests: 2 } },
    loop: {
      active_seconds: 1,
      idle_seconds: 2,
      waiting_seconds: 0.5,
      delays: { counts: [1, 2], sum_us: 100_000 },
    },
    process: { cpu_seconds: 1, resident_bytes: 100, open_fds: 10, start_seconds: 1000 },
  };

  test('adds up all but the start, which is that of the first', () => {
    const other = {
      ...one,
      open: { h2: { connections: 3, requests: 4 }, h2c: { connections: 1, requests: 0 } },
      process: { ...one.process, start_seconds: 2000 },
    };
    const sum = addSamples(one, other);
    expect(sum.open).toEqual({
      h2: { connections: 4, requests: 6 },
      h2c: { connections: 1, requests: 0 },
    });
    expect(sum.loop).toMatchObject({ active_seconds: 2, idle_seconds: 4, waiting_seconds: 1 });
    expect(sum.loop.delays.counts.slice(0, 2)).toEqual([2, 4]);
    expect(sum.process).toEqual({
      cpu_seconds: 2,
      resident_bytes: 200,
      open_fds: 20,
      start_seconds: 1000,
    });
    expect(one.open['h2']).toEqual({ connections: 1, requests: 2 });
  });

  test('a process that has exited leaves what it has counted', () => {
    const sum = addSamples(emptySample(), countedBy(one));
    expect(sum.open).toEqual({});
    expect(sum.loop).toMatchObject({ active_seconds: 1, idle_seconds: 2 });
    expect(sum.process).toMatchObject({ cpu_seconds: 1, resident_bytes: 0, open_fds: 0 });
  });

  test('no number of descriptors if one of the processes has none', () => {
    const unknown = { ...one, process: { ...one.process, open_fds: null } };
    expect(addSamples(one, unknown).process.open_fds).toBeNull();
  });
});
