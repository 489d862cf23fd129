import { describe, expect, test } from 'vitest';
import { CostMeter } from '../../../src/bench/cost/cost-meter.ts';
import { makeProc } from './_proc.ts';

const status = 'VmHWM:\t    6000 kB\nVmRSS:\t    5000 kB\n';
const rollup = 'Pss:   1000 kB\n';
const proxy = { pid: 10, name: 'nginx', status, rollup, threads: { 10: 1e9 } };
const worker = { ...proxy, pid: 11, parent: 10 };

const round = (cpuPerRequest: number | undefined, connections = 0) => ({
  cpuPerRequest,
  origin: { traffic: { requests: 1000, connections, open: 3 } },
});

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('CPU time in microseconds, of all processes', () => {
    const proc = makeProc([proxy, worker]);
    const spent = new CostMeter({ pids: [10] }, undefined, proc).watch();
    makeProc([proxy, { ...worker, threads: { 10: 1.5e9 } }], [], proc);
    expect(spent()).toBeCloseTo(500_000);
  });

  test('what all rounds have shown', () => {
    const proc = makeProc([proxy, worker]);
    const meter = new CostMeter({ pids: [10] }, undefined, proc);
    const cost = meter.view([round(40.004, 2), round(50, 4), round(60)]);
    expect(cost).toEqual({
      processes: [
        { pid: 10, name: 'nginx' },
        { pid: 11, name: 'nginx' },
      ],
      cpu_us_per_request: 50,
      memory_bytes: { resident: 10_240_000, peak: 12_288_000, proportional: 2_048_000 },
      origin: { requests: 1000, connections: 2, open_connections: 3 },
      note: '',
    });
  });

  test('rounds in which processes have changed are told, and do not count', () => {
    const meter = new CostMeter({ pids: [10] }, undefined, makeProc([proxy]));
    const cost = meter.view([round(undefined), round(60), round(undefined)]);
    expect(cost.cpu_us_per_request).toBe(60);
    expect(cost.note).toBe('Processes began or ended in 2 rounds: their CPU time is not known.');
  });

  test('processes of the load generator and of the origin are told', () => {
    const proc = makeProc([proxy, { ...proxy, pid: process.pid }]);
    const meter = new CostMeter({ pids: [process.pid] }, undefined, proc);
    expect(meter.view([round(1)]).note).toBe('The load generator is one of its processes.');
    const one = new CostMeter({ pids: [10] }, { pids: [10] }, proc);
    expect(one.view([round(1)]).note).toBe('Some of its processes are those of the origin.');
  });

  test.each([
    [undefined, 'It does not run on this machine.'],
    [{ pids: [12] }, 'The processes of --pid do not run.'],
    [
      { port: 80, addresses: [] },
      'No process that this user may look into listens on port 80: name it with --pid.',
    ],
  ])('of %j nothing is known', (source, note) => {
    const meter = new CostMeter(source, undefined, makeProc([proxy]));
    expect(meter.watch()()).toBeUndefined();
    const cost = meter.view([{ origin: undefined }]);
    expect(cost).toEqual({
      processes: [],
      cpu_us_per_request: null,
      memory_bytes: null,
      origin: null,
      note,
    });
  });
});
