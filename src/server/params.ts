import { COOKIE_TEXT, INVALID_COOKIE_TEXT } from '../http/cookies.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { parseGoDuration } from '../http/go-duration.ts';
import { textLike, type JsonSchema } from './schema.ts';

/** A path or query parameter: its documentation, and how it is parsed if present or absent. */
export interface Parameter<T> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Whether the index page fills in a random value, because other clients may be using the example. */
  readonly isRandom?: boolean;
  /** @throws Problem invalid-parameter with name, value and limit */
  parse(text: string | undefined, name: string): T;
  /** Parses all values of a parameter that may be repeated; used instead of `parse`. */
  parseAll?(texts: readonly string[], name: string): T;
}

/** A required parameter. @param parse as in `Parameter` */
export function required<T>(
  schema: JsonSchema,
  parse: (text: string, name: string) => T,
): Parameter<T> {
  return {
    schema,
    required: true,
    parse(text, name) {
      if (text === undefined) throw new Problem('invalid-parameter', `${name} is required`);
      return parse(text, name);
    },
  };
}

/** Makes a parameter optional. An empty value is not an absent one. */
export function optional<T, D extends T | undefined>(
  parameter: Parameter<T>,
  fallback: D,
): Parameter<T | D> {
  const { schema } = parameter;
  const documented =
    typeof fallback === 'number' || typeof fallback === 'string' || typeof fallback === 'boolean'
      ? { ...schema, default: fallback }
      : schema;
  return {
    schema: documented,
    required: false,
    parse: (text, name) => (text === undefined ? fallback : parameter.parse(text, name)),
  };
}

/** Makes a parameter that may be given any number of times. */
export function repeated<T>(parameter: Parameter<T>): Parameter<readonly T[]> {
  const parseAll = (texts: readonly string[], name: string): readonly T[] =>
    texts.map((text, at) => parameter.parse(text, texts.length > 1 ? `${name}[${at}]` : name));
  return {
    schema: { type: 'array', items: parameter.schema },
    required: false,
    parse: (text, name) => parseAll(text === undefined ? [] : [text], name),
    parseAll,
  };
}

/** Adds a description before the existing one. */
export function described<P extends Parameter<unknown>>(description: string, parameter: P): P {
  const { schema } = parameter;
  const both = [description, schema.description].filter(Boolean).join(' ');
  return { ...parameter, schema: { ...schema, description: both } };
}

/** Splits a list at commas. @throws Problem invalid-parameter if an element is empty */
export function splitList(text: string, name: string): string[] {
  const elements = text.split(',');
  if (elements.length > 1 && elements.includes('')) {
    throw invalidParameter(name, text, 'has an empty element');
  }
  return elements;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

function bounded(value: number, text: string, name: string, { min, max }: Bounds): number {
  if (value > max) throw invalidParameter(name, text, `exceeds the maximum of ${max}`);
  if (value < min) throw invalidParameter(name, text, `is below the minimum of ${min}`);
  return value;
}

export const NOT_A_WHOLE_NUMBER = 'is not a whole decimal number';

const DIGITS = /^\d+$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;

/** Excludes numbers below 0.0001 from a schema: programs write them with an exponent, which is not accepted. */
const WITHOUT_EXPONENT = { not: { exclusiveMinimum: 0, exclusiveMaximum: 1e-4 } };

/** Pattern of all numbers. Without it, some importers fill in `<integer>` for one without a default. */
const BEGINS_WITH_DIGIT = String.raw`^\d`;

/** A parameter of decimal digits, without sign, exponent or white space. */
export function int(bounds: Bounds): Parameter<number> {
  const format = bounds.max > 2 ** 31 - 1 ? 'int64' : 'int32';
  return required(
    {
      type: 'integer',
      format,
      pattern: BEGINS_WITH_DIGIT,
      minimum: bounds.min,
      maximum: bounds.max,
    },
    (text, name) => {
      if (!DIGITS.test(text)) throw invalidParameter(name, text, NOT_A_WHOLE_NUMBER);
      return bounded(Number(text), text, name, bounds);
    },
  );
}

const INT64_MAX = 2n ** 63n - 1n;

/** A parameter of decimal digits up to 2^63 - 1. A bigint, because a number would be rounded. */
export const int64: Parameter<bigint> = required(
  { type: 'integer', format: 'int64', pattern: BEGINS_WITH_DIGIT, minimum: 0 },
  (text, name) => {
    if (!DIGITS.test(text)) throw invalidParameter(name, text, NOT_A_WHOLE_NUMBER);
    const digits = text.replace(/^0+(?=\d)/, '');
    // Check the length first: BigInt() takes more than linear time.
    if (digits.length > 19 || BigInt(digits) > INT64_MAX) {
      throw invalidParameter(name, text, `exceeds the maximum of ${INT64_MAX}`);
    }
    return BigInt(digits);
  },
);

/** A parameter of decimal digits with an optional fraction, such as `0.25`. */
export function decimal(bounds: Bounds): Parameter<number> {
  const { min: minimum, max: maximum } = bounds;
  const schema = { type: 'number', pattern: BEGINS_WITH_DIGIT, minimum, maximum } as const;
  return required({ ...schema, ...WITHOUT_EXPONENT }, (text, name) => {
    if (!DECIMAL.test(text)) throw invalidParameter(name, text, 'is not a decimal number');
    return bounded(Number(text), text, name, bounds);
  });
}

/** How to write a duration. Ends the description of every duration parameter. */
export const DURATION_FORM = 'Seconds, or a duration with its unit: `250ms`, `1m30s`.';

/**
 * A parameter in seconds with an optional fraction (`0.25`), or as a Go duration (`250ms`, `1m30s`).
 *
 * @param max in seconds
 * @param min in seconds
 */
export function duration(max: number, min = 0): Parameter<number> {
  const bounds = { min, max };
  const numbers = { pattern: BEGINS_WITH_DIGIT, minimum: min, maximum: max, ...WITHOUT_EXPONENT };
  return required({ type: 'number', ...numbers, description: DURATION_FORM }, (text, name) => {
    const seconds = DECIMAL.test(text) ? Number(text) : parseGoDuration(text);
    if (seconds === undefined || !/^[\d.]/.test(text)) {
      throw invalidParameter(
        name,
        text,
        'is neither a number of seconds nor a duration such as 250ms',
      );
    }
    return bounded(seconds, text, name, bounds);
  });
}

export function anyText(description?: string): Parameter<string> {
  return required({ type: 'string', ...(description && { description }) }, (value) => value);
}

/**
 * A parameter that matches a pattern, which the schema documents.
 *
 * @param message what is wrong with other values, such as `has a colon`
 */
export function matching(
  pattern: RegExp,
  message: string,
  schema: Pick<JsonSchema, 'description' | 'examples'> = {},
): Parameter<string> {
  return required({ type: 'string', pattern: pattern.source, ...schema }, (text, name) => {
    if (!pattern.test(text)) throw invalidParameter(name, text, message);
    return text;
  });
}

/**
 * A parameter with one of the given words.
 *
 * @param isSame compares a word with the value. Default: equality
 */
export function oneOf<const T extends string>(
  words: readonly T[],
  isSame: (word: string, text: string) => boolean = Object.is,
): Parameter<T> {
  return required({ type: 'string', enum: words }, (value, name) => {
    const word = words.find((candidate) => isSame(candidate, value));
    if (word === undefined)
      throw invalidParameter(name, value, `is not one of ${words.join(', ')}`);
    return word;
  });
}

export function equalsIgnoreCase(word: string, text: string): boolean {
  return word.toLowerCase() === text.toLowerCase();
}

/** A parameter that is on if empty, `true` or `1`; off if absent, `false` or `0`. Case-insensitive. */
export const flag: Parameter<boolean> = {
  schema: {
    title: 'Flag',
    anyOf: [
      // Importers use the first choice only, and its default.
      { type: 'boolean', default: false },
      { type: 'string', pattern: '^(?:[01]|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])?$' },
    ],
    default: false,
  },
  required: false,
  parse(value, name) {
    const word = value?.toLowerCase();
    if (word === undefined || word === 'false' || word === '0') return false;
    if (word === '' || word === 'true' || word === '1') return true;
    throw invalidParameter(name, value ?? '', 'is not one of true, 1, false, 0 or empty');
  },
};

const userId = matching(/^[^:]*$/, 'has a colon');

/** A user name for Basic authentication. A colon would end it (RFC 7617 2). */
export const basicUser = {
  ...userId,
  schema: { ...textLike('example', userId.schema), description: 'The user, without a colon.' },
};

/** A parameter with the value of a cookie or of a cookie attribute. */
export function cookieText(description: string): Parameter<string> {
  return matching(COOKIE_TEXT, INVALID_COOKIE_TEXT, { description });
}
