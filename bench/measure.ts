import { inTurn, Side } from '../src/bench/measure.ts';
import { ask } from '../src/bench/protocol.ts';
import type { Pair } from '../src/bench/ratio.ts';
import { Target } from '../src/check/target.ts';
import { cannonade } from './autocannon.ts';
import type { Scenario } from './scenarios.ts';
import type { Server } from './servers.ts';
import { cpuSeconds } from './usage.ts';

/** What a load has done. */
export interface Loaded {
  /** Those that were answered, with what came before and after the time that is measured. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** How many failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
}

/** One load of a server. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Seconds of the server's CPU for each request; undefined where there is no /proc. */
  readonly cpuPerRequest: number | undefined;
}

/** Milliseconds for a connection or response. */
const TIME_LIMIT = 10_000;
const MAX_WARM_UPS = 10;

/** A server under a scenario. */
export class Measured {
  readonly samples: Sample[] = [];
  readonly server: Server;
  /** Bytes of content of its first response. */
  readonly length: number;
  readonly #scenario: Scenario;
  readonly #load: (seconds: number) => Promise<Loaded>;

  private constructor(
    server: Server,
    scenario: Scenario,
    length: number,
    load: (seconds: number) => Promise<Loaded>,
  ) {
    this.server = server;
    this.length = length;
    this.#scenario = scenario;
    this.#load = load;
  }

  /**
   * Looks at a whole response, and warms the server up: until it has had half of these seconds of CPU, as on a busy
   * machine one load gives it much less.
   *
   * @returns undefined if the server has no such path or protocol
   * @throws if the response is wrong
   */
  static async begin(
    server: Server,
    scenario: Scenario,
    seconds: number,
  ): Promise<Measured | undefined> {
    const port = server.ports[scenario.protocol];
    const path = server.pathOf(scenario);
    if (port === undefined || path === undefined) return undefined;
    const isSecure = scenario.protocol === 'https/1.1' || scenario.protocol === 'h2';
    const url = new URL(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`);
    const target = new Target({ url, insecure: true });
    const protocol = scenario.protocol === 'https/1.1' ? 'http/1.1' : scenario.protocol;
    // What stands in for the path at a peer is the peer's own affair.
    const request =
      path === scenario.path
        ? scenario
        : { ...scenario, path, isContent: () => true, isFixedLength: false };
    const { failure, length } = await ask(target, protocol, request, TIME_LIMIT);
    if (failure !== undefined) {
      throw new Error(`${server.name} answers ${scenario.id} with ${failure}`);
    }
    // The project's requirement: autocannon holds these to their floors.
    const isCannonade = protocol === 'http/1.1' && /^\/(?:bytes|range)\//.test(path);
    const at = { target, protocol, origin: undefined };
    const measured = new Measured(server, scenario, length, (time) =>
      isCannonade
        ? cannonade(`${url.origin}${path}`, scenario, time)
        : fullLoad(at, request, time, request.isFixedLength ? length : undefined),
    );
    await measured.#warmUp(Math.min(1, seconds));
    return measured;
  }

  /** Takes a sample. @throws if a request fails, or none is answered */
  async take(seconds: number): Promise<void> {
    const { pid, name } = this.server;
    const before = cpuSeconds(pid);
    const { requests, requestsPerSecond, errors } = await this.#load(seconds);
    const after = cpuSeconds(pid);
    const [reason] = Object.keys(errors);
    if (reason !== undefined || requestsPerSecond === 0) {
      throw new Error(`${name} fails ${this.#scenario.id}: ${reason ?? 'no response in time'}`);
    }
    this.samples.push({
      requestsPerSecond,
      cpuPerRequest:
        before === undefined || after === undefined ? undefined : (after - before) / requests,
    });
  }

  async #warmUp(seconds: number): Promise<void> {
    const { pid } = this.server;
    const before = cpuSeconds(pid) ?? 0;
    for (let load = 0; load < MAX_WARM_UPS; load++) {
      await this.#load(seconds);
      if ((cpuSeconds(pid) ?? Infinity) - before >= seconds / 2) return;
    }
  }
}

const { signal } = new AbortController();

async function fullLoad(
  at: ConstructorParameters<typeof Side>[0],
  scenario: Scenario,
  seconds: number,
  length: number | undefined,
): Promise<Loaded> {
  const { connections, streams } = scenario;
  const counts = { rounds: 1, connections, h2Connections: connections, streams };
  const settings = { ...counts, seconds, rate: undefined, timeout: TIME_LIMIT };
  const side = new Side(at, scenario, settings, length);
  await side.measureFullLoad(signal);
  const { requests, errors } = side.tally;
  return { requests, errors, requestsPerSecond: side.capacity };
}

/** Takes samples of servers in turn. */
export function takeInTurn(
  sides: readonly Measured[],
  rounds: number,
  seconds: number,
): Promise<void> {
  const from = sides[0]?.samples.length ?? 0;
  return inTurn(sides, rounds, (side) => side.take(seconds), from);
}

/** What each round has measured: the server, and what it is compared with. */
export interface Pairs {
  /** Requests per second. */
  readonly speed: readonly Pair[];
  /** Requests per second of CPU; undefined where there is no /proc. */
  readonly economy: readonly Pair[] | undefined;
}

/** @param direct samples of what the server is compared with */
export function pairsOf(target: readonly Sample[], direct: readonly Sample[]): Pairs {
  const pairs = (value: (sample: Sample) => number): Pair[] =>
    target.flatMap((sample, round) => {
      const other = direct[round];
      return other ? [{ round, target: value(sample), direct: value(other) }] : [];
    });
  const isKnown = [...target, ...direct].every(({ cpuPerRequest }) => cpuPerRequest !== undefined);
  return {
    speed: pairs(({ requestsPerSecond }) => requestsPerSecond),
    economy: isKnown ? pairs(({ cpuPerRequest = Number.NaN }) => 1 / cpuPerRequest) : undefined,
  };
}

export const ratiosOf = (pairs: readonly Pair[]): number[] =>
  pairs.map(({ target, direct }) => target / direct);
