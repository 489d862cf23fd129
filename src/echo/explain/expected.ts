import type { BareItem, Parameters } from '../../http/structured-fields.ts';
import { quoted, type Notes } from './notes.ts';

/** What a value says, or what is wrong with it. */
type Reading = { readonly says: string } | { readonly problem: string };

/** Reads the value of a known key. */
export type Expected = (item: BareItem) => Reading;

/** What is expected of each known key. */
export type Known = Readonly<Record<string, Expected>>;

/** An integer between two bounds, which are included. */
export function integer(min: number, max: number, say: (value: number) => string): Expected {
  return (item) => {
    if (item.type !== 'integer') return wrongType('an integer', item);
    const { value } = item;
    if (value < min || value > max) {
      return { problem: `is ${value}, but has to be from ${min} to ${max}` };
    }
    return { says: say(value) };
  };
}

export function boolean(yes: string, no: string): Expected {
  return (item) =>
    item.type === 'boolean' ? { says: item.value ? yes : no } : wrongType('a boolean', item);
}

/** A token of a table. */
export function tokenOf(words: Readonly<Record<string, string>>): Expected {
  return (item) => {
    if (item.type !== 'token') return wrongType('a token', item);
    const says = Object.hasOwn(words, item.value) ? words[item.value] : undefined;
    return says === undefined
      ? { problem: `is ${quoted(item.value)}, which is unknown` }
      : { says };
  };
}

/** Text of the given types. */
export function text(
  types: readonly ('string' | 'token' | 'display-string')[],
  say: (value: string) => string,
): Expected {
  return (item) => {
    const isText = types.some((type) => type === item.type) && typeof item.value === 'string';
    return isText ? { says: say(quoted(item.value)) } : wrongType(`a ${types.join(' or ')}`, item);
  };
}

function wrongType(what: string, { type }: BareItem): Reading {
  return { problem: `is of type ${type}, but has to be ${what}` };
}

/** Describes a value. @param name the subject of a problem */
export function describeItem(notes: Notes, name: string, item: BareItem, expected: Expected): void {
  const reading = expected(item);
  if ('says' in reading) notes.means(reading.says);
  else notes.problem(`${name} ${reading.problem}.`);
}

/**
 * Reads the parameters of a member.
 *
 * @param name of the member, for problems
 */
export function readParameters(
  notes: Notes,
  name: string,
  parameters: Parameters,
  known: Known,
): string[] {
  const said: string[] = [];
  for (const [key, item] of parameters) {
    const expected = Object.hasOwn(known, key) ? known[key] : undefined;
    const reading = expected?.(item);
    if (!reading) notes.problem(`${name}: the parameter ${quoted(key)} is unknown, and ignored.`);
    else if ('says' in reading) said.push(reading.says);
    else notes.problem(`${name}: ${key} ${reading.problem}.`);
  }
  return said;
}

/** Reports parameters where none are defined. */
export function expectNoParameters(notes: Notes, name: string, parameters: Parameters): void {
  readParameters(notes, name, parameters, {});
}
