import type { Operation, Parameter } from './_openapi.ts';

/** More than no time, and soon over: what is spread over it is due at once. */
const SHORT = '0.001';
/** Of an integer without bounds. */
const INT64 = String(2n ** 63n - 1n);
const LONGEST_TEXT = 4096;
/** Characters that JSON writes as two, for parameters of any name. */
const ANYTHING = '%22'.repeat(3500);
/** Combinations of an operation. */
const MOST = 250;

type Target = readonly [path: string, query: readonly string[]];

/**
 * Targets of an operation with the largest and the smallest values of its parameters, in all
 * combinations. Text is as long as fits beside others.
 */
export function extremeTargets(path: string, { parameters }: Operation): string[] {
  let targets: readonly Target[] = [[path, []]];
  for (const parameter of parameters) {
    const { name } = parameter;
    const values = [...new Set(extremesOf(parameter))];
    targets = targets.flatMap(([filled, query]) =>
      values.map((value): Target => {
        if (parameter.in === 'path') return [filled.replace(`{${name}}`, () => value), query];
        return [filled, value === '' ? query : [...query, `${name}=${value}`]];
      }),
    );
  }
  const step = Math.max(1, targets.length / MOST);
  return targets
    .filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
    .map(([filled, query]) => (query.length > 0 ? `${filled}?${query.join('&')}` : filled));
}

/** Percent-encoded; '' where a text may be left out. */
function extremesOf({ in: place, example, required = false, schema }: Parameter): string[] {
  const { type, enum: words, minimum = 0, maximum = INT64, maxLength = LONGEST_TEXT } = schema;
  const without = place === 'path' || required ? [] : [''];
  const shown = example === undefined ? [] : [String(example)];
  switch (words ? 'words' : type) {
    case 'words':
      return [words?.[0], words?.at(-1)].map((word) => encodeURIComponent(String(word)));
    case 'integer':
      return [String(minimum), String(maximum)];
    case 'number':
      return [String(minimum), SHORT, String(maximum)];
    case 'object':
      return [...without, ANYTHING];
    case 'string':
      return [...without, ...shown, 'A'.repeat(Math.min(maxLength, LONGEST_TEXT))];
    default:
      return [...without, ...shown, 'true'];
  }
}
