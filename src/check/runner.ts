import { isProof, resultOfAttempts } from './attempts.ts';
import { PHASES, type Check, type Phase } from './check.ts';
import { asFact, calmed, notApplicable, type Verdict } from './verdict.ts';
import { FRONTS, NEEDS, NOT_ASKED, resultKey, type Need } from './front.ts';
import { journalGap } from './instance-count.ts';
import type { Transfer } from './message.ts';
import { isAnswered, processOf } from './origin.ts';
import { OBSERVATIONS } from './observation.ts';
import type { Facts } from './probe.ts';
import { resultOf, type Planned, type Result } from './result.ts';
import { Session } from './session.ts';
import type { Target } from './target.ts';
import { isUnjudged, Unjudged } from './unjudged.ts';
import type { Watch } from './watch.ts';
import { Turns } from './turns.ts';
import { errorText } from '../net/error-text.ts';

export interface RunOptions {
  /** Limit of a transfer, in milliseconds. */
  readonly time: number;
  /** Number of checks that run at the same time. */
  readonly concurrency: number;
  /** Requests per second, on all connections. */
  readonly rate: number;
  /** How often each check is run. If the outcomes differ, the check is flaky. */
  readonly repeat: number;
  readonly destructive: boolean;
  readonly slow: boolean;
  /** Stops the run. Checks that have not ended by then have no result. */
  readonly signal: AbortSignal;
  /** Repeats checks that were disturbed by something other than the target. */
  readonly watch?: Watch | undefined;
  readonly onResult: (result: Result, done: number) => void;
  /** Called after each attempt of a check, with all that it has sent and received. */
  readonly onTransfers?: ((planned: Planned, transfers: readonly Transfer[]) => void) | undefined;
}

/** A check may take as many times the limit of a transfer until its next transfer ends. */
const CHECK_TIME_FACTOR = 20;
/** Fraction of a transfer's limit: a finding after this time may come from a timeout, since no check waits for less. */
const WAITED = 1 / 2;
/** Factor of the time limit when a finding that may be a timeout is repeated: not 10 s, the limit of some proxies. */
const MORE_TIME = 2.5;
/** Fraction of a transfer's limit for the first attempt of a check that is prompt. */
const PROMPT = 1 / 5;

/** Why a check says nothing where the target has answered it by what a cache has stored. */
const OTHER_QUERY = {
  outcome: 'blocked',
  reason:
    'the cache ignores the query, so other requests decide what it answers, see cache/key-query',
} as const;

/** Number of timing checks that run at the same time. */
const TIMED_AT_ONCE = 4;

/**
 * The checks to run, on each front side that the target offers.
 *
 * @param catalogue all checks, of which `checks` are some; a check that is not planned is not waited for
 * @throws Error if a check cannot come after those in its `after`
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
 * Checks `after` of the catalogue: each id must exist and run on the same front sides, because otherwise it would count
 * as passed; and there must be no cycle, because its checks would wait for each other forever.
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

/** What checks need whose responses may leave a connection to the origin unusable. */
const BREAKING: ReadonlySet<Need> = new Set(['faults', 'raw', 'interim-origin']);

/** Runs the planned checks, concurrently as far as they do not disturb each other. */
export class Runner {
  readonly #target: Target;
  readonly #facts: Facts;
  readonly #options: RunOptions;
  readonly #turns: Turns;
  readonly #planned = new Map<string, Planned>();
  readonly #results = new Map<string, Promise<Result>>();
  #phase: Phase = 'together';
  /** Functions, each of which ends a running check without a result. */
  readonly #interrupts = new Set<() => void>();
  readonly #running = new Set<string>();
  #inFlight: readonly string[] = [];
  /** Resolves when the run is stopped. */
  readonly #stopped: Promise<void>;

  constructor(target: Target, facts: Facts, options: RunOptions) {
    this.#target = target;
    this.#facts = facts;
    this.#options = options;
    this.#turns = new Turns(1000 / options.rate);
    const { signal } = options;
    this.#stopped = new Promise((resolve) => {
      const stop = (): void => {
        this.#inFlight = Array.from(this.#running);
        for (const interrupt of this.#interrupts) interrupt();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** The checks that ran when the run was stopped, by front side and id. */
  get inFlight(): readonly string[] {
    return this.#inFlight;
  }

  /** @returns the results in the order of the plan */
  async run(planned: readonly Planned[]): Promise<Result[]> {
    const { concurrency, signal, onResult } = this.#options;
    const results: Result[] = [];
    for (const each of planned) this.#planned.set(plannedKey(each), each);
    const work = async (queue: Planned[]): Promise<void> => {
      for (let next; !signal.aborted && (next = queue.shift()) !== undefined;) {
        const result = await this.#resultOf(next);
        // An interrupted check has no result.
        if (signal.aborted) return;
        results.push(result);
        onResult(result, results.length);
      }
    };
    const atOnce = { together: concurrency, timed: TIMED_AT_ONCE, alone: 1, last: 1 };
    const phaseOf = this.#phases(planned);
    for (const phase of PHASES) {
      this.#phase = phase;
      const queue = planned.filter(({ check }) => phaseOf(check) === phase);
      // When the run is stopped, what still waits for the target or an origin is left.
      const ended = Promise.all(Array.from({ length: atOnce[phase] }, () => work(queue)));
      await Promise.race([ended, this.#stopped]);
    }
    const { gap } = this.#target.instances;
    const known = gap === undefined ? results : withoutJournal(results, planned, gap);
    const position = new Map(planned.map((each, at) => [plannedKey(each), at]));
    return known.toSorted(
      (a, b) => (position.get(resultKey(a)) ?? 0) - (position.get(resultKey(b)) ?? 0),
    );
  }

  /** Assigns each planned check its phase. */
  #phases(planned: readonly Planned[]): (check: Check) => Phase {
    const checks = new Map(planned.map(({ check }) => [check.id, check]));
    const isMultiplexed = this.#facts.fronts.some((front) =>
      this.#facts.met[front].has('h2-origin'),
    );
    const isShared = this.#sharesConnections(isMultiplexed);
    const own = ({ phase, isDestructive = false, needs = [], observes }: Check): Phase => {
      // An origin on HTTP/2 cannot tell to which check a rejected stream belongs.
      if (observes === 'refusal' && isMultiplexed) return 'alone';
      // On a shared connection to the origin, a fault would also break the requests of other checks, and so would an
      // interim response that is taken for the final one.
      const breaks = isDestructive || needs.some((need) => BREAKING.has(need));
      return phase ?? (breaks && isShared ? 'alone' : 'together');
    };
    // A check runs in no earlier phase than those in its `after`.
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

  /** The result of a check, which is run only once even if other checks wait for it. */
  #resultOf(planned: Planned): Promise<Result> {
    const key = plannedKey(planned);
    const running = this.#results.get(key) ?? this.#judge(planned);
    this.#results.set(key, running);
    return running;
  }

  async #judge(planned: Planned): Promise<Result> {
    const { check, front } = planned;
    const missing = check.needs?.find((need) => !this.#facts.met[front].has(need));
    if (missing) return resultOf(planned, notApplicable(NEEDS[missing].missing));
    if (check.isDestructive === true && !this.#options.destructive) {
      return resultOf(planned, notApplicable(NOT_ASKED.destructive));
    }
    if (check.isSlow === true && !this.#options.slow) {
      return resultOf(planned, notApplicable(NOT_ASKED.slow));
    }
    if (check.needs?.includes('journal') === true) {
      const reason = await journalGap(this.#target, this.#facts.fronts, this.#options.time);
      if (reason !== undefined) return resultOf(planned, { outcome: 'blocked', reason });
    }
    for (const id of check.after ?? []) {
      // Starts the other check if necessary. One that is not planned is not waited for.
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
    const key = plannedKey(planned);
    this.#running.add(key);
    return this.#confirmed(planned).finally(() => this.#running.delete(key));
  }

  /** Runs a check as often as --repeat says, and a second time if it fails. */
  async #confirmed(planned: Planned): Promise<Result> {
    const { repeat, signal, time } = this.#options;
    const { isPrompt = false } = planned.check;
    const limit = isPrompt ? PROMPT * time : time;
    const first = await this.#undisturbed(planned, limit);
    const hasWaited = !first.isProven && first.duration >= WAITED * limit;
    if (first.outcome !== 'fail' || signal.aborted) {
      // Both may be due to lack of time: no pass after a wait, and a difference in time, on a busy machine.
      const isShort = isPrompt && hasWaited && first.outcome !== 'pass';
      const isLate = planned.check.phase === 'timed' && first.outcome === 'differs';
      const only = isShort || isLate ? await this.#undisturbed(planned, time) : first;
      return this.#repeated(planned, [only], repeat);
    }
    const attempts = Math.max(2, repeat);
    if (!hasWaited) return this.#repeated(planned, [first], attempts);
    // A timeout may be slowness: the finding counts only if it remains with a longer limit.
    const more = isPrompt ? time : MORE_TIME * time;
    const again = await this.#undisturbed(planned, more);
    const isSlow = again.outcome === 'pass' || again.outcome === 'differs';
    // If the second run was over sooner than the first could have timed out, it was not slowness.
    if (!isSlow || again.duration < WAITED * limit) {
      // A part of the limit is short for a busy machine: what passes with all of it is judged by such runs alone.
      const isHeldUp = isPrompt && isSlow;
      return this.#repeated(planned, isHeldUp ? [again] : [first, again], attempts, more);
    }
    const reason = `needed more than ${limit} ms`;
    return this.#repeated(planned, [{ ...again, reason }], repeat, more);
  }

  /** Runs a check until there are so many attempts in all. */
  async #repeated(
    planned: Planned,
    before: readonly [Result, ...Result[]],
    attempts: number,
    time = this.#options.time,
  ): Promise<Result> {
    const all: [Result, ...Result[]] = [...before];
    while (all.length < attempts && !this.#options.signal.aborted)
      all.push(await this.#undisturbed(planned, time));
    return resultOfAttempts(all);
  }

  /** Runs a check, and again if an origin was not available meanwhile. */
  #undisturbed(planned: Planned, time: number): Promise<Result> {
    const { watch } = this.#options;
    const attempt = (): Promise<Result> => this.#attempt(planned, time);
    if (!watch) return attempt();
    const drains = planned.check.needs?.includes('control') === true;
    const isAlone = this.#phase === 'alone' || this.#phase === 'last';
    return watch.undisturbed(attempt, { drains, isAlone }, (reason) =>
      resultOf(planned, { outcome: 'blocked', reason }),
    );
  }

  /** Runs a check once. @param time limit of a transfer, in milliseconds */
  async #attempt(planned: Planned, time: number): Promise<Result> {
    const { check, front } = planned;
    const session = new Session(this.#target, front, time, this.#turns, this.#facts.met[front]);
    const { instances } = this.#target;
    const { generation } = instances;
    const start = performance.now();
    try {
      const judgement = await this.#limited(check.run(session), session, CHECK_TIME_FACTOR * time);
      const verdict = session.isCalmed ? calmed(judgement) : judgement;
      const judged = (await this.#restsOnCache(check, verdict, session))
        ? OTHER_QUERY
        : await this.#proven(check, verdict, session);
      const duration = performance.now() - start;
      const isProven = judged.outcome === 'fail' && isProof(check, judged, duration, WAITED * time);
      return resultOf(planned, judged, duration, session.journal, isProven);
    } catch (error) {
      return resultOf(
        planned,
        { outcome: isUnjudged(error) ? 'blocked' : 'error', reason: errorText(error) },
        performance.now() - start,
      );
    } finally {
      session.close();
      // A cache may have stored the responses of a process that has ended.
      instances.sawDuring(generation, session.transfers.filter(isAnswered).map(processOf));
      this.#options.onTransfers?.(planned, session.transfers);
    }
  }

  /**
   * Whether the verdict may rest on another request: its response was sent, or it has replaced or invalidated what was
   * stored, so that nothing is reused. What caches reuse is what `cache/*` are about.
   */
  async #restsOnCache({ id }: Check, { outcome }: Verdict, session: Session): Promise<boolean> {
    if (!this.#facts.ignoresQuery) return false;
    const isOfCaches = id.startsWith('cache/');
    if (isOfCaches && outcome === 'fail') return false;
    return (isOfCaches && outcome === 'not-applicable') || session.hasStored();
  }

  /** The verdict; a pass only if the session has observed what the check `observes`. */
  async #proven({ level, observes = 'arrival' }: Check, verdict: Verdict, session: Session) {
    if (verdict.outcome !== 'pass') return level === 'info' ? asFact(verdict) : verdict;
    if (await session.hasObserved(observes)) return verdict;
    if (observes === 'arrival' && !session.met.has('journal'))
      return notApplicable(NEEDS.journal.missing);
    if (this.#facts.ignoresQuery) return OTHER_QUERY;
    throw new Unjudged(`this was not observed: ${OBSERVATIONS[observes]}`);
  }

  /** Waits for the verdict. @throws Error if no transfer ends for too long, or when the run is interrupted */
  async #limited(
    verdict: Promise<Verdict>,
    { transfers }: Session,
    time: number,
  ): Promise<Verdict> {
    const { signal } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let interrupt: (() => void) | undefined;
    // A promise of its own: each race adds a reaction, so one promise of the whole run would retain all verdicts.
    const end = new Promise<never>((_, reject) => {
      let ended = 0;
      timer = setInterval(() => {
        const reason = `no transfer of the check has ended for ${time} ms`;
        if (transfers.length === ended) reject(new Unjudged(reason));
        ended = transfers.length;
      }, time);
      interrupt = () => reject(new Error('interrupted'));
      this.#interrupts.add(interrupt);
      if (signal.aborted) interrupt();
    });
    try {
      return await Promise.race([verdict, end]);
    } finally {
      clearInterval(timer);
      if (interrupt) this.#interrupts.delete(interrupt);
    }
  }
}

/** Blocks results that rest on the journal, because an instance that was found late may have received more. */
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
      .map((each) => [plannedKey(each), each]),
  );
  return results.map((result) => {
    const each = result.outcome === 'not-applicable' ? undefined : reading.get(resultKey(result));
    return each ? resultOf(each, { outcome: 'blocked', reason }, result.duration) : result;
  });
}

function plannedKey({ check, front }: Planned): string {
  return resultKey({ front, id: check.id });
}
