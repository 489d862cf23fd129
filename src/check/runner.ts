import { PHASES, type Check, type Phase } from './check.ts';
import { asFact, notApplicable, type Verdict } from './verdict.ts';
import { FRONTS, NEEDS, resultKey } from './front.ts';
import { journalGap } from './instance-count.ts';
import { JournalGap } from './instances.ts';
import type { Transfer } from './message.ts';
import { processOf } from './origin.ts';
import { OBSERVATIONS } from './observation.ts';
import type { Facts } from './probe.ts';
import { resultOf, type Planned, type Result } from './result.ts';
import { Session } from './session.ts';
import type { Target } from './target.ts';
import type { Watch } from './watch.ts';
import { Turns } from './turns.ts';
import { errorText } from '../net/error-text.ts';

export interface RunOptions {
  /** Limit of a transfer, in milliseconds. */
  readonly time: number;
  /** Checks that run at the same time. */
  readonly concurrency: number;
  /** Requests per second, on all connections. */
  readonly rate: number;
  /** How often each check is run; if the outcomes differ, it is flaky. */
  readonly repeat: number;
  readonly destructive: boolean;
  readonly slow: boolean;
  /** Stops the run: what has not begun has no result. */
  readonly signal: AbortSignal;
  /** Runs checks again that something else than the target has disturbed. */
  readonly watch?: Watch | undefined;
  readonly onResult: (result: Result, done: number) => void;
  /** Called with all that a check has sent and received, once for each time that it is run. */
  readonly onTransfers?: ((planned: Planned, transfers: readonly Transfer[]) => void) | undefined;
}

/** Milliseconds by which a check may exceed the sum of its own limits. */
const CHECK_TIME_FACTOR = 20;

/** The part of the limit of a transfer after which a check may have waited in vain: none waits for less. */
const WAITED = 1 / 2;
const MORE_TIME = 2;

/** Checks that measure time and run at once. */
const TIMED_AT_ONCE = 4;

/**
 * The checks on each front side that the target offers.
 *
 * @param catalogue from which they were chosen: one that is left out is not waited for
 * @throws Error if the catalogue has a check that cannot come after those that it names
 */
export function plan(
  checks: readonly Check[],
  { fronts }: Facts,
  catalogue: readonly Check[] = checks,
): Planned[] {
  expectOrder(catalogue);
  return checks.flatMap((check) =>
    fronts
      .filter((front) => check.fronts?.includes(front) ?? true)
      .map((front) => ({ check, front })),
  );
}

/**
 * A check waits for the results of those that it names, on its own front side. It would be judged as if one had passed
 * that never has a result there, and would wait for ever for one that waits for it.
 */
function expectOrder(catalogue: readonly Check[]): void {
  const known = new Map(catalogue.map((check) => [check.id, check]));
  const ordered = new Set<Check>();
  const visit = (check: Check, path: readonly Check['id'][]): void => {
    const { id, fronts = FRONTS, after = [] } = check;
    const way = [...path, id];
    if (path.includes(id)) throw new Error(`checks wait for each other: ${way.join(' after ')}`);
    if (ordered.has(check)) return;
    for (const other of after) {
      const before = known.get(other);
      if (!before) throw new Error(`${id} comes after ${other}, which is no check`);
      const never = fronts.find((front) => before.fronts?.includes(front) === false);
      if (never) throw new Error(`${id} comes after ${other}, which does not run on ${never}`);
      visit(before, way);
    }
    ordered.add(check);
  };
  for (const check of catalogue) visit(check, []);
}

/** Runs the planned checks, side by side as far as they do not disturb each other. */
export class Runner {
  readonly #target: Target;
  readonly #facts: Facts;
  readonly #options: RunOptions;
  readonly #turns: Turns;
  readonly #planned = new Map<string, Planned>();
  readonly #results = new Map<string, Promise<Result>>();
  #phase: Phase = 'together';
  /** Functions that each end one running check, without a result. */
  readonly #interrupts = new Set<() => void>();

  constructor(target: Target, facts: Facts, options: RunOptions) {
    this.#target = target;
    this.#facts = facts;
    this.#options = options;
    this.#turns = new Turns(1000 / options.rate);
    const onAbort = (): void => {
      for (const interrupt of this.#interrupts) interrupt();
    };
    options.signal.addEventListener('abort', onAbort, { once: true });
  }

  /** @returns the results in the order of the plan */
  async run(planned: readonly Planned[]): Promise<Result[]> {
    const { concurrency, signal, onResult } = this.#options;
    const results: Result[] = [];
    for (const each of planned) this.#planned.set(keyOf(each), each);
    const work = async (queue: Planned[]): Promise<void> => {
      for (let next; !signal.aborted && (next = queue.shift()) !== undefined;) {
        const result = await this.#resultOf(next);
        // What was stopped has no result.
        if (signal.aborted) return;
        results.push(result);
        onResult(result, results.length);
      }
    };
    const atOnce = { together: concurrency, timed: TIMED_AT_ONCE, alone: 1 };
    const phaseOf = this.#phases(planned);
    for (const phase of PHASES) {
      this.#phase = phase;
      const queue = planned.filter(({ check }) => phaseOf(check) === phase);
      await Promise.all(Array.from({ length: atOnce[phase] }, () => work(queue)));
    }
    const { gap } = this.#target.instances;
    const known = gap === undefined ? results : withoutJournal(results, planned, gap);
    const position = new Map(planned.map((each, at) => [keyOf(each), at]));
    return known.toSorted(
      (a, b) => (position.get(resultKey(a)) ?? 0) - (position.get(resultKey(b)) ?? 0),
    );
  }

  /** The phases of the checks that are planned. */
  #phases(planned: readonly Planned[]): (check: Check) => Phase {
    const checks = new Map(planned.map(({ check }) => [check.id, check]));
    const isMultiplexed = this.#facts.fronts.some((front) =>
      this.#facts.met[front].has('h2-origin'),
    );
    const isShared = this.#sharesConnections(isMultiplexed);
    const own = ({ phase, isDestructive = false, needs = [], observes }: Check): Phase => {
      // An origin on HTTP/2 does not know of which check a stream was that it has refused.
      if (observes === 'refusal' && isMultiplexed) return 'alone';
      // What breaks a connection to the origin breaks it under the next request, too.
      const breaks = isDestructive || needs.includes('faults') || needs.includes('raw');
      return phase ?? (breaks && isShared ? 'alone' : 'together');
    };
    // No check runs before those that it depends on.
    const phaseOf = (check: Check): Phase => {
      const before = (check.after ?? []).flatMap((id) => checks.get(id) ?? []).map(phaseOf);
      const all = new Set([own(check), ...before]);
      return PHASES.findLast((phase) => all.has(phase)) ?? 'alone';
    };
    return phaseOf;
  }

  /** Whether requests of several checks can reach the origin on one connection. */
  #sharesConnections(isMultiplexed: boolean): boolean {
    const { isTunnel, pooling } = this.#facts;
    return !isTunnel && (isMultiplexed || pooling !== 'one connection for each request');
  }

  /** Runs a check once, also if another one depends on it. */
  #resultOf(planned: Planned): Promise<Result> {
    const key = keyOf(planned);
    const running = this.#results.get(key) ?? this.#judge(planned);
    this.#results.set(key, running);
    return running;
  }

  async #judge(planned: Planned): Promise<Result> {
    const { check, front } = planned;
    const missing = check.needs?.find((need) => !this.#facts.met[front].has(need));
    if (missing) return resultOf(planned, notApplicable(NEEDS[missing].missing));
    if (check.isDestructive === true && !this.#options.destructive) {
      return resultOf(planned, notApplicable('not run without --destructive'));
    }
    if (check.isSlow === true && !this.#options.slow) {
      return resultOf(planned, notApplicable('not run without --slow'));
    }
    if (check.needs?.includes('journal') === true) {
      const reason = await journalGap(this.#target, this.#facts.fronts, this.#options.time);
      if (reason !== undefined) return resultOf(planned, { outcome: 'blocked', reason });
    }
    for (const id of check.after ?? []) {
      // It may not have begun. A check that is not in the plan is not waited for.
      const other = this.#planned.get(resultKey({ front, id }));
      const before = other && (await this.#resultOf(other));
      if (before?.outcome === 'not-applicable') {
        return resultOf(planned, notApplicable(before.reason ?? `${id} is not applicable`));
      }
      if (before && before.outcome !== 'pass' && before.outcome !== 'differs') {
        return resultOf(planned, {
          outcome: 'blocked',
          reason: `${id} has the outcome ${before.outcome}`,
        });
      }
    }
    return this.#confirmed(planned);
  }

  /** Runs a check as often as asked for, and a finding at least twice before it is reported. */
  async #confirmed(planned: Planned): Promise<Result> {
    const { repeat, signal, time } = this.#options;
    const first = await this.#undisturbed(planned, time);
    if (first.outcome !== 'fail' || signal.aborted)
      return this.#repeated(planned, first, repeat, time);
    if (first.duration < WAITED * time) {
      return this.#repeated(planned, first, Math.max(2, repeat), time);
    }
    // Silence may be slowness: a finding after a wait is one only if more time does not change it.
    const again = await this.#undisturbed(planned, MORE_TIME * time);
    switch (again.outcome) {
      case 'fail':
        return this.#repeated(planned, again, repeat, MORE_TIME * time);
      case 'pass':
      case 'differs': {
        const reason = `needed more than ${time} ms`;
        return this.#repeated(planned, { ...again, reason }, repeat, MORE_TIME * time);
      }
      case 'not-applicable':
      case 'blocked':
      case 'flaky':
      case 'error':
        return flaky(first, again);
    }
  }

  /** Runs a check until it has been run so often, or an outcome differs from the first. */
  async #repeated(
    planned: Planned,
    first: Result,
    attempts: number,
    time: number,
  ): Promise<Result> {
    for (let attempt = 1; attempt < attempts && !this.#options.signal.aborted; attempt++) {
      const again = await this.#undisturbed(planned, time);
      if (again.outcome !== first.outcome) return flaky(first, again);
    }
    return first;
  }

  /** Runs a check once, and again if an origin was not there meanwhile. */
  #undisturbed(planned: Planned, time: number): Promise<Result> {
    const { watch } = this.#options;
    const attempt = (): Promise<Result> => this.#attempt(planned, time);
    if (!watch) return attempt();
    const drains = planned.check.needs?.includes('control') === true;
    const isAlone = this.#phase === 'alone';
    return watch.undisturbed(attempt, { drains, isAlone }, (reason) =>
      resultOf(planned, { outcome: 'blocked', reason }),
    );
  }

  /** @param time limit of a transfer, in milliseconds */
  async #attempt(planned: Planned, time: number): Promise<Result> {
    const { check, front } = planned;
    const session = new Session(this.#target, front, time, this.#turns, this.#facts.met[front]);
    const { instances } = this.#target;
    const { generation } = instances;
    const start = performance.now();
    try {
      const verdict = await this.#limited(check.run(session), CHECK_TIME_FACTOR * time);
      const judged = await this.#proven(check, verdict, session);
      return resultOf(planned, judged, performance.now() - start, session.journal);
    } catch (error) {
      return resultOf(
        planned,
        { outcome: error instanceof JournalGap ? 'blocked' : 'error', reason: errorText(error) },
        performance.now() - start,
      );
    } finally {
      session.close();
      instances.sawDuring(generation, session.transfers.map(processOf));
      this.#options.onTransfers?.(planned, session.transfers);
    }
  }

  /** The verdict; a pass only if what it rests on was observed. */
  async #proven({ level, observes = 'arrival' }: Check, verdict: Verdict, session: Session) {
    if (verdict.outcome !== 'pass') return level === 'info' ? asFact(verdict) : verdict;
    if (await session.hasObserved(observes)) return verdict;
    if (observes === 'arrival' && !session.met.has('journal'))
      return notApplicable(NEEDS.journal.missing);
    throw new Error(`it passed, but this was not observed: ${OBSERVATIONS[observes]}`);
  }

  /** @throws Error if there is no verdict in time, or when the run is interrupted */
  async #limited(verdict: Promise<Verdict>, time: number): Promise<Verdict> {
    const { signal } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let interrupt: (() => void) | undefined;
    // Promise.race adds a reaction to each promise: one of the whole run would retain every verdict, with its evidence.
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the check took more than ${time} ms`)), time);
      interrupt = () => reject(new Error('interrupted'));
      this.#interrupts.add(interrupt);
      if (signal.aborted) interrupt();
    });
    try {
      return await Promise.race([verdict, end]);
    } finally {
      clearTimeout(timer);
      if (interrupt) this.#interrupts.delete(interrupt);
    }
  }
}

/** An instance that was seen late may have received more than the journals of the others say. */
function withoutJournal(
  results: readonly Result[],
  planned: readonly Planned[],
  reason: string,
): Result[] {
  const reading = new Map(
    planned
      .filter(
        ({ check: { needs, observes } }) =>
          needs?.includes('journal') === true || observes === 'refusal',
      )
      .map((each) => [keyOf(each), each]),
  );
  return results.map((result) => {
    const each = result.outcome === 'not-applicable' ? undefined : reading.get(resultKey(result));
    return each ? resultOf(each, { outcome: 'blocked', reason }, result.duration) : result;
  });
}

/** The result of runs that disagree: what one of them expected and found, and the evidence of both. */
function flaky(first: Result, again: Result): Result {
  const { expected, found } = first.outcome === 'fail' ? first : again;
  const reason = `${inWords(first)}, then ${inWords(again)}`;
  const evidence = [...first.evidence, ...again.evidence];
  return { ...first, outcome: 'flaky', expected, found, reason, evidence };
}

function inWords({ outcome, reason }: Result): string {
  return reason === undefined ? outcome : `${outcome} (${reason})`;
}

function keyOf({ check, front }: Planned): string {
  return resultKey({ front, id: check.id });
}
