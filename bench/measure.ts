import { checkAnswer } from './check.ts';
import { addressOf, runLoad } from './load/run.ts';
import type { Scenario } from './scenarios.ts';
import type { Server } from './servers.ts';
import { median, pairRatios } from './statistics.ts';
import { cpuSeconds, peakMemory, resetPeakMemory } from './usage.ts';

/** One run of load against one server. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** Seconds of the server's CPU for each request. */
  readonly cpuPerRequest: number | undefined;
  /** How much of its core the server and the load had: 1 is all of it. */
  readonly serverShare: number | undefined;
  readonly loadShare: number | undefined;
  /** Bytes. */
  readonly peakMemory: number | undefined;
}

export interface Effort {
  /** Seconds of each run. */
  readonly seconds: number;
  /** Runs of each server. */
  readonly rounds: number;
  /** Whether each request's time is wanted. */
  readonly latencies: boolean;
  readonly onProgress: (what: string) => void;
  /** Told of a server that answers wrongly, which is then left out. Without it that is thrown. */
  readonly onWrong?: (what: string) => void;
}

/** Servers that stand beside each other, and the samples of each in the order they were taken. */
export type Samples = ReadonlyMap<Server, readonly Sample[]>;

/**
 * Checks each server's answer, warms each up, then measures them in turn (ABAB…), so that what
 * slows the machine for a while slows all of them. Servers without such a path are left out.
 *
 * @throws where an answer is wrong, or any failed under load
 */
export async function measureInTurn(
  servers: readonly Server[],
  scenario: Scenario,
  effort: Effort,
): Promise<Samples> {
  const samples = new Map<Server, Sample[]>();
  const addresses = new Map<Server, string>();
  const attempt = async (server: Server, measuring: () => Promise<void>): Promise<void> => {
    try {
      await measuring();
    } catch (error) {
      if (!effort.onWrong) throw error;
      effort.onWrong(error instanceof Error ? error.message : String(error));
      samples.delete(server);
      addresses.delete(server);
    }
  };
  for (const server of servers) {
    const url = addressOf(server, scenario);
    if (url === undefined) continue;
    await attempt(server, async () => {
      await checkAnswer(server, url, scenario);
      effort.onProgress(`${scenario.name}: warming up ${server.name}`);
      await warmUp(server, url, scenario, Math.min(1, effort.seconds));
      samples.set(server, []);
      addresses.set(server, url);
    });
  }
  for (let round = 1; round <= effort.rounds; round += 1) {
    for (const [server, url] of addresses) {
      effort.onProgress(`${scenario.name}: ${round} of ${effort.rounds}, ${server.name}`);
      await attempt(server, async () => {
        samples.get(server)?.push(await takeSample(server, url, scenario, effort));
      });
    }
  }
  return samples;
}

/** Loads a server until it has had half of these seconds of CPU: on a busy machine one run gives it much less. */
async function warmUp(
  server: Server,
  url: string,
  scenario: Scenario,
  seconds: number,
): Promise<void> {
  const before = cpuSeconds(server.pid) ?? 0;
  for (let run = 0; run < MOST_WARM_UPS; run += 1) {
    await runLoad(url, scenario, { seconds, latencies: false });
    const used = (cpuSeconds(server.pid) ?? Number.POSITIVE_INFINITY) - before;
    if (used >= seconds / 2) return;
  }
}

const MOST_WARM_UPS = 10;

async function takeSample(
  server: Server,
  url: string,
  scenario: Scenario,
  { seconds, latencies }: Effort,
): Promise<Sample> {
  resetPeakMemory(server.pid);
  const before = cpuSeconds(server.pid);
  const load = await runLoad(url, scenario, { seconds, latencies });
  const after = cpuSeconds(server.pid);
  const used = before === undefined || after === undefined ? undefined : after - before;
  if (load.requests + load.failures === 0) {
    throw new Error(`${server.name} had answered no request of ${scenario.name} in time`);
  }
  if (load.failures > 0) {
    const counts = `${load.failures} of ${load.requests + load.failures}`;
    throw new Error(`${server.name} failed ${counts} requests of ${scenario.name}`);
  }
  return {
    requestsPerSecond: load.requests / load.seconds,
    p50: load.p50,
    p99: load.p99,
    cpuPerRequest: used === undefined ? undefined : used / load.requests,
    serverShare: used === undefined ? undefined : used / load.seconds,
    loadShare: load.cpuSeconds === undefined ? undefined : load.cpuSeconds / load.seconds,
    peakMemory: peakMemory(server.pid),
  };
}

/** The medians of each figure; a figure that any sample lacks is lacking. */
export function mediansOf(samples: readonly Sample[]): Sample {
  const of = (figure: (sample: Sample) => number | undefined): number | undefined => {
    const values = samples.map(figure).filter((value) => value !== undefined);
    return values.length === samples.length ? median(values) : undefined;
  };
  return {
    requestsPerSecond: median(samples.map((sample) => sample.requestsPerSecond)),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpuPerRequest: of((sample) => sample.cpuPerRequest),
    serverShare: of(({ serverShare }) => serverShare),
    loadShare: of(({ loadShare }) => loadShare),
    peakMemory: of((sample) => sample.peakMemory),
  };
}

/** Pair by pair, above 1 is better than the baseline. */
export interface Ratios {
  /** Requests per second. */
  readonly speed: readonly number[];
  /** Requests per second of CPU; undefined where there is no /proc. */
  readonly economy: readonly number[] | undefined;
}

export function ratiosOf(samples: readonly Sample[], baselines: readonly Sample[]): Ratios {
  const speeds = (all: readonly Sample[]): number[] => all.map((each) => each.requestsPerSecond);
  const costs = (all: readonly Sample[]): number[] =>
    all.map(({ cpuPerRequest }) => cpuPerRequest ?? Number.NaN);
  const economy = pairRatios(costs(baselines), costs(samples));
  return {
    speed: pairRatios(speeds(samples), speeds(baselines)),
    economy: economy.some(Number.isNaN) ? undefined : economy,
  };
}
