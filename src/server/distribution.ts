import { invalidParameter } from '../http/problem.ts';
import { splitList } from './params.ts';

/** A value with its weight or percentage. */
export interface Choice<T> {
  readonly value: T;
  readonly weight: number;
}

const SHARE = /^([^:]*):(\d+(?:\.\d+)?)%?$/;

/**
 * Parses percentages such as `10ms:50,100ms:5`, optionally with `%`.
 *
 * @param parse parses one value
 * @param rest value for the remaining percentage
 * @throws Problem invalid-parameter
 */
export function percentages<T>(
  text: string,
  name: string,
  parse: (text: string, name: string) => T,
  rest: T,
): readonly Choice<T>[] {
  const choices = splitList(text, name).map((element) => {
    const [, value, percent] = SHARE.exec(element) ?? [];
    if (value === undefined) throw invalidParameter(name, element, 'is not value:percentage');
    return { value: parse(value, name), weight: Number(percent) };
  });
  const total = totalWeight(choices);
  // Tolerates rounding errors in sums of fractions.
  if (total > 100 + 1e-9) throw invalidParameter(name, text, `exceeds 100%: ${total}% in all`);
  return [...choices, { value: rest, weight: Math.max(0, 100 - total) }];
}

export function totalWeight(choices: readonly Choice<unknown>[]): number {
  return choices.reduce((sum, { weight }) => sum + weight, 0);
}

/** Picks a value at random by weight; undefined if all weights are 0. */
export function pick<T>(choices: readonly Choice<T>[]): T | undefined {
  let rest = Math.random() * totalWeight(choices);
  return choices.find(({ weight }) => (rest -= weight) < 0)?.value;
}
