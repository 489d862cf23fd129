import type { Operation, Parameter } from './_openapi.ts';

/** More than no time, and soon over: what is spread over it is due at once. */
const SHORT = '0.001';
/** Of an integer without bounds. */
const INT64 = String(2n ** 63n - 1n);
const LONGEST_TEXT = 4096;
/** Characters of a target. */
const TARGET = 12 * 1024;
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
    const values = [...new Set(extremesOf(parameter, TARGET / parameters.length))];
    const all = targets.flatMap(([filled, query]) =>
      values.map((value): Target => {
        if (parameter.in === 'path') return [filled.replace(`{${name}}`, () => value), query];
        return [filled, value === '' ? query : [...query, `${name}=${value}`]];
      }),
    );
    // Each time, because twenty parameters have a million combinations.
    targets = evenly(all, MOST);
  }
  return targets.map(([filled, query]) => {
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
  });
}

/** At most so many of them, evenly spread. */
function evenly<T>(all: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, all.length / most);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** Percent-encoded; '' where a text may be left out. */
function extremesOf(
  { in: place, example, required = false, schema }: Parameter,
  longest: number,
): string[] {
  const { type, enum: words, minimum = 0, maximum = INT64, maxLength = LONGEST_TEXT } = schema;
  const without = place === 'path' || required ? [] : [''];
  const shown = typeof example === 'string' || typeof example === 'number' ? [String(example)] : [];
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
      return [...without, ...shown, 'A'.repeat(Math.min(maxLength, LONGEST_TEXT, longest))];
    default:
      return [...without, ...shown, 'true'];
  }
}
