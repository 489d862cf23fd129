import { unlessInterrupted } from '../../check/exit.ts';
import type { FieldLine } from '../../check/message.ts';
import { Target } from '../../check/target.ts';
import { Latencies } from '../latencies.ts';
import { Connector } from './connector.ts';
import { FixedRate, recordIn, type ThreadRateLoad } from './fixed-rate.ts';
import { fullLoad, type ThreadFullLoad } from './full-load.ts';
import type { Finished, FullLoad, Generator, LoadPlan, LoadTimes, RateLoad } from './generator.ts';
import type { PreparedRequest } from './load-connection.ts';
import { mergedFull, mergedRate } from './merged-load.ts';
import { Slots } from './slots.ts';
import { Tally } from './tally.ts';

/** Generates load in the thread that calls it. */
export class ThreadGenerator implements Generator {
  readonly #plan: LoadPlan;
  readonly #signal: AbortSignal;
  readonly #connector: Connector;
  readonly slots: Slots;
  readonly #tally = new Tally();
  readonly #latencies = new Latencies();

  constructor(plan: LoadPlan, signal: AbortSignal) {
    const { target, protocol, requests, concurrency, timeout, isResumed } = plan;
    this.#plan = plan;
    this.#signal = signal;
    this.#connector = new Connector(new Target(target), protocol, requests, timeout, isResumed);
    this.slots = new Slots(this.#connector, concurrency, timeout);
  }

  async open(): Promise<void> {
    await unlessInterrupted(this.slots.prepare(), this.#signal);
  }

  async full(times: LoadTimes): Promise<FullLoad> {
    return mergedFull([await this.fullOfThread(times)]);
  }

  async fixed(times: LoadTimes, rate: number): Promise<RateLoad> {
    return mergedRate([await this.fixedOfThread(times, rate, 0)]);
  }

  async finish(): Promise<Finished> {
    await unlessInterrupted(this.slots.idle(), this.#signal);
    const { requests, errors } = this.#tally;
    return { requests, errors, latencies: this.#latencies };
  }

  close(): void {
    this.slots.close();
  }

  /** The next request of the load, with further fields before its own. */
  prepare(fields: readonly FieldLine[]): PreparedRequest {
    const { request } = this.#connector.next();
    return this.#connector.prepare({ ...request, fields: [...fields, ...(request.fields ?? [])] });
  }

  fullOfThread(times: LoadTimes): Promise<ThreadFullLoad> {
    return fullLoad(this.slots, this.#tally, { ...times, signal: this.#signal });
  }

  /** @param offset of the first request, in milliseconds */
  fixedOfThread(times: LoadTimes, rate: number, offset: number): Promise<ThreadRateLoad> {
    const options = { ...times, rate, offset, timeout: this.#plan.timeout };
    return new FixedRate(this.slots, recordIn(this.#tally, this.#latencies), options).run(
      this.#signal,
    );
  }
}
