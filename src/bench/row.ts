import { toMicrosecond } from '../server/duration.ts';
import type { Latencies } from './latencies.ts';
import { directNote, judgeLimit } from './limits.ts';
import type { Side } from './measure.ts';
import { median, pairedRatio } from './ratio.ts';
import type { Row, SideView } from './report/report.ts';
import type { Answer, Protocol } from './protocol.ts';
import { requestText, type Scenario } from './scenarios.ts';

/** A scenario on a protocol of the target. */
export interface RowPlan {
  readonly scenario: Scenario;
  readonly protocol: Protocol;
  /** What the direct side uses; undefined without one. */
  readonly direct: Protocol | undefined;
}

type Head = Pick<Row, 'scenario' | 'protocol' | 'request'>;

const headOf = ({ scenario, protocol }: RowPlan): Head => ({
  scenario: scenario.id,
  protocol,
  request: requestText(scenario),
});

/** What the figures of a row rest on. */
export interface RowFacts {
  readonly plan: RowPlan;
  readonly answer: Answer;
  /** Whether the origin runs in the process of the load. */
  readonly isSelf: boolean;
}

/** The row of a scenario that was measured. */
export function measuredRow(
  { plan, answer, isSelf }: RowFacts,
  target: Side,
  direct: Side | undefined,
): Row {
  const ratio = direct && pairedRatio(target.samples, direct.samples);
  const measured = {
    requestsPerSecond: median(target.samples),
    loadBusy: median(target.busy),
    directBusy: direct && median(direct.busy),
    ratio: ratio?.median,
    origin: target.originLoads.at(-1),
  };
  const { limit, reason } = judgeLimit(measured);
  const notes = [
    ...(plan.direct === undefined || plan.direct === plan.protocol
      ? []
      : [`Past the target, ${plan.direct} was used.`]),
    ...(answer.isStored ? ['A cache has answered: the response has the field Age.'] : []),
    ...(isSelf ? ['Load and origin share a thread.'] : []),
    reason,
    ...queueNote(target, direct),
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
    limited_by: limit,
    note: notes.join(' '),
  };
}

/** A rate that is too high measures how long it is kept up. */
function queueNote(target: Side, direct: Side | undefined): string[] {
  const slowest = Math.min(
    ...[target, ...(direct ? [direct] : [])].map((side) => median(side.samples)),
  );
  return target.rate > slowest
    ? [
        `At ${target.rate} requests/s, more than at full load, requests queue: the latencies grow with --duration.`,
      ]
    : [];
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

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
