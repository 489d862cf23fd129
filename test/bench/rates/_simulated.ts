import { Latencies } from '../../../src/bench/latencies.ts';
import type { Trial } from '../../../src/bench/rates/trial.ts';

/** Random numbers from 0 to 1 that are the same in each run (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Simulation {
  /** Requests per second that the server can do. */
  readonly capacity: number;
  /** Milliseconds that every request takes besides. */
  readonly delay?: number;
  /** Whether requests arrive at random instead of at equal distances: M/D/1 instead of D/D/1. */
  readonly isPoisson?: boolean;
  /** Whether each request takes up to 5 ms more, at random. */
  readonly isJittery?: boolean;
  /** How likely a trial has a stall of 100 ms. */
  readonly stalls?: number;
  /** Share of the requests that fail. */
  readonly failing?: number;
  /** Requests per second that the load generator can send; beyond, it is late. */
  readonly sends?: number;
  readonly chance: () => number;
}

/** A second of load at a simulated server with one queue, after a quarter of a second that is not measured. */
export function simulate(rate: number, simulation: Simulation): Trial {
  const { capacity, delay = 0.1, isPoisson = false, stalls = 0, failing = 0, chance } = simulation;
  const { sends = Infinity, isJittery = false } = simulation;
  // The number of arrivals at random is that of the rate, too.
  const arrivals = (from: number, to: number): number[] =>
    Array.from({ length: Math.round((rate * (to - from)) / 1000) }, (_, at) =>
      isPoisson ? from + chance() * (to - from) : from + (at * 1000) / rate,
    ).toSorted((a, b) => a - b);
  const latencies = new Latencies();
  const lags = new Latencies();
  const stallAt = chance() < stalls ? chance() * 900 : Infinity;
  let [sent, free, completed, requests, errors] = [-250, -250, 0, 0, 0];
  for (const due of [...arrivals(-250, 0), ...arrivals(0, 1000)]) {
    sent = Math.max(due, sent + 1000 / sends);
    lags.record(sent - due);
    let start = Math.max(sent, free);
    if (start >= stallAt && start < stallAt + 100) start = stallAt + 100;
    free = start + 1000 / capacity;
    const end = free + delay + (isJittery ? chance() * 5 : 0);
    requests++;
    if (end >= 0 && end < 1000) completed++;
    if (chance() < failing) errors++;
    else if (due >= 0) latencies.record(end - due);
  }
  const lagP99 = lags.at(99);
  return {
    rate,
    completed,
    requests,
    errors,
    latencies,
    lagP99,
    queued: 0,
    waited: 0,
    pressure: undefined,
    seconds: 1,
  };
}
