import { recordOf, recordsOf, type Known } from '../known.ts';
import { PRODUCTS_WITH_DIRECTIVES, type Directives } from '../remedy.ts';
import type { Result } from '../result.ts';
import type { ShownRemedy } from './remedy-words.ts';

/** What to do about a result, by what is known of the target; undefined if there is nothing to say. */
export function shownRemedy(
  { id, outcome, remedy }: Pick<Result, 'id' | 'outcome' | 'remedy'>,
  known: Known | undefined,
): ShownRemedy | undefined {
  if (outcome !== 'fail' && outcome !== 'differs') return undefined;
  const records = recordsOf(known);
  const passing = records.flatMap(({ product, later }) =>
    later?.passes.has(id) === true ? [recordOf({ product, version: later.version })] : [],
  );
  if (!remedy && passing.length === 0) return undefined;
  const isKnown = (product: string): boolean => records.some((each) => each.product === product);
  return {
    advice: remedy?.advice,
    directives: directivesOf(remedy?.directives, isKnown),
    passes_in: passing.length === 0 ? undefined : passing.join(' and '),
  };
}

/** The directives of these products. */
export const directivesOf = (
  directives: Directives = {},
  isShown: (product: string) => boolean = () => true,
): ShownRemedy['directives'] =>
  PRODUCTS_WITH_DIRECTIVES.filter(isShown).flatMap((product) =>
    (directives[product] ?? []).map(([place, ...lines]) => ({ product, place, lines })),
  );
