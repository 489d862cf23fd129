import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from './result.ts';
import { errorText } from '../net/error-text.ts';

/** Milliseconds between two questions to an origin, and before one is repeated that was not answered. */
const INTERVAL = 250;
const AGAIN = 100;
/** Milliseconds by which an answer, or a timer of this process, is late. What was measured then does not count. */
const LATE = 500;
/** How often a disturbed check is run before it is blocked. */
const ATTEMPTS = 3;
/** How often the target is asked after a finding: its reaction to a single request may be the finding itself. */
const QUESTIONS = 3;
/** The run ends after so many successive waits in which the target answered, but did not forward to the origin. */
const WAITS = 3;

/** An origin or target that is asked repeatedly whether it still answers. */
export interface Watched {
  /** Name for messages, such as `the origin http://127.0.0.1:8080`. */
  readonly name: string;
  /**
   * Asks once.
   *
   * @param time limit in milliseconds
   * @returns an identity that changes when the origin is restarted
   * @throws Error if there is no answer in time
   */
  ask(time: number): Promise<string>;
  close(): void;
}

/** The target answered in place of the origin, which it takes for down, perhaps after the faults of checks. */
export class NotForwarded extends Error {}

interface WatchOptions {
  /** Origins that are reached directly, and asked at intervals. If there are none, only the target is asked. */
  readonly origins: readonly Watched[];
  readonly target: Watched;
  /** Limit in milliseconds for an answer, and for the wait until one that is down is back. */
  readonly time: number;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** Numbers of disturbances that may have caused a result. */
interface Counts {
  /** Late answers of origins, and late timers of this process. */
  late: number;
  /** Missing answers. */
  missing: number;
  /** Answers of another process than before. */
  restarted: number;
}

/** How a check is run, as far as it matters here. */
interface Running {
  /** Whether the check has the origin drain and come back. */
  readonly drains: boolean;
  /** Whether no other check runs. */
  readonly isAlone: boolean;
}

/** Who was disturbed. The target may have been stopped by the check itself. */
type Disturbed = 'origin' | 'target';

/**
 * Repeats checks whose results may come from an origin that was slow, restarted or down. A result counts only if all
 * origins answered in time from its beginning to its end. A late answer leaves a pass as it is, and of a check that
 * drains only a restart invalidates the result.
 */
export class Watch {
  readonly #options: WatchOptions;
  /** Who is asked: the origins directly, or else the target. */
  readonly #asked: readonly Watched[];
  readonly #identities = new Map<Watched, string>();
  readonly #counts: Counts = { late: 0, missing: 0, restarted: 0 };
  #failure = '';
  #isForwarding = true;
  #waitsInVain = 0;
  readonly #end = new AbortController();
  /** Aborts when the run is interrupted, or when an origin or the target does not come back. */
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  /** The current round of questions, the next one, and the wait until all answer again. */
  #round: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #wait: Promise<boolean> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#end.signal]);
    this.#asked = options.origins.length > 0 ? options.origins : [options.target];
  }

  /** Who did not come back, and why; undefined if all did. */
  get gone(): string | undefined {
    return this.#end.signal.aborted ? this.#failure : undefined;
  }

  /** Asks the origins at once, and then at intervals until `stop()`. Without origins, asks the target once. */
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
   * Runs a check until nothing disturbs it, or blocks it after `ATTEMPTS`.
   *
   * @param blocked makes the result without a verdict, for a reason
   */
  async undisturbed(
    run: () => Promise<Result>,
    { drains, isAlone }: Running,
    blocked: (reason: string) => Result,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      // After faults, a target may not use the origins for a while.
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
    // An origin that ends can end a wait of the target, so even a pass counts only if the origins answer after it.
    const isAsked = this.#options.origins.length > 0 || !isQuiet(result);
    if (isAsked) await (drains ? this.#areBack() : this.#ask());
    if (this.#isDisturbed(result, before, drains)) return 'origin';
    if (!/^(?:fail|flaky|blocked|error)$/.test(result.outcome)) return undefined;
    for (let left = QUESTIONS; left > 0; left--) if (await this.#askTarget()) return undefined;
    return 'target';
  }

  #isDisturbed({ outcome }: Result, before: Counts, drains: boolean): boolean {
    const { late, missing, restarted } = this.#counts;
    if (restarted !== before.restarted) return true;
    if (drains) return false;
    // A late answer does not invalidate a pass.
    return missing !== before.missing || (late !== before.late && outcome !== 'pass');
  }

  /** Asks the origins, or waits for the questions under way and asks after them. @returns whether all answer */
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

  /** Whether the target forwards to an origin. */
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

  /** Waits until the origins and the target answer, at most for `time`. @returns whether they do */
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

/** Whether a result is no finding, and cannot lead to one. */
function isQuiet({ outcome }: Result): boolean {
  return outcome === 'pass' || outcome === 'not-applicable';
}
