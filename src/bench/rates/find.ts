import { counted } from '../../check/words.ts';
import { CROWDED, isQueued, listOf, ofSides, type OfSides } from '../disturbance.ts';
import { inTurn } from '../measure.ts';
import { count } from '../report/cells.ts';
import { judgeTrial, requestsFor, type Condition, type Outcome } from './condition.ts';
import type { FoundSide } from '../report/rates-schema.ts';
import { EdgeSearch, type Bounds, type Edge } from './edge.ts';
import type { Trial } from './trial.ts';

/** A side whose rate is searched for. */
export interface Tried {
  /** Requests per second at full load, around which rates are tried. */
  readonly capacity: number;
  /** Length of a trial, in seconds. */
  readonly seconds: number;
  /** Whether it runs on the machine of the load. */
  readonly isLocal: boolean;
  /** Loads it at a rate. @param factor multiplies the number of connections */
  tryRate(rate: number, factor?: number): Promise<Trial>;
}

/** The highest rate at which a condition holds, in requests per second. */
export interface Found extends Edge {
  readonly limit: FoundSide['limited_by'];
  /** Why the rate is not that of the side; otherwise undefined. */
  readonly reason: string | undefined;
  readonly trials: number;
}

/** Highest and lowest rate that are tried, in relation to the capacity. */
const HIGHEST = 4;
const LOWEST = 1 / 50;
/** The lowest rate is higher for a percentile that needs more requests, but not more than so high. */
const LOWEST_FOR_PERCENTILE = 1 / 4;
/** Number of trials that are repeated because the load generator had no core. */
const MAX_STARVED = 40;
/** How far from the edge a trial tells what was the limit there. */
const NEAR = 1.1;
/** Number of trials with twice as many connections. */
const DOUBLED = 3;
/** Errors below the edge, in relation to those above, from which on they do not come from the rate. */
const EVERYWHERE = 0.05;
/** Errors that are expected below the edge if they do not, so that their lack tells that they do. */
const ENOUGH = 8;
/** Number of trials to look for them. */
const MAX_CHECKS = 20;

/** Searches for the rates of all sides, in turn, so that what disturbs the machine for a while disturbs all. */
export async function findRates(
  condition: Condition,
  sides: OfSides<Tried>,
): Promise<OfSides<Found>> {
  const searches = ofSides(sides, (side) => new RateSearch(condition, side));
  const all = listOf(searches);
  for (let round = 0; all.some(({ isOver }) => !isOver); round++) {
    await inTurn(all, 1, (search) => search.step(), round);
  }
  return {
    target: await searches.target.conclude(),
    baseline: await searches.baseline?.conclude(),
    direct: await searches.direct?.conclude(),
  };
}

function boundsOf({ capacity, seconds }: Tried, requests: number): Bounds {
  const forPercentile = Math.min(capacity * LOWEST_FOR_PERCENTILE, requests / seconds);
  return {
    start: capacity / 2,
    lowest: Math.max(1, capacity * LOWEST, forPercentile),
    highest: Math.max(2, capacity * HIGHEST),
  };
}

interface Judged {
  readonly trial: Trial;
  readonly outcome: Outcome;
  readonly isRepeated: boolean;
}

class RateSearch {
  readonly #condition: Condition;
  readonly #side: Tried;
  readonly #bounds: Bounds;
  readonly #edges: EdgeSearch;
  readonly #trials: Judged[] = [];

  constructor(condition: Condition, side: Tried) {
    this.#condition = condition;
    this.#side = side;
    this.#bounds = boundsOf(side, requestsFor(condition));
    this.#edges = new EdgeSearch(this.#bounds);
  }

  get isOver(): boolean {
    return this.#edges.next === undefined || this.#count('starved') >= MAX_STARVED;
  }

  async step(): Promise<void> {
    const { next: rate } = this.#edges;
    if (rate === undefined || this.isOver) return;
    const trial = await this.#side.tryRate(rate);
    const judged = judgeTrial(this.#condition, trial);
    const outcome = judged === 'fails' && this.#isCrowded(trial) ? 'starved' : judged;
    const isFirstLate = outcome === 'lagged' && this.#trials.at(-1)?.outcome !== 'lagged';
    // Without a core, or late once, which may have been for another process, a trial says nothing. It is repeated.
    const isRepeated = outcome === 'starved' || isFirstLate;
    this.#trials.push({ trial, outcome, isRepeated });
    if (!isRepeated) this.#edges.add(rate, outcome === 'holds');
  }

  async conclude(): Promise<Found> {
    const { edge } = this.#edges;
    const found = { ...edge, trials: this.#trials.length };
    const starved = this.#count('starved');
    if (starved * 2 > this.#trials.length) {
      const reason = `in ${starved} of ${counted(this.#trials.length, 'trial')}, load generator or side waited for a core`;
      return {
        ...found,
        ...(this.#count('holds') === 0 && { rate: 0, low: 0 }),
        limit: 'load',
        reason,
      };
    }
    const { lowest } = this.#bounds;
    const isLowest = this.#count('holds') === 0 || edge.rate <= lowest * NEAR;
    const never = isLowest
      ? `not at ${count(lowest)}/s either`
      : await this.#errorsEverywhere(edge);
    if (never !== undefined) return { ...found, rate: 0, low: 0, limit: 'none', reason: never };
    const reason = this.#lateness(edge) ?? (await this.#shortage(edge));
    return { ...found, limit: reason === undefined ? 'side' : 'load', reason };
  }

  /**
   * Whether other processes kept the side from running. With more load, its own may have to wait for each other.
   */
  #isCrowded({ rate, pressure = 0 }: Trial): boolean {
    const { isLocal, capacity } = this.#side;
    return isLocal && rate <= capacity / 2 && pressure >= CROWDED;
  }

  #count(outcome: Outcome): number {
    return this.#trials.filter((each) => each.outcome === outcome).length;
  }

  /** Whether it does not hold for errors that come at any rate, in words: fewer requests only have fewer of them. */
  async #errorsEverywhere(edge: Edge): Promise<string | undefined> {
    const failed = this.#failedNear(edge);
    const byErrors = failed.filter(
      ({ trial }) => judgeTrial(this.#condition, { ...trial, errors: 0 }) === 'holds',
    );
    if (byErrors.length * 2 <= failed.length) return undefined;
    const above = { requests: 0, errors: 0 };
    for (const { trial } of this.#trials.filter((each) => each.trial.rate > edge.rate)) {
      above.requests += trial.requests;
      above.errors += trial.errors;
    }
    const share = above.errors / above.requests;
    // New ones, for the edge is where those before happened to have none.
    const below = { requests: 0, errors: 0 };
    for (let at = 0; at < MAX_CHECKS && below.requests * share < ENOUGH; at++) {
      const trial = await this.#side.tryRate(edge.low / NEAR);
      below.requests += trial.requests;
      below.errors += trial.errors;
    }
    return below.errors > below.requests * share * EVERYWHERE
      ? `as many requests fail at lower rates: ${below.errors} of ${below.requests}, and ${above.errors} of ${above.requests} above`
      : undefined;
  }

  /** Trials that did not hold although little more was asked for. */
  #failedNear({ rate, high }: Edge): readonly Judged[] {
    return this.#trials.filter(
      ({ trial, outcome, isRepeated }) =>
        outcome !== 'holds' && !isRepeated && trial.rate >= rate && trial.rate <= high * NEAR,
    );
  }

  /** Whether the load generator was late itself, in words. */
  #lateness(edge: Edge): string | undefined {
    if (edge.rate * NEAR >= this.#bounds.highest) return 'higher rates were not tried';
    const failed = this.#failedNear(edge);
    const late = failed.filter(({ outcome }) => outcome === 'lagged');
    if (late.length * 2 <= failed.length) return undefined;
    return `in ${late.length} of ${counted(failed.length, 'trial')} above, the load generator was late itself`;
  }

  /** Whether there were too few connections, in words. */
  async #shortage(edge: Edge): Promise<string | undefined> {
    const failed = this.#failedNear(edge);
    const queued = failed.filter(({ trial }) => isQueued(trial.queued));
    if (queued.length * 2 <= failed.length) return undefined;
    let held = 0;
    for (let trial = 0; trial < DOUBLED; trial++) {
      const doubled = await this.#side.tryRate(edge.high * NEAR, 2);
      if (judgeTrial(this.#condition, doubled) === 'holds') held++;
    }
    return held * 2 > DOUBLED
      ? `with twice as many connections, it holds at ${count(edge.high * NEAR)}/s too`
      : undefined;
  }
}
