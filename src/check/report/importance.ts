import type { Infer } from '../../server/schema.ts';
import { LEVELS, TOPICS, type Risk, type Topic } from '../check.ts';
import type { checkSchema } from './json-schema.ts';

/** What its order depends on. */
type Judged = Pick<Infer<typeof checkSchema>, 'id' | 'level' | 'risk'>;

/** The most important risk first: lost content, which neither side notices. */
const RISK_ORDER: readonly Risk[] = ['data-loss', 'security', 'interop', 'latency'];

const TOPIC_ORDER: readonly Topic[] = ['truncation', 'content', ...TOPICS];

/** Sorts by level, then by risk, then by topic. Among equals, topics of lost content come first. */
export function byImportance<R extends Judged>(results: readonly R[]): R[] {
  return results.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ level, risk, id }: Judged): number {
  const byRisk = LEVELS.indexOf(level) * RISK_ORDER.length + RISK_ORDER.indexOf(risk);
  const topic = TOPIC_ORDER.findIndex((each) => id.startsWith(`${each}/`));
  return byRisk * TOPIC_ORDER.length + topic;
}
