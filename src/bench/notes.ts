import { counted } from '../check/words.ts';
import { isQueued, percent, type OfSides } from './disturbance.ts';
import type { Side } from './measure.ts';
import type { Answer } from './ask.ts';
import type { Protocol } from './protocol.ts';
import { median } from './ratio.ts';
import type { Scenario } from './scenarios.ts';

/** A scenario on a protocol of the target. */
export interface RowPlan {
  readonly scenario: Scenario;
  readonly protocol: Protocol;
  /** Protocols of the other sides; undefined for one that is not measured. */
  readonly baseline: Protocol | undefined;
  readonly direct: Protocol | undefined;
}

/** Facts about the measurement of a row. */
export interface RowFacts {
  readonly plan: RowPlan;
  readonly answer: Answer;
  /** The first response of the baseline, unless that is the origin. */
  readonly baselineAnswer: Answer | undefined;
  /** Whether the origin runs in the process of the load generator. */
  readonly isSelf: boolean;
  /** Whether target and origin run on the machine of the load generator. */
  readonly isOneMachine: boolean;
  /** The one that is reached by TLS, if the other is not: the target, or what it is compared with. */
  readonly tlsOf: 'target' | 'baseline' | undefined;
  /** Planned number of rounds, if the run was interrupted; otherwise undefined. */
  readonly roundsToDo: number | undefined;
}

/** The measurements of a side that notes are about. */
export type SideFacts = Pick<Side, 'fullLoads' | 'rateRounds' | 'rate' | 'tooHighRate'>;

/** Notes on how the two sides were measured. */
export function comparisonNotes(
  { plan, answer, isSelf, tlsOf, roundsToDo }: RowFacts,
  { target, baseline, direct }: OfSides<SideFacts>,
): string[] {
  return [
    ...(roundsToDo === undefined
      ? []
      : roundsNote(
          roundsToDo,
          [target, baseline, direct].flatMap((side) => side ?? []),
        )),
    ...(plan.baseline === undefined || plan.baseline === plan.protocol
      ? []
      : [`With the baseline, ${plan.baseline} was used.`]),
    ...(plan.direct === undefined || plan.direct === plan.protocol
      ? []
      : [`Past the target, ${plan.direct} was used.`]),
    ...(tlsOf === undefined
      ? []
      : [tlsNote(tlsOf, baseline ? 'With the baseline' : 'Past the target')]),
    ...(answer.isStored ? ['A cache has answered: the response has the field Age.'] : []),
    ...(isSelf ? ['Load and origin share a thread.'] : []),
    ...rateNote(target),
    ...queueNote(target, 'through the target'),
    ...(baseline ? queueNote(baseline, 'through the baseline') : []),
    ...(direct ? queueNote(direct, 'past the target') : []),
  ];
}

const tlsNote = (of: 'target' | 'baseline', where: string): string =>
  of === 'target'
    ? `${where}, there is no TLS: what the target adds includes it.`
    : `${where}, there is TLS, and with the target none: what the target adds is without it.`;

/** A note on missing rounds. None for rows that were finished before the interruption. */
function roundsNote(all: number, sides: readonly SideFacts[]): string[] {
  const full = Math.min(...sides.map(({ fullLoads }) => fullLoads.length));
  const fixed = Math.min(...sides.map(({ rateRounds }) => rateRounds.length));
  return full === all && fixed === all
    ? []
    : [
        `Interrupted: of ${all} rounds, ${full} at full load and ${fixed} at the fixed rate are finished.`,
      ];
}

function rateNote({ rate, tooHighRate }: SideFacts): string[] {
  if (tooHighRate === undefined) return [];
  const [high, low] = [tooHighRate, rate].map((value) => value.toLocaleString('en'));
  return [
    `${high} requests/s were too many, since requests waited for others: latencies are those at ${low}.`,
  ];
}

/** A note on stalls, or on a rate that is kept at times only. */
function queueNote({ rateRounds }: SideFacts, where: string): string[] {
  const shares = rateRounds.map(({ queued }) => queued).filter(isQueued);
  if (shares.length === 0) return [];
  return [
    `In ${shares.length} of ${counted(rateRounds.length, 'round')} at the fixed rate, ${percent(median(shares))} of the requests ${where} waited for others.`,
  ];
}
