import type { Counts } from './load/tally.ts';
import { judgeLimit, type Judgement, type Measured } from './limits.ts';
import type { FullRound } from './measure.ts';
import { medianLoad, type OriginLoad } from './origin-loop.ts';
import { median, ratioOf } from './ratio.ts';
import { samplesOf, type SideRounds } from './rounds.ts';

/** What a side has shown, and what its limit was. */
export interface MeasuredSide extends Measured, Judgement {
  /** How late the load generator sent requests, in milliseconds: the 99th percentile; undefined if it is not known. */
  readonly lagP99: number | undefined;
  /** The 99th percentile of latencies, in milliseconds; undefined without any. */
  readonly p99: number | undefined;
  /** Requests of all loads, and failures. */
  readonly tally: Counts;
}

/** @param isShared whether the side may use the cores of load and origin */
export function measuredSide(
  side: SideRounds,
  direct: SideRounds | undefined,
  isShared: boolean,
): MeasuredSide {
  const pressure = (full: SideRounds['full']): number =>
    isShared ? median(full.map((round) => round.pressure ?? 0)) : 0;
  const { full, doubled } = side;
  const ofSide = { pressure: pressure(full) };
  const samples = direct && samplesOf(side, direct).requests_per_second;
  const measured = {
    requestsPerSecond: medianOf(full, 'requestsPerSecond'),
    load: { busy: medianOf(full, 'busy'), waited: medianOf(full, 'waited') },
    directBusy: direct && medianOf(direct.full, 'busy'),
    crowding: direct ? ofSide.pressure - pressure(direct.full) : 0,
    ...ofSide,
    ratio: samples && ratioOf(samples, 0.95),
    origin: originLoad(side),
    doubled,
  };
  return {
    ...measured,
    ...judgeLimit(measured),
    tally: side.tally,
    lagP99: lagOf(side),
    p99: defined(side.percentiles.map((each) => each?.p99)),
  };
}

/** The median over the rounds at full load. */
export const medianOf = (
  rounds: readonly FullRound[],
  name: 'requestsPerSecond' | 'busy' | 'waited',
): number => median(rounds.map((round) => round[name]));

/** The load of the origin at full load; undefined if it cannot be read. */
export const originLoad = ({ full }: SideRounds): OriginLoad | undefined =>
  medianLoad(full.flatMap(({ origin }) => origin ?? []));

/** How late requests were sent at the fixed rate. */
export const lagOf = ({ fixed }: SideRounds): number | undefined =>
  defined(fixed.map(({ lagP99 }) => lagP99));

/** The median of the values that are known. */
function defined(values: readonly (number | undefined)[]): number | undefined {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? undefined : median(known);
}
