import { counted } from '../check/words.ts';
import { toMicrosecond } from '../server/timing.ts';
import { isInvalid, undisturbed, type Rounds } from './disturbance.ts';
import { Latencies } from './latencies.ts';
import {
  directNote,
  judgeLimit,
  openRange,
  type Judgement,
  type Measured,
  type Range,
} from './limits.ts';
import type { Side } from './measure.ts';
import { comparisonNotes, type RowFacts, type RowPlan } from './notes.ts';
import { medianLoad } from './origin-loop.ts';
import { median, pairedDifference, pairedRatio, type Estimate, type Pair } from './ratio.ts';
import type { Row, SideView } from './report/report.ts';
import type { Answer } from './protocol.ts';
import { requestText } from './scenarios.ts';

const ONE_MACHINE =
  'Load, target and origin share the cores of this machine: the limit may be those. Give each its own with taskset.';

type Head = Pick<Row, 'scenario' | 'protocol' | 'request'>;

const headOf = ({ scenario, protocol }: RowPlan): Head => ({
  scenario: scenario.id,
  protocol,
  request: requestText(scenario),
});

/** The row of a measured scenario. */
export function measuredRow(facts: RowFacts, target: Side, direct: Side | undefined): Row {
  const { plan, answer, isSelf, isOneMachine } = facts;
  const isShared = isOneMachine && !isSelf;
  const full = undisturbed(target.fullLoads, direct?.fullLoads, isShared);
  const fixed = undisturbed(target.rateRounds, direct?.rateRounds, isShared);
  const targetRounds = roundsOf(target, full, fixed);
  const directRounds = direct && roundsOf(direct, full, fixed);
  const measured = measuredBy(target, targetRounds, directRounds, full, isShared);
  const isWrong = isInvalid(full) || isInvalid(fixed);
  const { limit, reason } = isWrong ? invalidity(full, fixed) : judgeLimit(measured);
  const notes = [
    ...(isWrong ? [reason] : droppedNotes(full, fixed)),
    ...comparisonNotes(facts, target, direct),
    ...(isWrong ? [] : [reason]),
    ...(isShared && (limit === 'target' || limit === 'unknown') ? [ONE_MACHINE] : []),
    ...(isWrong ? [] : [directNote(measured) ?? []].flat()),
  ];
  return {
    ...headOf(plan),
    response_bytes: answer.length,
    target: sideView(target, targetRounds),
    direct: direct && directRounds ? sideView(direct, directRounds) : null,
    ratio: measured.ratio && !isWrong ? ratioView(openRange(measured.ratio, measured)) : null,
    ...addedView(isWrong ? undefined : directRounds?.fixed, targetRounds.fixed, fixed),
    disturbed_rounds: {
      full_load: full.done - full.kept.length,
      fixed_rate: fixed.done - fixed.kept.length,
    },
    limited_by: limit,
    note: notes.join(' '),
  };
}

/** The rounds of a side that count, or all of them if none counts. */
interface SideRounds {
  readonly full: Side['fullLoads'];
  readonly fixed: Side['rateRounds'];
}

function roundsOf(side: Side, full: Rounds, fixed: Rounds): SideRounds {
  return { full: keptRounds(side.fullLoads, full), fixed: keptRounds(side.rateRounds, fixed) };
}

function keptRounds<T>(rounds: readonly T[], { kept, done }: Rounds): T[] {
  const shown = kept.length > 0 ? new Set(kept) : undefined;
  return rounds.filter((_, round) => round < done && (shown?.has(round) ?? true));
}

function measuredBy(
  { doubled }: Side,
  target: SideRounds,
  direct: SideRounds | undefined,
  { kept }: Rounds,
  isShared: boolean,
): Measured {
  const pressure = (side: SideRounds): number =>
    median(side.full.map((round) => round.pressure ?? 0));
  return {
    requestsPerSecond: medianOf(target.full, 'requestsPerSecond'),
    load: { busy: medianOf(target.full, 'busy'), waited: medianOf(target.full, 'waited') },
    directBusy: direct && medianOf(direct.full, 'busy'),
    crowding: direct && isShared ? pressure(target) - pressure(direct) : 0,
    ratio:
      direct &&
      pairedRatio(
        bothSides(kept, target.full, direct.full, ({ requestsPerSecond }) => requestsPerSecond),
      ),
    origin: medianLoad(target.full.flatMap(({ origin }) => (origin ? [origin] : []))),
    doubled,
  };
}

const medianOf = (
  rounds: Side['fullLoads'],
  name: 'requestsPerSecond' | 'busy' | 'waited',
): number => median(rounds.map((round) => round[name]));

/** The values of both sides for each round. */
function bothSides<T>(
  kept: readonly number[],
  target: readonly T[],
  direct: readonly T[],
  valueOf: (round: T) => number | undefined,
): Pair[] {
  return kept.flatMap((round, at) => {
    const [one, other] = [target[at], direct[at]];
    const pair = {
      round,
      target: one && valueOf(one),
      direct: other && valueOf(other),
    };
    return pair.target === undefined || pair.direct === undefined
      ? []
      : [{ round, target: pair.target, direct: pair.direct }];
  });
}

const ADVICE =
  'Give load, target and origin cores of their own (taskset), or measure where nothing else runs.';

function invalidity(full: Rounds, fixed: Rounds): Judgement {
  const texts = [
    isInvalid(full) && droppedText(full, 'at full load'),
    isInvalid(fixed) && droppedText(fixed, 'at the fixed rate'),
  ];
  return { limit: 'invalid', reason: `Invalid: ${texts.filter(Boolean).join(' ')} ${ADVICE}` };
}

function droppedNotes(full: Rounds, fixed: Rounds): string[] {
  return [
    ...(full.disturbance === undefined ? [] : [droppedText(full, 'at full load')]),
    ...(fixed.disturbance === undefined ? [] : [droppedText(fixed, 'at the fixed rate')]),
  ];
}

const droppedText = ({ done, kept, disturbance = '' }: Rounds, where: string): string =>
  `${done - kept.length} of ${counted(done, 'round')} ${where} were dropped: ${disturbance}.`;

/** The row of a scenario that was not measured, because its first response was wrong. */
export function failedRow(plan: RowPlan, target: Answer, direct: Answer | undefined): Row {
  const where = target.failure === undefined ? 'past the target' : 'through the target';
  return {
    ...headOf(plan),
    response_bytes: target.length,
    target: failedAnswerView(target),
    direct: direct ? failedAnswerView(direct) : null,
    ratio: null,
    added_ms: null,
    added_interval_ms: null,
    disturbed_rounds: { full_load: 0, fixed_rate: 0 },
    limited_by: 'unknown',
    note: `Not measured: ${target.failure ?? direct?.failure ?? ''} ${where}.`,
  };
}

function failedAnswerView({ failure }: Answer): SideView {
  return {
    requests_per_second: 0,
    samples: [],
    load_busy: 0,
    load_waited: 0,
    origin_waited: null,
    rate: 0,
    latency_ms: null,
    requests: 1,
    errors: failure === undefined ? {} : { [failure]: 1 },
  };
}

function sideView({ rate, tally }: Side, { full, fixed }: SideRounds): SideView {
  const latencies = new Latencies();
  for (const round of fixed) latencies.add(round.latencies);
  const { percentiles } = latencies;
  const origin = medianLoad(full.flatMap((round) => (round.origin ? [round.origin] : [])));
  return {
    requests_per_second: rounded(medianOf(full, 'requestsPerSecond'), 1),
    samples: full.map(({ requestsPerSecond }) => rounded(requestsPerSecond, 1)),
    load_busy: rounded(medianOf(full, 'busy'), 3),
    load_waited: rounded(medianOf(full, 'waited'), 3),
    origin_waited: origin?.waited === undefined ? null : rounded(origin.waited, 3),
    rate,
    latency_ms: percentiles
      ? {
          p50: toMicrosecond(percentiles.p50),
          p90: toMicrosecond(percentiles.p90),
          p99: toMicrosecond(percentiles.p99),
          p99_9: toMicrosecond(percentiles.p99_9),
          max: toMicrosecond(percentiles.max),
        }
      : null,
    requests: tally.requests,
    errors: tally.errors,
  };
}

const ratioView = ({ median: middle, low, high }: Range): Row['ratio'] => ({
  median: rounded(middle, 3),
  low: rounded(low, 3),
  high: high === null ? null : rounded(high, 3),
});

const intervalView = ({ low, high }: Estimate) => ({
  low: toMicrosecond(low),
  high: toMicrosecond(high),
});

/** The difference in percentiles, from rounds with latencies on both sides. */
function addedView(
  direct: Side['rateRounds'] | undefined,
  target: Side['rateRounds'],
  { kept }: Rounds,
): Pick<Row, 'added_ms' | 'added_interval_ms'> {
  const of = (percentile: 'p50' | 'p99') =>
    pairedDifference(
      bothSides(kept, target, direct ?? [], ({ latencies }) => latencies.percentiles?.[percentile]),
    );
  const [p50, p99] = [of('p50'), of('p99')];
  if (!p50 || !p99) return { added_ms: null, added_interval_ms: null };
  return {
    added_ms: { p50: toMicrosecond(p50.median), p99: toMicrosecond(p99.median) },
    added_interval_ms: Number.isFinite(p50.high)
      ? { p50: intervalView(p50), p99: intervalView(p99) }
      : null,
  };
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
