import { encodeFieldText } from '../../http/fields.ts';
import { parseJson } from '../../http/json-content.ts';
import { invalid, Problem } from '../../http/problem.ts';
import { parseQuery, type QueryPairs } from '../../http/query.ts';
import { checkNames, queryParser } from '../../server/parse-parameters.ts';
import {
  arrayOf,
  mapSchema,
  objectSchema,
  stringOrStrings,
  TEXT,
  type JsonSchema,
} from '../../server/schema.ts';
import { checkDescription } from './contradictions.ts';
import { responseParameters, type Description } from './parameters.ts';

/** Maximum values in JSON: each of them is parsed and checked. */
const MAX_VALUES = 2000;
/** Maximum characters of a value other than content, as in a query: it is parsed without a break. */
const MAX_VALUE = 16 * 1024;
const CONTENT = new Set(['body', 'base64']);

/** Field lines as texts, or as an object of values. */
const LINES: JsonSchema = { anyOf: [arrayOf(TEXT), mapSchema(stringOrStrings())] };

/** Reads descriptions of responses. Each method throws a Problem that says what is wrong, and where. */
export class DescriptionReader {
  /** Parameters of a query that describes a response. */
  readonly parameters: ReturnType<typeof responseParameters>;
  readonly #parse: (pairs: QueryPairs) => Description;
  readonly #names: readonly string[];
  /** The description that gives nothing. */
  readonly #empty: Description;
  /** Schema of a description as JSON. */
  readonly schema: JsonSchema;

  /** @param max maximum of each duration, in seconds */
  constructor(max: number) {
    const parameters = responseParameters(max);
    this.parameters = parameters;
    this.#parse = queryParser<typeof parameters>(parameters);
    this.#empty = this.#parse([]);
    this.#names = Object.keys(parameters);
    // Without descriptions, which the query's parameters of the same names have.
    const properties = Object.entries(parameters).map(([name, { schema }]) => {
      const { description: _, examples: _examples, ...rest } = schema;
      return [name, isList(name) ? LINES : rest] as const;
    });
    const schema = objectSchema('Description', Object.fromEntries(properties), this.#names);
    // Without a default, importers give all properties a value, and some exclude each other.
    this.schema = { ...schema, default: {} };
  }

  /** Reads a description as text, like a query. @param place where it is, for the error */
  readText(text: string, place: string): Description {
    return readAt(place, () => {
      const pairs = parseQuery(text, 'latin1');
      this.#checkNames(pairs);
      return this.#read(pairs);
    });
  }

  /** Reads a description as JSON. @param place as in `readText` */
  readJson(value: unknown, place: string): Description {
    return readAt(place, () => {
      if (!isObject(value)) throw invalid('a description is an object');
      // Before the values, whose form depends on the name.
      this.#checkNames(Object.entries(value));
      return this.#read(pairsOf(value));
    });
  }

  #checkNames(pairs: readonly (readonly [name: string, value: unknown])[]): void {
    checkNames(pairs, this.#names, '/respond');
  }

  #read(pairs: QueryPairs): Description {
    // A query has room for 2,300 of them.
    if (pairs.length === 0) return this.#empty;
    const description = this.#parse(pairs);
    checkDescription(description);
    return description;
  }
}

/** Adds to a Problem where it is. */
function readAt<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, `${place}: ${error.message}`);
  }
}

/** Maximum bytes of a description as JSON, whatever --max-body-size is: it is parsed at once. */
const MAX_JSON = 2 * 1024 * 1024;

function wrongContent(what: string): Problem {
  return new Problem('invalid-content', `the description ${what}`);
}

/** Parses content as JSON. @throws Problem invalid-content with the position of the error, or the bound exceeded */
export function describedJson(content: Buffer): unknown {
  if (content.length > MAX_JSON) {
    throw wrongContent(`has ${content.length} bytes, the maximum is ${MAX_JSON}`);
  }
  try {
    return parseJson(content.toString());
  } catch (error) {
    if (error instanceof RangeError) throw wrongContent(error.message);
    throw wrongContent(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A description as an object, in the form of a query. @throws Problem */
function pairsOf(description: Readonly<Record<string, unknown>>): QueryPairs {
  const pairs: (readonly [string, string])[] = [];
  for (const [name, value] of Object.entries(description)) {
    for (const pair of valuePairs(name, value)) {
      if (pairs.push(pair) > MAX_VALUES) throw invalid(`there are more than ${MAX_VALUES} values`);
    }
  }
  // Content that is JSON itself.
  const { body, type } = description;
  if (typeof body === 'object' && type === undefined) pairs.push(['type', 'application/json']);
  const long = pairs.find(([name, value]) => value.length > MAX_VALUE && !CONTENT.has(name));
  if (long) throw invalid(`${long[0]} has more than ${MAX_VALUE} characters`);
  return pairs.map(([name, value]) => [name, encodeFieldText(value)]);
}

function* valuePairs(name: string, value: unknown): Generator<readonly [string, string]> {
  if (name === 'body' && typeof value === 'object') yield [name, JSON.stringify(value)];
  else if (isList(name) && Array.isArray(value)) {
    for (const [at, line] of value.entries()) yield [name, scalarText(line, `${name}[${at}]`)];
  } else if (isList(name) && isObject(value)) {
    for (const [field, lines] of Object.entries(value)) {
      for (const line of [lines].flat()) {
        yield [name, `${field}: ${scalarText(line, `${name}.${field}`)}`];
      }
    }
  } else if (Array.isArray(value)) {
    if (value.length > MAX_VALUES) throw invalid(`${name} has more than ${MAX_VALUES} values`);
    yield [name, value.map((item) => scalarText(item, name)).join(',')];
  } else yield [name, scalarText(value, name)];
}

/** Whether a member is a list of field lines, or an object of them. */
function isList(name: string): boolean {
  return name === 'trailer' || name.endsWith('header');
}

function scalarText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalid(`${path} is neither text nor a number`);
}
