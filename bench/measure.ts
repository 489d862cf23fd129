import { watchProcessorTime } from '../src/bench/cost/processor-time.ts';
import { inTurn, Side } from '../src/bench/measure.ts';
import { ask } from '../src/bench/ask.ts';
import { Target } from '../src/check/target.ts';
import { loadByAutocannon } from './autocannon.ts';
import type { Scenario } from './scenarios.ts';
import type { Server } from './servers.ts';

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

/** A server under a scenario. */
export interface Measured {
  /** Bytes of content of its first response. */
  readonly length: number;
  readonly samples: readonly Sample[];
  /** Takes a sample. @throws if a request fails, or none is answered in several loads */
  take(): Promise<void>;
}

/** Milliseconds for a connection or response. */
const TIME_LIMIT = 10_000;

/**
 * Looks at a whole response of a server, and warms it up.
 *
 * @param seconds of each load
 * @returns undefined if the server has no such path or protocol
 * @throws if the response is wrong
 */
export async function begin(
  server: Server,
  scenario: Scenario,
  seconds: number,
): Promise<Measured | undefined> {
  const { pid, name } = server;
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
  if (failure !== undefined) throw new Error(`${name} answers ${scenario.id} with ${failure}`);
  const at = { target, protocol, origin: undefined };
  // The project's requirement: autocannon holds these to their floors.
  const usesAutocannon = protocol === 'http/1.1' && /^\/(?:bytes|range)\//.test(path);
  const load = (): Promise<Loaded> =>
    usesAutocannon
      ? loadByAutocannon(`${url.origin}${path}`, scenario, seconds)
      : fullLoad(at, request, seconds, request.isFixedLength ? length : undefined);
  await warmUp(pid, load, seconds);
  const samples: Sample[] = [];
  const take = async (loads: number): Promise<void> => {
    const spent = watchProcessorTime({ pids: [pid] });
    const { requests, requestsPerSecond, errors } = await load();
    const cpu = spent();
    const [reason] = Object.keys(errors);
    // A busy machine may have had no time for any.
    if (reason === undefined && requestsPerSecond === 0 && loads > 1) return take(loads - 1);
    if (reason !== undefined || requestsPerSecond === 0) {
      throw new Error(`${name} fails ${scenario.id}: ${reason ?? 'no response in time'}`);
    }
    samples.push({ requestsPerSecond, cpuPerRequest: cpu && cpu / requests });
  };
  return { length, samples, take: () => take(MAX_EMPTY) };
}

/** Loads in a row of which none has a response. */
const MAX_EMPTY = 3;

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

const MAX_WARM_UPS = 10;

/** Until it has had half of a load's time of CPU: on a busy machine one load gives it much less. */
async function warmUp(pid: number, load: () => Promise<Loaded>, seconds: number): Promise<void> {
  const spent = watchProcessorTime({ pids: [pid] });
  for (let loads = 0; loads < MAX_WARM_UPS; loads++) {
    await load();
    if ((spent() ?? Infinity) >= seconds / 2) return;
  }
}

/** Takes samples of servers in turn. */
export function takeInTurn(sides: readonly Measured[], rounds: number): Promise<void> {
  return inTurn(sides, rounds, (side) => side.take(), sides[0]?.samples.length);
}

/** What a round has measured of a server, and of what it is compared with. */
interface Pair {
  readonly round: number;
  readonly target: number;
  readonly direct: number;
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
