import type { Side } from './measure.ts';
import type { Answer, Protocol } from './protocol.ts';
import type { Scenario } from './scenarios.ts';

/** A scenario on a protocol of the target. */
export interface RowPlan {
  readonly scenario: Scenario;
  readonly protocol: Protocol;
  /** What the direct side uses; undefined without one. */
  readonly direct: Protocol | undefined;
}

/** What the figures of a row rest on. */
export interface RowFacts {
  readonly plan: RowPlan;
  readonly answer: Answer;
  /** Whether the origin runs in the process of the load. */
  readonly isSelf: boolean;
  /** Whether target and origin run on the machine of the load. */
  readonly isOneMachine: boolean;
  /** Whether there is TLS on the way to the target, and none on the way past it. */
  readonly isTlsAdded: boolean;
  /** How many rounds there were to be; undefined if the run was not interrupted. */
  readonly roundsToDo: number | undefined;
}

/** What is known of a side. */
export type SideFacts = Pick<
  Side,
  'samples' | 'latencies' | 'latencyRounds' | 'rate' | 'concurrency'
>;

/** Notes on how the two sides were measured. */
export function comparisonNotes(
  { plan, answer, isSelf, isTlsAdded, roundsToDo }: RowFacts,
  target: SideFacts,
  direct: SideFacts | undefined,
): string[] {
  return [
    ...(roundsToDo === undefined
      ? []
      : roundsNote(roundsToDo, direct ? [target, direct] : [target])),
    ...(plan.direct === undefined || plan.direct === plan.protocol
      ? []
      : [`Past the target, ${plan.direct} was used.`]),
    ...(isTlsAdded ? ['Past the target, there is no TLS: what the target adds includes it.'] : []),
    ...(answer.isStored ? ['A cache has answered: the response has the field Age.'] : []),
    ...(isSelf ? ['Load and origin share a thread.'] : []),
    ...queueNote(target, direct),
  ];
}

/** Rows that were finished before the interruption have all rounds. */
function roundsNote(all: number, sides: readonly SideFacts[]): string[] {
  const full = Math.min(...sides.map(({ samples }) => samples.length));
  const fixed = Math.min(...sides.map(({ latencyRounds }) => latencyRounds.length));
  return full === all && fixed === all
    ? []
    : [
        `Interrupted: of ${all} rounds, ${full} at full load and ${fixed} at the fixed rate are finished.`,
      ];
}

function queueNote(target: SideFacts, direct: SideFacts | undefined): string[] {
  const isPast = direct !== undefined && isQueue(direct);
  if (!isQueue(target) && !isPast) return [];
  const where = isQueue(target)
    ? `Through the target${isPast ? ' and past it' : ''}`
    : 'Past the target';
  const rate = target.rate.toLocaleString('en');
  return [
    `${where}, ${rate} requests/s were too many: they waited for one another, and latencies are those of this queue. Lower --rate.`,
  ];
}

/**
 * Whether more requests were unfinished, half of the time, than can be sent at the same time. That is so whenever
 * fewer are completed than are due (Little's law).
 */
function isQueue({ latencies, rate, concurrency }: SideFacts): boolean {
  return ((latencies.percentiles?.p50 ?? 0) * rate) / 1000 > concurrency;
}
