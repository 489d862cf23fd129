import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from './result.ts';
import { errorText } from '../net/error-text.ts';

/** Milliseconds between two questions to the origins, and to what does not answer. */
const INTERVAL = 250;
const AGAIN = 100;
/** An answer that takes longer, or a timer of this process: what was measured meanwhile says nothing of the target. */
const LATE = 500;
/** How often a check is run before it is given up. */
const ATTEMPTS = 3;
/** How often the target is asked: what it did with one request may be the finding itself. */
const QUESTIONS = 3;
/** How many waits for a target that answers itself may be in vain, one after the other, before the run ends. */
const WAITS = 3;

/** Who is asked, again and again, whether it is still there. */
export interface Watched {
  /** Such as `the origin http://127.0.0.1:8080`. */
  readonly name: string;
  /**
   * Asks once.
   *
   * @param time limit in milliseconds
   * @returns what is another one after a restart
   * @throws Error if there is no answer in time
   */
  ask(time: number): Promise<string>;
  close(): void;
}

/** That the target answers in place of the origins: it takes them for gone, perhaps after the faults of checks. */
export class NotForwarded extends Error {}

interface WatchOptions {
  /** Past the target, and asked in intervals; if none is known there, they are asked with the target. */
  readonly origins: readonly Watched[];
  readonly target: Watched;
  /** Limit of an answer, and of the wait for one who is gone, in milliseconds. */
  readonly time: number;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** How often something has happened that a result may come from. */
interface Counts {
  /** Answers that were late, and timers of this process. */
  late: number;
  /** Answers that have not come. */
  missing: number;
  /** Answers of another process than before. */
  restarted: number;
}

/** How a check is run. */
interface Running {
  /** Whether it lets the origin go away, and come back. */
  readonly drains: boolean;
  /** Whether nothing else runs. */
  readonly isAlone: boolean;
}

/** Whose fault it was: the target may have been stopped by the check itself. */
type Disturbed = 'origin' | 'target';

/**
 * Tells results that say something of the target from those of an origin that was slow, restarted or gone. A result
 * holds only if all origins have answered in time from its beginning to its end.
 */
export class Watch {
  readonly #options: WatchOptions;
  /** Whose answers tell of the origins. */
  readonly #asked: readonly Watched[];
  readonly #identities = new Map<Watched, string>();
  readonly #counts: Counts = { late: 0, missing: 0, restarted: 0 };
  #failure = '';
  #isForwarding = true;
  #waitsInVain = 0;
  readonly #end = new AbortController();
  /** Aborts when the run is interrupted, or somebody does not come back. */
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  /** The questions that are on their way, those that follow them, and the wait for an answer. */
  #round: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #wait: Promise<boolean> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#end.signal]);
    this.#asked = options.origins.length > 0 ? options.origins : [options.target];
  }

  /** Who does not come back, and why; undefined if all are there. */
  get gone(): string | undefined {
    return this.#end.signal.aborted ? this.#failure : undefined;
  }

  /** Asks the origins, and again in intervals until `stop()`. */
  start(): void {
    void this.#ask();
    if (this.#options.origins.length > 0) this.#schedule();
  }

  #schedule(): void {
    const due = performance.now() + INTERVAL;
    this.#timer = setTimeout(() => {
      if (performance.now() - due > LATE) this.#counts.late++;
      void this.#ask().then(() => {
        if (this.#timer) this.#schedule();
      });
    }, INTERVAL);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const each of this.#asked) each.close();
  }

  /**
   * Runs a check until nothing has disturbed it. If the origin always has, it is blocked.
   *
   * @param blocked the result without a verdict, for a reason
   */
  async undisturbed(
    run: () => Promise<Result>,
    { drains, isAlone }: Running,
    blocked: (reason: string) => Result,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      // After faults a target may keep the origins out of use for a while.
      if (isAlone && !(await this.#askTarget()) && !(await this.#areBack()))
        return blocked(this.#failure);
      const before = { ...this.#counts };
      const result = await run();
      if (this.signal.aborted) return result;
      const disturbed = await this.#disturbed(result, before, drains);
      if (disturbed === undefined) return result;
      if (!(await this.#areBack())) return blocked(this.#failure);
      if (attempt < ATTEMPTS) continue;
      if (disturbed === 'target') return result;
      return blocked(`the origin was slow or restarted during each of ${ATTEMPTS} attempts`);
    }
  }

  async #disturbed(
    result: Result,
    before: Counts,
    drains: boolean,
  ): Promise<Disturbed | undefined> {
    // An origin that is killed can end what a target waits for: a pass is a proof only if it is asked after that, too.
    const isAsked = this.#options.origins.length > 0 || !isQuiet(result);
    if (isAsked) await (drains ? this.#areBack() : this.#ask());
    if (this.#isDisturbed(result, before, drains)) return 'origin';
    if (!/^(?:fail|flaky|error)$/.test(result.outcome)) return undefined;
    for (let left = QUESTIONS; left > 0; left--) if (await this.#askTarget()) return undefined;
    return 'target';
  }

  #isDisturbed({ outcome }: Result, before: Counts, drains: boolean): boolean {
    const { late, missing, restarted } = this.#counts;
    if (restarted !== before.restarted) return true;
    if (drains) return false;
    // What passes in spite of a delay passes.
    return missing !== before.missing || (late !== before.late && outcome !== 'pass');
  }

  /** Asks the origins, now or as soon as those have answered that are asked already. @returns whether all answer */
  #ask(): Promise<boolean> {
    if (this.#round) {
      this.#next ??= this.#round.then(() => {
        this.#next = undefined;
        return this.#ask();
      });
      return this.#next;
    }
    this.#round = Promise.all(this.#asked.map(async (each) => this.#askOne(each))).then(
      (answers) => {
        this.#round = undefined;
        return !answers.includes(false);
      },
    );
    return this.#round;
  }

  async #askOne(each: Watched): Promise<boolean> {
    const late = setTimeout(() => this.#counts.late++, LATE);
    try {
      const identity = await each.ask(this.#options.time);
      const before = this.#identities.get(each);
      this.#identities.set(each, identity);
      if (before !== undefined && before !== identity) this.#counts.restarted++;
      return true;
    } catch (error) {
      this.#counts.missing++;
      this.#fails(each, error);
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  /** Whether the target leads to an origin. */
  async #askTarget(): Promise<boolean> {
    const { target, origins, time } = this.#options;
    if (origins.length === 0) return this.#ask();
    return target.ask(time).then(
      () => true,
      (error: unknown) => this.#fails(target, error),
    );
  }

  #fails({ name }: Watched, error: unknown): false {
    this.#isForwarding = !(error instanceof NotForwarded);
    const what = this.#isForwarding ? 'answers' : 'leads to the origin';
    this.#failure = `${name} no longer ${what}: ${errorText(error)}`;
    return false;
  }

  /** Waits until the origins and the target answer, but not for ever. @returns whether they do */
  #areBack(): Promise<boolean> {
    this.#wait ??= this.#untilBack().finally(() => {
      this.#wait = undefined;
    });
    return this.#wait;
  }

  async #untilBack(): Promise<boolean> {
    const deadline = performance.now() + this.#options.time;
    while (!this.signal.aborted) {
      if ((await this.#ask()) && (await this.#askTarget())) {
        this.#waitsInVain = 0;
        return true;
      }
      if (performance.now() < deadline) await pause(AGAIN);
      else if (this.#isForwarding || ++this.#waitsInVain >= WAITS) this.#end.abort();
      else return false;
    }
    return false;
  }
}

/** Whether a result is no finding, and does not lead to one. */
function isQuiet({ outcome }: Result): boolean {
  return outcome === 'pass' || outcome === 'not-applicable';
}
