import { LEVELS, TOPICS, type Risk, type Topic } from '../check.ts';

/** A result of this run, or of a report file that a user opens: its texts may be anything. */
export interface Judged {
  readonly id: string;
  readonly outcome: string;
  readonly level: string;
  readonly risk: string;
}

/** The most important risk first: lost content, which neither side notices. */
const RISK_ORDER: readonly Risk[] = ['data-loss', 'security', 'interop', 'latency'];

const TOPIC_ORDER: readonly Topic[] = ['truncation', 'content', ...TOPICS];

/** Sorts by level, then by risk, then by topic. Among equals, topics of lost content come first. */
export function byImportance<R extends Judged>(results: readonly R[]): R[] {
  return results.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ level, risk, id }: Judged): number {
  const levelRank = LEVELS.findIndex((each) => each === level);
  const byRisk = levelRank * RISK_ORDER.length + RISK_ORDER.findIndex((each) => each === risk);
  const topic = TOPIC_ORDER.findIndex((each) => id.startsWith(`${each}/`));
  return byRisk * TOPIC_ORDER.length + topic;
}
