import { toMicrosecond } from '../server/duration.ts';
import type { Latencies, Percentiles } from './latencies.ts';
import { directNote, judgeLimit } from './limits.ts';
import type { Side } from './measure.ts';
import { comparisonNotes, type RowFacts, type RowPlan } from './notes.ts';
import { medianLoad } from './origin-loop.ts';
import { median, pairedRatio, quantile } from './ratio.ts';
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

/** The row of a scenario that was measured. */
export function measuredRow(facts: RowFacts, target: Side, direct: Side | undefined): Row {
  const { plan, answer, isOneMachine } = facts;
  const ratio = direct && pairedRatio(target.samples, direct.samples);
  const measured = {
    requestsPerSecond: median(target.samples),
    loadBusy: median(target.busy),
    directBusy: direct && median(direct.busy),
    ratio: ratio?.median,
    origin: medianLoad(target.originLoads),
  };
  const { limit, reason } = judgeLimit(measured);
  const notes = [
    ...comparisonNotes(facts, target, direct),
    reason,
    ...(isOneMachine && limit === 'target' ? [ONE_MACHINE] : []),
    ...[directNote(measured) ?? []].flat(),
  ];
  return {
    ...headOf(plan),
    response_bytes: answer.length,
    target: sideView(target),
    direct: direct ? sideView(direct) : null,
    ratio: ratio
      ? {
          median: rounded(ratio.median, 3),
          low: rounded(ratio.low, 3),
          high: rounded(ratio.high, 3),
        }
      : null,
    added_ms: direct ? addedBy(target.latencies, direct.latencies) : null,
    added_quartiles_ms: direct && addedQuartiles(target.latencyRounds, direct.latencyRounds),
    limited_by: limit,
    note: notes.join(' '),
  };
}

/** The row of a scenario that was not measured, because its first response was not the right one. */
export function failedRow(plan: RowPlan, target: Answer, direct: Answer | undefined): Row {
  const where = target.failure === undefined ? 'past the target' : 'through the target';
  return {
    ...headOf(plan),
    response_bytes: target.length,
    target: askedView(target),
    direct: direct ? askedView(direct) : null,
    ratio: null,
    added_ms: null,
    limited_by: 'unknown',
    note: `Not measured: ${target.failure ?? direct?.failure ?? ''} ${where}.`,
  };
}

function askedView({ failure }: Answer): SideView {
  return {
    requests_per_second: 0,
    samples: [],
    load_busy: 0,
    rate: 0,
    latency_ms: null,
    requests: 1,
    errors: failure === undefined ? {} : { [failure]: 1 },
  };
}

function sideView({ samples, busy, rate, latencies, tally }: Side): SideView {
  const { percentiles } = latencies;
  return {
    requests_per_second: rounded(median(samples), 1),
    samples: samples.map((sample) => rounded(sample, 1)),
    load_busy: rounded(median(busy), 3),
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

function addedBy({ percentiles: target }: Latencies, { percentiles: direct }: Latencies) {
  return target && direct
    ? { p50: toMicrosecond(target.p50 - direct.p50), p99: toMicrosecond(target.p99 - direct.p99) }
    : null;
}

type Rounds = readonly (Percentiles | undefined)[];

/** @returns undefined with fewer than two rounds */
function addedQuartiles(target: Rounds, direct: Rounds): Row['added_quartiles_ms'] {
  const of = (percentile: 'p50' | 'p99') => {
    const added = target.flatMap((round, at) => {
      const past = direct[at];
      return round && past ? [round[percentile] - past[percentile]] : [];
    });
    if (added.length < 2) return undefined;
    return {
      low: toMicrosecond(quantile(added, 0.25)),
      high: toMicrosecond(quantile(added, 0.75)),
    };
  };
  const [p50, p99] = [of('p50'), of('p99')];
  return p50 && p99 && { p50, p99 };
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
