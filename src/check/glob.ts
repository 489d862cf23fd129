import { matcherOf } from '../http/pattern.ts';

/** Whether an id matches one of the globs, in which `*` stands for any characters. */
export function matchesAny(id: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matcherOf(glob)(id));
}
