import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { RemoteError, type ChannelHandlers } from './channel.ts';
import { WorkerHandle } from './worker-handle.ts';
import type { ChannelRequest, StartRequest } from './messages.ts';
import type { Guard } from '../server/schema.ts';
import type { JournalStore } from '../telemetry/journal/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { emptyStatistics, statisticsSince, type Statistics } from '../telemetry/statistics.ts';
import { errorText } from '../net/error-text.ts';

export interface WorkerPoolOptions {
  /** Starts a process. @throws if that fails, such as by ENOMEM */
  readonly fork: () => Worker;
  readonly log: Logger;
  /** Creates the start request of a worker. Called when the worker is online. */
  readonly createStartRequest: () => StartRequest;
  /** Handles requests from workers. */
  readonly handle: ChannelHandlers['handle'];
  /** Keeps the journal of all workers. */
  readonly journal: JournalStore;
  /** Called with the increase of a worker's statistics since its previous report. */
  readonly onStatistics: (increase: Statistics) => void;
  /** Called with a connection that was still queued when its worker died. */
  readonly onUnsentConnection: (socket: Socket) => void;
}

/** Milliseconds after which a worker counts as stable, so that its death does not delay the next start. */
const STABLE_AFTER = 10_000;
/** Milliseconds of delay after the second early death in a row; and below, at most. After the first there is none. */
const FIRST_DELAY = 100;
const MAX_DELAY = 10_000;
const RESPONSE_TIMEOUT = 1000;

/** Starts the workers, sends them requests, and restarts those that die. */
export class WorkerPool {
  readonly #workers = new Set<WorkerHandle>();
  readonly #options: WorkerPoolOptions;
  readonly #restartTimers = new Set<NodeJS.Timeout>();
  #state: 'starting' | 'running' | 'stopping' = 'starting';
  /** Whether a worker died while the pool was stopping. */
  hasLostWorker = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** The workers that accept connections. */
  get ready(): WorkerHandle[] {
    return [...this.#workers].filter(({ isReady }) => isReady);
  }

  /** Whether the worker with this id has not exited. */
  has(id: number): boolean {
    return [...this.#workers].some((worker) => worker.id === id);
  }

  /** Starts all workers. @throws if one cannot start */
  async start(size: number): Promise<void> {
    const workers = Array.from({ length: size }, () => this.#fork(0));
    await Promise.all(
      workers.map(async (worker) => worker.start(this.#options.createStartRequest)),
    );
    if (this.ready.length < size) throw new Error('a worker exited during startup');
    this.#state = 'running';
  }

  /**
   * Sends a request to all workers. The result lacks those that do not respond in time.
   *
   * @param timeout in milliseconds; the default is for requests that workers handle immediately
   * @throws RemoteError if a worker fails to handle the request
   */
  async requestAll<T>(
    request: ChannelRequest,
    isResult: Guard<T>,
    timeout = RESPONSE_TIMEOUT,
  ): Promise<T[]> {
    const pending = [...this.#workers]
      .filter(({ isOnline }) => isOnline)
      .map(async ({ channel }) => channel.request(request, isResult, timeout));
    const results: T[] = [];
    for (const outcome of await Promise.allSettled(pending)) {
      if (outcome.status === 'fulfilled') results.push(outcome.value);
      else if (outcome.reason instanceof RemoteError) throw outcome.reason;
    }
    return results;
  }

  /** Stops restarting workers, and kills those that are starting. */
  stopRestarting(): void {
    this.#state = 'stopping';
    for (const timer of this.#restartTimers) clearTimeout(timer);
    this.#restartTimers.clear();
    for (const worker of this.#workers) if (!worker.isReady) worker.discard();
  }

  /** Kills all workers. */
  close(): void {
    this.stopRestarting();
    for (const worker of this.#workers) worker.discard();
  }

  /** Starts a worker. @param earlyDeaths number of workers in a row that died early before this one */
  #fork(earlyDeaths: number): WorkerHandle {
    let previous: Statistics = emptyStatistics();
    const { fork, handle, journal } = this.#options;
    const worker = new WorkerHandle(fork(), {
      handle,
      journal: (batch) => journal.write(batch),
      statistics: (statistics) => {
        this.#options.onStatistics(statisticsSince(previous, statistics));
        previous = statistics;
      },
    });
    this.#workers.add(worker);
    void worker.exited.then((how) => this.#onExit(worker, how, earlyDeaths));
    return worker;
  }

  #onExit(worker: WorkerHandle, how: string, earlyDeaths: number): void {
    this.#workers.delete(worker);
    this.#options.journal.onWorkerDied(worker.id);
    for (const socket of worker.unsentConnections()) this.#options.onUnsentConnection(socket);
    // While the pool is starting, start() reports the error.
    if (worker.isExitExpected || this.#state === 'starting') return;
    this.#options.log.error({ worker: worker.id, how }, 'worker died');
    const wasStable = performance.now() - worker.startedAt >= STABLE_AFTER;
    if (this.#state === 'running') this.#scheduleRestart(wasStable ? 1 : earlyDeaths + 1);
    else this.hasLostWorker = true;
  }

  #scheduleRestart(earlyDeaths: number): void {
    const delay = earlyDeaths < 2 ? 0 : Math.min(FIRST_DELAY * 2 ** (earlyDeaths - 2), MAX_DELAY);
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer);
      void this.#restart(earlyDeaths);
    }, delay);
    this.#restartTimers.add(timer);
  }

  async #restart(earlyDeaths: number): Promise<void> {
    const { log, createStartRequest } = this.#options;
    let worker: WorkerHandle | undefined;
    try {
      worker = this.#fork(earlyDeaths);
      await worker.start(createStartRequest);
      log.info({ worker: worker.id }, 'worker restarted');
    } catch (error) {
      if (worker?.isExitExpected) return;
      const detail = errorText(error);
      log.error({ worker: worker?.id, detail }, 'worker cannot start');
      // If no process was created, such as by ENOMEM, there is no exit to handle.
      if (worker) worker.kill();
      else this.#scheduleRestart(earlyDeaths + 1);
    }
  }
}
