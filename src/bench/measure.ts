import { unlessInterrupted } from '../check/exit.ts';
import type { FieldLine } from '../check/message.ts';
import type { Target } from '../check/target.ts';
import type { CostMeter } from './cost/cost-meter.ts';
import { isQueued, listOf, type Conditions, type OfSides } from './disturbance.ts';
import type {
  Finished,
  FullLoad,
  Generator,
  LoadPlan,
  LoadTimes,
  RateLoad,
} from './load/generator.ts';
import type { LoadThreads } from './load/load-threads.ts';
import type { LoadRequest, PreparedRequest } from './load/load-connection.ts';
import type { Slots } from './load/slots.ts';
import { ThreadGenerator } from './load/thread-generator.ts';
import { Tally, type Counts } from './load/tally.ts';
import { loadBetween, readLoops, type OriginLoad } from './origin-loop.ts';
import type { Protocol } from './protocol.ts';
import { median } from './ratio.ts';
import { isKept, type Trial } from './rates/trial.ts';
import { fullLoadTime, repeatRounds, type RowTime } from './repeat-rounds.ts';
import type { Scenario, ScenarioRequest } from './scenarios.ts';

/** Seconds at the beginning of a load that are not measured: a quarter of a short one. */
export const warmUpOf = (seconds: number): number => Math.min(0.5, seconds / 4);

/** How much load there is, and for how long. */
export interface LoadSettings {
  /** Of a load at a fixed rate. */
  readonly seconds: number;
  /** Of a full load. Default: the same. */
  readonly fullSeconds?: number;
  /** Connections on HTTP/1.1, and in scenarios that open one for each request. */
  readonly connections: number;
  readonly h2Connections: number;
  readonly streams: number;
  /** Requests per second; undefined for half of what the slower side achieves. */
  readonly rate: number | undefined;
  /** Limit of each request, in milliseconds. */
  readonly timeout: number;
  /** The threads that generate the load. Default: the one that measures. */
  readonly threads?: LoadThreads | undefined;
}

/** A round at full load. */
export interface FullRound extends FullLoad, Conditions, Counts {
  /** CPU time of the target, in microseconds; undefined if it is not known. */
  readonly cpuPerRequest?: number | undefined;
}

/** A round at a fixed rate. */
export type RateRound = RateLoad & Conditions & Finished;

/** Makes the next request of a load with further fields, before its own. */
export type Prepare = (fields: readonly FieldLine[]) => PreparedRequest;

/** The measurements of a scenario on one side: through the target, or direct to the origin. */
export class Side {
  readonly protocol: Protocol;
  /** Measures what the side costs; undefined if that is not of interest. */
  readonly cost: CostMeter | undefined;
  readonly tally = new Tally();
  /** Results of the rounds at full load. */
  readonly fullLoads: FullRound[] = [];
  /** Results of the rounds at the fixed rate. */
  readonly rateRounds: RateRound[] = [];
  /** Result with twice as many connections, measured once. */
  doubled: FullLoad | undefined;
  /** Requests per second at which latencies were measured; 0 if they were not. */
  rate = 0;
  /** The intended rate, if a side did not keep it. */
  tooHighRate: number | undefined;
  readonly #target: Target;
  readonly #scenario: Scenario;
  readonly #settings: LoadSettings;
  readonly #length: number | undefined;
  readonly #digests: readonly string[];
  readonly #origin: Target | undefined;

  /**
   * @param length of each response; undefined if it varies
   * @param digests SHA-256 of the content of the response to each request, in hexadecimal, if they are checked
   * @param origin whose event loops are read before and after each load
   */
  constructor(
    {
      target,
      protocol,
      origin,
      cost,
    }: { target: Target; protocol: Protocol; origin: Target | undefined; cost?: CostMeter },
    scenario: Scenario,
    settings: LoadSettings,
    length: number | undefined,
    digests: readonly string[] = [],
  ) {
    this.protocol = protocol;
    this.#target = target;
    this.#scenario = scenario;
    this.#settings = settings;
    this.#length = length;
    this.#digests = digests;
    this.#origin = origin;
    this.cost = cost;
  }

  /** Length of a load at a rate, in seconds. */
  get seconds(): number {
    return this.#times.seconds;
  }

  /** Requests per second at full load. */
  get capacity(): number {
    return median(this.fullLoads.map(({ requestsPerSecond }) => requestsPerSecond));
  }

  /** Loads the side without measuring, because code is slow before it is compiled. */
  async rehearse(signal: AbortSignal): Promise<void> {
    await this.#load(signal, (generator) => generator.full(this.#rehearsal));
  }

  /** Measures requests per second. */
  async measureFullLoad(signal: AbortSignal): Promise<void> {
    let spent: (() => number | undefined) | undefined;
    const { result, finished } = await this.#load(signal, (generator) =>
      // Opening connections and waiting for the last responses do not count.
      this.#watched(signal, () => {
        spent = this.cost?.watch();
        return generator.full(this.#fullTimes);
      }),
    );
    this.tally.add(finished);
    const { requests, errors } = finished;
    const cpu = spent?.();
    // That of the warm-up counts, too, as do its requests.
    const cpuPerRequest = cpu !== undefined && requests > 0 ? cpu / requests : undefined;
    this.fullLoads.push({ ...result, requests, errors, cpuPerRequest });
  }

  /** Measures requests per second with twice as many connections. */
  async measureDoubled(signal: AbortSignal): Promise<void> {
    const full = (generator: Generator) => generator.full(this.#fullTimes);
    const { result, finished } = await this.#load(signal, full, 2);
    this.tally.add(finished);
    this.doubled = result;
  }

  /** Loads the side at a rate without measuring. @returns whether it keeps the rate */
  async keeps(rate: number, signal: AbortSignal): Promise<boolean> {
    const times = this.#rehearsal;
    const { result } = await this.#load(signal, (generator) => generator.fixed(times, rate));
    // After a stall many have waited, but it is done in time. What takes long is done later, but did not wait.
    return !isQueued(result.queued) || isKept({ ...result, rate, seconds: times.seconds });
  }

  /** Measures latencies. @param rate in requests per second */
  async measureLatencies(rate: number, signal: AbortSignal): Promise<void> {
    this.rate = rate;
    const { result, finished } = await this.#load(signal, (generator) =>
      this.#watched(signal, () => generator.fixed(this.#times, rate)),
    );
    this.tally.add(finished);
    this.rateRounds.push({ ...result, ...finished });
  }

  /**
   * Loads the side at a rate that it may not keep. What fails is not counted as an error of the row.
   *
   * @param factor multiplies the number of connections
   */
  async tryRate(rate: number, signal: AbortSignal, factor = 1): Promise<Trial> {
    const times = this.#times;
    const fixed = (generator: Generator) => generator.fixed(times, rate);
    const { result, finished } = await this.#load(signal, fixed, factor);
    return {
      ...result,
      ...finished,
      rate,
      errors: Object.values(finished.errors).reduce((sum, count) => sum + count, 0),
      seconds: times.seconds,
    };
  }

  /**
   * Opens the slots of a load for work of another kind, by this thread. `prepare` makes requests with further fields.
   */
  async onSlots<T>(
    signal: AbortSignal,
    work: (slots: Slots, prepare: Prepare) => Promise<T>,
  ): Promise<T> {
    const generator = new ThreadGenerator(this.#plan(1), signal);
    try {
      await generator.open();
      const result = await work(generator.slots, (fields) => generator.prepare(fields));
      await generator.finish();
      return result;
    } finally {
      generator.close();
    }
  }

  /** Runs work, and reads the event loops of the origin before and after it. */
  async #watched<T>(
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T & { readonly origin: OriginLoad | undefined }> {
    const origin = this.#origin;
    const { timeout } = this.#settings;
    const read = async () => origin && unlessInterrupted(readLoops(origin, timeout), signal);
    const before = await read();
    const result = await work();
    const after = before && (await read());
    return { ...result, origin: before && after && loadBetween(before, after) };
  }

  /** What is loaded. @param factor multiplies the number of connections */
  #plan(factor: number): LoadPlan {
    const { connections, h2Connections, streams, timeout } = this.#settings;
    const {
      opensConnections,
      isResumed = false,
      maxStreams = Infinity,
      others = [],
    } = this.#scenario;
    const hasStreams = this.protocol !== 'http/1.1' && !opensConnections;
    return {
      target: this.#target.options,
      protocol: this.protocol,
      requests: [
        this.#request(this.#scenario, this.#length, 0),
        ...others.map((other, at) => this.#request(other, undefined, at + 1)),
      ],
      concurrency: {
        connections: (hasStreams ? h2Connections : connections) * factor,
        streams: hasStreams ? Math.min(streams, maxStreams) : 1,
        isReused: !opensConnections,
      },
      timeout,
      isResumed,
    };
  }

  /** @param at which of the requests of the scenario it is */
  #request(
    { method, path, fields, content, isStreamed, isWebSocket, status, weight }: ScenarioRequest,
    length: number | undefined,
    at: number,
  ): LoadRequest {
    return {
      method,
      path,
      fields,
      content,
      isStreamed,
      isWebSocket,
      status,
      weight,
      authority: this.#target.authority,
      scheme: this.#target.isSecure ? 'https' : 'http',
      closes: this.#scenario.opensConnections,
      length,
      sha256: this.#digests[at],
    };
  }

  get #times(): LoadTimes {
    const { seconds } = this.#settings;
    return { seconds, warmUp: warmUpOf(seconds) };
  }

  get #fullTimes(): LoadTimes {
    const { seconds, fullSeconds = seconds } = this.#settings;
    return { seconds: fullSeconds, warmUp: warmUpOf(fullSeconds) };
  }

  get #rehearsal(): LoadTimes {
    const seconds = warmUpOf(this.#settings.seconds);
    return { seconds, warmUp: warmUpOf(seconds) };
  }

  /**
   * Opens connections for work, and closes them when no request is in flight.
   *
   * @param factor multiplies the number of connections
   */
  async #load<T>(
    signal: AbortSignal,
    work: (generator: Generator) => Promise<T>,
    factor = 1,
  ): Promise<{ result: T; finished: Finished }> {
    const plan = this.#plan(factor);
    const generator =
      this.#settings.threads?.generator(plan, signal) ?? new ThreadGenerator(plan, signal);
    try {
      await generator.open();
      const result = await work(generator);
      return { result, finished: await generator.finish() };
    } finally {
      generator.close();
    }
  }
}

export interface RoundOptions {
  readonly settings: LoadSettings;
  readonly signal: AbortSignal;
  readonly time: RowTime;
  /** Called before each round, which has a number from 1. */
  readonly onRound: (round: number) => void;
  /** Whether further rounds would not tell more of the sides. */
  readonly isClear: (of: 'fullLoads' | 'rateRounds') => boolean;
}

/** How often a too high rate is halved. */
const MAX_HALVINGS = 10;

/**
 * Measures sides alternately: first, last, last, first and so on, so that a temporary disturbance affects all sides.
 *
 * @param from number of rounds that were measured before
 */
export async function inTurn<T>(
  sides: readonly T[],
  rounds: number,
  measure: (side: T) => Promise<void>,
  from = 0,
): Promise<void> {
  for (let round = from; round < from + rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measure(side);
  }
}

/** Measures all sides alternately. Latencies are not measured if a side has not completed any request. */
export async function measureSides(
  sides: OfSides<Side>,
  { settings, signal, time, onRound, isClear }: RoundOptions,
): Promise<void> {
  const { target, baseline, direct } = sides;
  const all = listOf(sides);
  const inRounds = (
    of: 'fullLoads' | 'rateRounds',
    until: RowTime,
    measure: (side: Side) => Promise<void>,
  ): Promise<void> =>
    repeatRounds(
      (round) => {
        onRound(round + 1);
        return inTurn(all, 1, measure, round);
      },
      () => isClear(of),
      until,
    );
  for (const side of all) await side.rehearse(signal);
  await inRounds('fullLoads', fullLoadTime(time), (side) => side.measureFullLoad(signal));
  if (direct) {
    await target.measureDoubled(signal);
    await baseline?.measureDoubled(signal);
  }
  const slowest = Math.min(...all.map(({ capacity }) => capacity));
  if (slowest === 0) return;
  const wanted = settings.rate ?? Math.ceil(slowest / 2);
  const rate = await keptRate(all, wanted, signal);
  if (rate < wanted) target.tooHighRate = wanted;
  await inRounds('rateRounds', time, (side) => side.measureLatencies(rate, signal));
}

/** The rate, halved until all sides keep it. */
export async function keptRate(sides: readonly Side[], wanted: number, signal: AbortSignal) {
  let rate = wanted;
  for (let halvings = 0; halvings < MAX_HALVINGS && rate > 1; halvings++) {
    const kept: boolean[] = [];
    // A second attempt, in case of a temporary disturbance.
    for (const side of sides)
      kept.push((await side.keeps(rate, signal)) || (await side.keeps(rate, signal)));
    if (!kept.includes(false)) break;
    rate = Math.ceil(rate / 2);
  }
  return rate;
}
