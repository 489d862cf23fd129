import { unlessInterrupted } from '../check/exit.ts';
import type { Target } from '../check/target.ts';
import { Latencies, type Percentiles } from './latencies.ts';
import { Connector } from './load/connector.ts';
import { FixedRate } from './load/fixed-rate.ts';
import { fullLoad, type LoadTimes } from './load/full-load.ts';
import { Slots } from './load/slots.ts';
import { Tally } from './load/tally.ts';
import { loadBetween, readLoops, type OriginLoad } from './origin-loop.ts';
import type { Protocol } from './protocol.ts';
import { median } from './ratio.ts';
import type { Scenario } from './scenarios.ts';

/** Seconds before each load that are not measured; of a short load, a part of its time. */
export const warmUpOf = (seconds: number): number => Math.min(0.5, seconds / 4);

/** How much load there is, and for how long. */
export interface LoadSettings {
  readonly rounds: number;
  readonly seconds: number;
  /** On HTTP/1.1, and of scenarios that open one for each request. */
  readonly connections: number;
  readonly h2Connections: number;
  readonly streams: number;
  /** Requests per second; undefined: half of what the slower side does. */
  readonly rate: number | undefined;
  /** Limit of each request, in milliseconds. */
  readonly timeout: number;
}

/** The measurements of a scenario on one side: through the target, or past it. */
export class Side {
  readonly protocol: Protocol;
  readonly tally = new Tally();
  /** Those of all rounds. */
  readonly latencies = new Latencies();
  /** Of each round that is finished; undefined if no request was successful. */
  readonly latencyRounds: (Percentiles | undefined)[] = [];
  /** Requests per second at full load, of each round. */
  readonly samples: number[] = [];
  /** How busy this process was, likewise. */
  readonly busy: number[] = [];
  /** How busy the event loops of the origin were, likewise. */
  readonly originLoads: OriginLoad[] = [];
  /** Requests per second at which latencies were measured; 0 if they were not. */
  rate = 0;
  readonly #target: Target;
  readonly #scenario: Scenario;
  readonly #settings: LoadSettings;
  readonly #length: number | undefined;

  /** @param length of each response; undefined if they differ */
  constructor(
    target: Target,
    protocol: Protocol,
    scenario: Scenario,
    settings: LoadSettings,
    length: number | undefined,
  ) {
    this.protocol = protocol;
    this.#target = target;
    this.#scenario = scenario;
    this.#settings = settings;
    this.#length = length;
  }

  /**
   * Measures requests per second.
   *
   * @param origin whose event loops are read before and after
   */
  async measureFullLoad(signal: AbortSignal, origin: Target | undefined): Promise<void> {
    const { timeout } = this.#settings;
    const read = async () => origin && unlessInterrupted(readLoops(origin, timeout), signal);
    await this.#load(signal, async (slots) => {
      // Neither the time for opening connections counts nor that for the last responses.
      const before = await read();
      const { requestsPerSecond, busy } = await fullLoad(slots, this.tally, this.#times(signal));
      const after = before && (await read());
      this.samples.push(requestsPerSecond);
      this.busy.push(busy);
      if (before && after) this.originLoads.push(loadBetween(before, after));
    });
  }

  /** Measures latencies. @param rate in requests per second */
  async measureLatencies(rate: number, signal: AbortSignal): Promise<void> {
    this.rate = rate;
    const options = { ...this.#times(signal), rate, timeout: this.#settings.timeout };
    const round = new Latencies();
    try {
      await this.#load(signal, (slots) =>
        new FixedRate(slots, this.tally, round, options).run(signal),
      );
      this.latencyRounds.push(round.percentiles);
    } finally {
      this.latencies.add(round);
    }
  }

  /** How many requests there are at the same time, at most. */
  get concurrency(): number {
    const { connections, streams } = this.#slots;
    return connections * streams;
  }

  get #slots() {
    const { connections, h2Connections, streams } = this.#settings;
    const { opensConnections } = this.#scenario;
    const hasStreams = this.protocol !== 'http/1.1' && !opensConnections;
    return {
      connections: hasStreams ? h2Connections : connections,
      streams: hasStreams ? streams : 1,
      isReused: !opensConnections,
    };
  }

  #times(signal: AbortSignal): LoadTimes {
    const { seconds } = this.#settings;
    return { seconds, warmUp: warmUpOf(seconds), signal };
  }

  /** Opens connections, and closes them when no request is in flight any more. */
  async #load<T>(signal: AbortSignal, work: (slots: Slots) => Promise<T>): Promise<T> {
    const { method, path, content, opensConnections } = this.#scenario;
    const { timeout } = this.#settings;
    const request = {
      method,
      path,
      ...(content && { content }),
      authority: this.#target.authority,
      scheme: this.#target.isSecure ? ('https' as const) : ('http' as const),
      closes: opensConnections,
      length: this.#length,
    };
    const connector = new Connector(this.#target, this.protocol, request, timeout);
    const slots = new Slots(connector, this.#slots, timeout);
    try {
      await unlessInterrupted(slots.prepare(), signal);
      const result = await work(slots);
      await unlessInterrupted(slots.idle(), signal);
      return result;
    } finally {
      slots.close();
    }
  }
}

export interface RoundOptions {
  readonly settings: LoadSettings;
  /** Where the origin's event loops can be read. */
  readonly origin: Target | undefined;
  readonly signal: AbortSignal;
  /** Called before each load. */
  readonly onLoad: () => void;
}

/**
 * Measures both sides in turn: target, direct, direct, target and so on. What disturbs the machine for a while
 * disturbs both. Latencies are not measured if a side has done no request at all.
 */
export async function measureSides(
  target: Side,
  direct: Side | undefined,
  { settings, origin, signal, onLoad }: RoundOptions,
): Promise<void> {
  const inTurn = async (measure: (side: Side) => Promise<void>): Promise<void> => {
    for (let round = 0; round < settings.rounds; round++) {
      const sides = direct ? [target, direct] : [target];
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        onLoad();
        await measure(side);
      }
    }
  };
  await inTurn((side) => side.measureFullLoad(signal, side === target ? origin : undefined));
  const slowest = Math.min(
    ...[target, direct].flatMap((side) => (side ? [median(side.samples)] : [])),
  );
  const rate = settings.rate ?? Math.ceil(slowest / 2);
  if (slowest > 0) await inTurn((side) => side.measureLatencies(rate, signal));
}
