import { Worker } from 'node:worker_threads';
import { Latencies } from '../latencies.ts';
import type { Finished, FullLoad, Generator, LoadPlan, LoadTimes, RateLoad } from './generator.ts';
import { sentPlan, type Call, type Reply } from './load-messages.ts';
import { mergedFull, mergedRate } from './merged-load.ts';
import { Tally } from './tally.ts';

const PROGRAM = new URL('load-thread.js', import.meta.url);

/** The threads that generate load. They live until `close`, because their code is slow before it is compiled. */
export class LoadThreads {
  readonly #count: number;
  readonly #program: URL;
  #threads: LoadThread[] = [];

  /** @param program of a thread */
  constructor(count: number, program = PROGRAM) {
    this.#count = count;
    this.#program = program;
  }

  /** Prepares a load. Only one at a time can use the threads. @param signal ends it, and the threads */
  generator(plan: LoadPlan, signal: AbortSignal): Generator {
    while (this.#threads.length < this.#count) this.#threads.push(new LoadThread(this.#program));
    return new ThreadsGenerator(this.#threads, plan, signal);
  }

  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** Each connection belongs to one of the threads. */
class ThreadsGenerator implements Generator {
  readonly #threads: readonly LoadThread[];
  readonly #plans: readonly LoadPlan[];
  readonly #connections: number;
  readonly #signal: AbortSignal;

  constructor(all: readonly LoadThread[], plan: LoadPlan, signal: AbortSignal) {
    const { connections } = plan.concurrency;
    const threads = all.slice(0, connections);
    this.#threads = threads;
    this.#connections = connections;
    this.#plans = threads.map((_, at) => shareOf(plan, threads.length, at));
    this.#signal = signal;
    signal.addEventListener('abort', this.#end, { once: true });
  }

  readonly #end = (): void => {
    for (const thread of this.#threads) void thread.end();
  };

  async open(): Promise<void> {
    await this.#ask('open', (plan) => ({ kind: 'open', plan: sentPlan(plan) }));
  }

  async full(times: LoadTimes): Promise<FullLoad> {
    const replies = await this.#ask('full', () => ({ kind: 'full', times }));
    return mergedFull(replies.map(({ load }) => load));
  }

  async fixed(times: LoadTimes, rate: number): Promise<RateLoad> {
    const replies = await this.#ask('fixed', ({ concurrency }, at) => ({
      kind: 'fixed',
      times,
      rate: (rate * concurrency.connections) / this.#connections,
      // The threads take turns.
      offset: (at * 1000) / rate,
    }));
    return mergedRate(replies.map(({ load }) => load));
  }

  async finish(): Promise<Finished> {
    const [tally, all] = [new Tally(), new Latencies()];
    for (const { counts, latencies } of await this.#ask('finish', () => ({ kind: 'finish' }))) {
      tally.add(counts);
      all.addHistogram(latencies);
    }
    return { requests: tally.requests, errors: tally.errors, latencies: all };
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#end);
    // A thread that has ended has closed its connections.
    this.#ask('close', () => ({ kind: 'close' })).catch(() => undefined);
  }

  /** Tells all threads to do something, each its part. @throws if one has ended */
  async #ask<Kind extends Call['kind']>(kind: Kind, callOf: (plan: LoadPlan, at: number) => Call) {
    try {
      return await Promise.all(
        this.#plans.map(async (plan, at) => {
          const reply = await this.#threads[at]?.ask(callOf(plan, at));
          if (reply && isOfKind(reply, kind)) return reply;
          throw new Error(reply?.kind === 'failed' ? reply.reason : 'another reply was expected');
        }),
      );
    } catch (error) {
      // The others may be in the midst of a load, and would reply to it later.
      this.#end();
      this.#signal.throwIfAborted();
      throw error;
    }
  }
}

/** The part of a plan that a thread has. @param at number of the thread, from 0 */
function shareOf(plan: LoadPlan, threads: number, at: number): LoadPlan {
  const { connections } = plan.concurrency;
  const share = Math.floor(connections / threads) + Number(at < connections % threads);
  return { ...plan, concurrency: { ...plan.concurrency, connections: share } };
}

function isOfKind<Kind extends Reply['kind']>(
  reply: Reply,
  kind: Kind,
): reply is Extract<Reply, { kind: Kind }> {
  return reply.kind === kind;
}

/** A thread, which replies to one call after the other. */
class LoadThread {
  readonly #worker: Worker;
  readonly #calls: { readonly resolve: (reply: Reply) => void; readonly reject: Reject }[] = [];
  #error: Error | undefined;

  constructor(program: URL) {
    this.#worker = new Worker(program)
      .on('message', (reply: Reply) => this.#calls.shift()?.resolve(reply))
      .on('error', (error) => this.#fail(`a thread of the load has failed: ${String(error)}`))
      .on('exit', () => this.#fail('a thread of the load has ended'));
  }

  /** @throws if the thread has ended, or ends before it replies */
  ask(call: Call): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#error) {
        reject(this.#error);
        return;
      }
      this.#calls.push({ resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, and no window
      this.#worker.postMessage(call);
    });
  }

  /** Ends the thread, also in the midst of a load. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(reason: string): void {
    this.#error ??= new Error(reason);
    for (const { reject } of this.#calls.splice(0)) reject(this.#error);
  }
}

type Reject = (error: Error) => void;
