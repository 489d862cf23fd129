import { didYouMean, editDistance, nearest } from '../http/nearest.ts';
import { Problem } from '../http/problem.ts';
import { givenAgain, percentDecode, type QueryPairs } from '../http/query.ts';
import type { Parameter } from './params.ts';

export type Values<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer T> ? T : never;
};

/** The parameter that `wirebin check` appends to its targets, so that no cache has a response for them. */
export const UNIQUE_PARAMETER = 'check';

/** Maximum edit distance at which a name is a misspelling of a declared one, if any names are allowed. */
const MAX_TYPOS = 2;

/**
 * Checks that all pairs have declared names.
 *
 * @param of what declares the names, such as a path
 * @param hasOthers true if other names are allowed, unless they are close to a declared one
 * @throws Problem invalid-parameter
 */
export function checkNames(
  pairs: readonly (readonly [name: string, value: unknown])[],
  names: readonly string[],
  of: string,
  hasOthers = false,
): void {
  for (const [name] of pairs) {
    if (names.includes(name) || name === UNIQUE_PARAMETER) continue;
    const near = nearest(name.toLowerCase(), names);
    if (hasOthers && (near === undefined || editDistance(name, near) > MAX_TYPOS)) continue;
    const hint = near === undefined ? `it has ${names.join(', ')}` : didYouMean(near);
    throw new Problem('invalid-parameter', `${name} is not a parameter of ${of}; ${hint}`);
  }
}

type Parser<Source, Parameters> = (source: Source) => Values<Parameters>;

/** Makes a parser of the declared path parameters. */
export function pathParser<Parameters extends object>(
  parameters: Parameters | undefined,
  path: string,
): Parser<readonly string[], Parameters> {
  const entries = parameterEntries(parameters);
  const names = [...path.matchAll(/[{*](\w+)/g)].map(([, name]) => name);
  // The parameter of a wildcard decodes its value itself, because that may be any path.
  const isWildcard = path.includes('*');
  return (segments) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      const segment = segments[names.indexOf(name)];
      const value = isWildcard ? segment : decodedSegment(segment, name);
      values[name] = parameter.parse(value, name);
    }
    // TypeScript cannot build a mapped type in a loop. Each value has its parameter's type.
    return values as Values<Parameters>;
  };
}

/**
 * Makes a parser of the declared query parameters, which ignores others. It reads the pairs once, however many
 * parameters are declared. If a request has none of them, it returns the same object each time.
 */
export function queryParser<Parameters extends object>(
  parameters: Parameters | undefined,
): Parser<QueryPairs, Parameters> {
  const entries = parameterEntries(parameters);
  const names = new Set(entries.map(([name]) => name));
  const hasRequired = entries.some(([, { required }]) => required);
  /** The values of absent parameters; undefined for required ones. */
  const absent = Object.fromEntries(
    entries.map(([name, parameter]) => [
      name,
      parameter.required ? undefined : parameter.parse(undefined, name),
    ]),
  );
  return (pairs) => {
    const given = valuesByName(pairs, names);
    // TypeScript cannot build a mapped type in a loop.
    if (!given && !hasRequired) return absent as Values<Parameters>;
    const values: Record<string, unknown> = { ...absent };
    for (const [name, parameter] of entries) {
      const texts = given?.get(name);
      if (texts) values[name] = parsed(parameter, texts, name);
      else if (parameter.required) values[name] = parameter.parse(undefined, name);
    }
    return values as Values<Parameters>;
  };
}

function parsed(parameter: Parameter<unknown>, texts: readonly string[], name: string): unknown {
  if (parameter.parseAll) return parameter.parseAll(texts, name);
  if (texts.length > 1) throw givenAgain(name);
  return parameter.parse(texts[0], name);
}

/** The values of pairs with the given names, by name; undefined if there are none. */
function valuesByName(
  pairs: QueryPairs,
  names: ReadonlySet<string>,
): Map<string, string[]> | undefined {
  let found: Map<string, string[]> | undefined;
  for (const [name, value] of pairs) {
    if (!names.has(name)) continue;
    found ??= new Map();
    const before = found.get(name);
    if (before) before.push(value);
    else found.set(name, [value]);
  }
  return found;
}

function parameterEntries(parameters: object | undefined): [string, Parameter<unknown>][] {
  return Object.entries<Parameter<unknown>>({ ...parameters });
}

function decodedSegment(segment: string | undefined, name: string): string | undefined {
  if (segment === undefined) return undefined;
  const decoded = percentDecode(segment);
  if (decoded === undefined) {
    throw new Problem('invalid-parameter', `${name}=${segment} has a malformed percent-encoding`);
  }
  return decoded;
}
