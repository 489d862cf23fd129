import { counted } from '../check/words.ts';
import { isInvalid, ofSides, type OfSides, type Rounds } from './disturbance.ts';
import { directNote, openEnds } from './limits.ts';
import type { Side } from './measure.ts';
import { measuredSide } from './measured.ts';
import { isSettled, metricsOf, NO_METRICS } from './metrics.ts';
import { comparisonNotes, type RowFacts, type RowPlan } from './notes.ts';
import type { MetricName, Row } from './report/report.ts';
import type { Answer } from './ask.ts';
import { rowRounds, samplesOf, type RowRounds } from './rounds.ts';
import { requestText } from './scenarios.ts';
import { failedSideView, sideView } from './side-view.ts';
import { rowVerdict, unlikeSizes } from './verdict.ts';

const ONE_MACHINE =
  'Load, target and origin share the cores of this machine: the limit may be those. Give each its own with taskset.';

type Head = Pick<Row, 'scenario' | 'protocol' | 'request'>;

const headOf = ({ scenario, protocol }: RowPlan): Head => ({
  scenario: scenario.id,
  protocol,
  request: requestText(scenario),
});

type Judged = Pick<Row, 'metrics' | 'limited_by' | 'verdict' | 'change'> & {
  readonly notes: readonly string[];
};

/** The row of a measured scenario. */
export function measuredRow(facts: RowFacts, sides: OfSides<Side>): Row {
  const { isSelf, isOneMachine, plan, answer } = facts;
  const isShared = isOneMachine && !isSelf;
  const rounds = rowRounds(sides, isShared);
  const { notes, metrics, ...verdict } = rounds.isInvalid
    ? disturbed(rounds, comparisonNotes(facts, sides))
    : judged(facts, sides, rounds, isShared);
  const views = ofSides(rounds.sides, sideView);
  const { full, fixed } = rounds;
  return {
    ...headOf(plan),
    response_bytes: answer.length,
    target: views.target,
    baseline: views.baseline ?? null,
    direct: views.direct ?? null,
    metrics,
    disturbed_rounds: {
      full_load: full.done - full.kept.length,
      fixed_rate: fixed.done - fixed.kept.length,
    },
    ...verdict,
    note: notes.join(' '),
  };
}

function judged(
  facts: RowFacts,
  sides: OfSides<Side>,
  rounds: RowRounds,
  isShared: boolean,
): Judged {
  const { isSelf } = facts;
  const { full, fixed, sides: kept } = rounds;
  const measured = ofSides(kept, (side) => measuredSide(side, kept.direct, isShared));
  const { target } = measured;
  const compared = kept.baseline ?? kept.direct;
  const baseline = measured.baseline ?? measured.direct;
  const metrics = compared
    ? metricsOf(samplesOf(kept.target, compared), openEnds(target, baseline))
    : NO_METRICS;
  const isOrigin = measured.baseline === undefined;
  return {
    metrics,
    limited_by: target.limit,
    ...rowVerdict({
      protocol: facts.plan.protocol,
      metrics,
      target,
      baseline,
      isOrigin,
      isSelf,
      unlike: unlikeness(facts),
    }),
    notes: [
      ...droppedNotes(full, fixed),
      ...comparisonNotes(facts, sides),
      target.reason,
      ...(isShared && /^(?:target|unknown)$/.test(target.limit) ? [ONE_MACHINE] : []),
      ...(isOrigin ? [directNote(target) ?? []].flat() : []),
    ],
  };
}

/** Why requests to target and baseline are not alike; undefined if they are. */
function unlikeness({ plan, answer, baselineAnswer }: RowFacts): string | undefined {
  if (!baselineAnswer) return undefined;
  if (plan.baseline !== plan.protocol)
    return `The baseline does not speak ${plan.protocol}. Compare them on one that both speak (--protocol).`;
  return unlikeSizes(answer.length, baselineAnswer.length);
}

/** Metrics for which rounds go on, of both kinds of rounds. */
const CLEARED = {
  fullLoads: ['requests_per_second', 'cpu_us_per_request'],
  rateRounds: ['p50_ms', 'p99_ms'],
} as const satisfies Record<string, readonly MetricName[]>;

/** Whether further rounds would not tell more, or there is nothing to compare with. */
export function isClear(
  of: keyof typeof CLEARED,
  { isOneMachine, isSelf }: Pick<RowFacts, 'isOneMachine' | 'isSelf'>,
  sides: OfSides<Side>,
): boolean {
  const { target, baseline, direct } = rowRounds(sides, isOneMachine && !isSelf).sides;
  const compared = baseline ?? direct;
  if (!compared) return true;
  const metrics = metricsOf(samplesOf(target, compared));
  return CLEARED[of].every((name) => {
    const isUnknown = name === 'cpu_us_per_request' && metrics[name] === null;
    return isUnknown || isSettled(metrics[name]);
  });
}

const ADVICE =
  'Give load, target and origin cores of their own (taskset), or measure where nothing else runs.';

function disturbed({ full, fixed }: RowRounds, notes: readonly string[]): Judged {
  const texts = [
    ...(isInvalid(full) ? [droppedText(full, 'at full load')] : []),
    ...(isInvalid(fixed) ? [droppedText(fixed, 'at the fixed rate')] : []),
  ];
  return {
    metrics: NO_METRICS,
    limited_by: 'invalid',
    verdict: 'invalid',
    change: `${texts.join(' ')} ${ADVICE}`,
    notes,
  };
}

function droppedNotes(full: Rounds, fixed: Rounds): string[] {
  return [
    ...(full.disturbance === undefined ? [] : [droppedText(full, 'at full load')]),
    ...(fixed.disturbance === undefined ? [] : [droppedText(fixed, 'at the fixed rate')]),
  ];
}

const droppedText = ({ done, kept, disturbance = '' }: Rounds, where: string): string =>
  `${done - kept.length} of ${counted(done, 'round')} ${where} ${done - kept.length === 1 ? 'was' : 'were'} dropped: ${disturbance}.`;

/** The row of a scenario that was not measured, because its first response was wrong. */
export function failedRow(plan: RowPlan, answers: OfSides<Answer>): Row {
  const { target, baseline, direct } = ofSides(answers, failedSideView);
  const failed = [
    [answers.target, 'through the target'],
    [answers.baseline, 'through the baseline'],
    [answers.direct, 'past the target'],
  ] as const;
  const [answer, where] = failed.find(([each]) => each?.failure !== undefined) ?? failed[0];
  return {
    ...headOf(plan),
    response_bytes: answers.target.length,
    target,
    baseline: baseline ?? null,
    direct: direct ?? null,
    metrics: NO_METRICS,
    disturbed_rounds: { full_load: 0, fixed_rate: 0 },
    limited_by: 'unknown',
    verdict: 'undecided',
    change: null,
    note: `Not measured: ${answer?.failure ?? ''} ${where}.`,
  };
}
