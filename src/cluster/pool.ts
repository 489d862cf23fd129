import type { Socket } from 'node:net';
import { Refusal, type Handlers } from './channel.ts';
import { WorkerHandle } from './worker-handle.ts';
import type { Question, Start } from './messages.ts';
import type { Guard } from '../telemetry/guard.ts';
import type { Log } from '../telemetry/log.ts';
import { growthOf, NO_STATISTICS, type Statistics } from '../telemetry/statistics.ts';

export interface WorkerPoolOptions {
  readonly log: Log;
  /** What a worker is to begin with, as it is when the worker begins. */
  readonly start: () => Start;
  /** Answers what a worker asks. */
  readonly answer: Handlers['answer'];
  /** Told what a worker has counted that it had not told before. */
  readonly onGrowth: (growth: Statistics) => void;
  /** Told of a connection that a worker died without taking. */
  readonly onReturned: (socket: Socket) => void;
}

/** Milliseconds a worker lives at least for its death to count as the first in a row. */
const STEADY = 10_000;
/** Milliseconds before the one after the second death in a row; behind the first there is no pause. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;

/** The workers: started together, asked together, each replaced when it dies. */
export class WorkerPool {
  readonly #members = new Set<WorkerHandle>();
  readonly #options: WorkerPoolOptions;
  readonly #replacements = new Set<NodeJS.Timeout>();
  #state: 'starting' | 'running' | 'stopping' = 'starting';
  /** Whether one has died that nobody will replace. */
  hasLost = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Those that take connections. */
  get ready(): WorkerHandle[] {
    return [...this.#members].filter(({ isReady }) => isReady);
  }

  /** @throws why a worker cannot start */
  async start(size: number): Promise<void> {
    const members = Array.from({ length: size }, () => this.#fork(0));
    await Promise.all(members.map(async (member) => member.start(this.#options.start)));
    if (this.ready.length < size) throw new Error('a worker ended at its start');
    this.#state = 'running';
  }

  /**
   * Asks all and gathers the answers of those that have one in time.
   *
   * @param patience in milliseconds
   * @throws Refusal where one refuses
   */
  async ask<T>(question: Question, isAnswer: Guard<T>, patience: number): Promise<T[]> {
    const asked = [...this.#members]
      .filter(({ isOnline }) => isOnline)
      .map(async ({ channel }) => channel.ask(question, isAnswer, patience));
    const answers: T[] = [];
    for (const outcome of await Promise.allSettled(asked)) {
      if (outcome.status === 'fulfilled') answers.push(outcome.value);
      else if (outcome.reason instanceof Refusal) throw outcome.reason;
    }
    return answers;
  }

  /** Replaces no worker from now on; those that have not begun are not needed. */
  settle(): void {
    this.#state = 'stopping';
    for (const timer of this.#replacements) clearTimeout(timer);
    this.#replacements.clear();
    for (const member of this.#members) if (!member.isReady) member.discard();
  }

  /** Ends all at once. */
  end(): void {
    this.settle();
    for (const member of this.#members) member.discard();
  }

  /** @param deaths how many in a row have died young that this one takes the place of */
  #fork(deaths: number): WorkerHandle {
    let counted = NO_STATISTICS;
    const member = new WorkerHandle({
      answer: this.#options.answer,
      counts: (counts) => {
        this.#options.onGrowth(growthOf(counted, counts));
        counted = counts;
      },
    });
    this.#members.add(member);
    void member.ended.then((how) => this.#ended(member, how, deaths));
    return member;
  }

  #ended(member: WorkerHandle, how: string, deaths: number): void {
    this.#members.delete(member);
    for (const socket of member.takeBack()) this.#options.onReturned(socket);
    // Whoever waits for the start is told by the start.
    if (member.isReleased || this.#state === 'starting') return;
    this.#options.log.error({ worker: member.id, how }, 'a worker has died');
    const isSteady = performance.now() - member.startedAt >= STEADY;
    if (this.#state === 'running') this.#replaceLater(isSteady ? 1 : deaths + 1);
    else this.hasLost = true;
  }

  #replaceLater(deaths: number): void {
    const timer = setTimeout(() => {
      this.#replacements.delete(timer);
      void this.#replace(deaths);
    }, pauseBehind(deaths));
    this.#replacements.add(timer);
  }

  async #replace(deaths: number): Promise<void> {
    const { log, start } = this.#options;
    const member = this.#fork(deaths);
    try {
      await member.start(start);
      log.info({ worker: member.id }, 'a worker has taken the place of one that died');
    } catch (error) {
      if (member.isReleased) return;
      const detail = error instanceof Error ? error.message : String(error);
      log.error({ worker: member.id, detail }, 'a worker cannot start');
      member.kill();
    }
  }
}

/** Milliseconds from that many deaths in a row to the next worker. */
function pauseBehind(deaths: number): number {
  return deaths < 2 ? 0 : Math.min(FIRST_PAUSE * 2 ** (deaths - 2), LONGEST_PAUSE);
}
