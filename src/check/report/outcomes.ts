import { OUTCOMES, TOPICS, type Outcome } from '../check.ts';

/** The number of results with each outcome. */
export function countOutcomes(
  results: readonly { readonly outcome: Outcome }[],
): Record<Outcome, number> {
  const counts = {
    pass: 0,
    fail: 0,
    differs: 0,
    'not-applicable': 0,
    blocked: 0,
    flaky: 0,
    error: 0,
  };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

/** A table of topics with the number of results for each outcome. Topics and outcomes without results are left out. */
export function outcomesByTopic(
  results: readonly { readonly id: string; readonly outcome: Outcome }[],
): {
  readonly outcomes: readonly Outcome[];
  readonly rows: readonly (readonly string[])[];
} {
  const outcomes = OUTCOMES.filter((name) => results.some(({ outcome }) => outcome === name));
  const rows = TOPICS.flatMap((topic) => {
    const ofTopic = results.filter(({ id }) => id.startsWith(`${topic}/`));
    const counts = outcomes.map(
      (name) => ofTopic.filter(({ outcome }) => outcome === name).length || '',
    );
    return ofTopic.length === 0 ? [] : [[topic, ...counts.map(String)]];
  });
  return { outcomes, rows };
}
