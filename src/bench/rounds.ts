import { isInvalid, ofSides, undisturbed, type OfSides, type Rounds } from './disturbance.ts';
import type { Percentiles } from './latencies.ts';
import type { Side } from './measure.ts';
import type { MetricSamples } from './metrics.ts';
import type { Samples } from './ratio.ts';

/** The rounds of a side that count, or all of them if none counts. */
export interface SideRounds extends Pick<Side, 'cost' | 'doubled' | 'rate' | 'tally'> {
  readonly full: Side['fullLoads'];
  readonly fixed: Side['rateRounds'];
  /** Percentiles of the rounds at the fixed rate. */
  readonly percentiles: readonly (Percentiles | undefined)[];
}

/** The rounds of a row, of which those count in which no side was disturbed. */
export interface RowRounds {
  readonly full: Rounds;
  readonly fixed: Rounds;
  readonly sides: OfSides<SideRounds>;
  /** Whether too few rounds count. */
  readonly isInvalid: boolean;
}

/** @param isShared whether target and baseline may use the cores of load and origin */
export function rowRounds(sides: OfSides<Side>, isShared: boolean): RowRounds {
  const full = undisturbed(
    ofSides(sides, ({ fullLoads }) => fullLoads),
    isShared,
  );
  const fixed = undisturbed(
    ofSides(sides, ({ rateRounds }) => rateRounds),
    isShared,
  );
  return {
    full,
    fixed,
    sides: ofSides(sides, ({ fullLoads, rateRounds, cost, doubled, rate, tally }) => {
      const kept = keptRounds(rateRounds, fixed);
      return {
        full: keptRounds(fullLoads, full),
        fixed: kept,
        percentiles: kept.map(({ latencies }) => latencies.percentiles),
        cost,
        doubled,
        rate,
        tally,
      };
    }),
    isInvalid: isInvalid(full) || isInvalid(fixed),
  };
}

function keptRounds<T>(rounds: readonly T[], { kept, done }: Rounds): T[] {
  const shown = kept.length > 0 ? new Set(kept) : undefined;
  return rounds.filter((_, round) => round < done && (shown?.has(round) ?? true));
}

/** The samples of target and baseline, round by round. */
export function samplesOf(target: SideRounds, baseline: SideRounds): MetricSamples {
  return {
    requests_per_second: paired(
      target.full,
      baseline.full,
      ({ requestsPerSecond }) => requestsPerSecond,
    ),
    p50_ms: undefined,
    p90_ms: undefined,
    p99_ms: undefined,
    p99_9_ms: undefined,
    latencies: { target: target.fixed, baseline: baseline.fixed },
    cpu_us_per_request: paired(target.full, baseline.full, ({ cpuPerRequest }) => cpuPerRequest),
  };
}

/** The values of rounds that have them on both sides. @returns undefined without any */
function paired<T>(
  target: readonly T[],
  baseline: readonly T[],
  valueOf: (round: T) => number | undefined,
): Samples | undefined {
  const pairs = target.flatMap((round, at) => {
    const other = baseline[at];
    const [one, two] = [valueOf(round), other && valueOf(other)];
    return one === undefined || two === undefined ? [] : [[one, two] as const];
  });
  if (pairs.length === 0) return undefined;
  return {
    target: pairs.map(([value]) => value),
    baseline: pairs.map(([, value]) => value),
    isPaired: true,
  };
}
