import { type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';

const INTEGER = /^[-+]?\d+$/;

/** A whole number as `strconv.Atoi` reads it. */
export function whole({ min, max }: { min: number; max: number }): Parameter<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    required: true,
    parse(text = '', name) {
      if (!INTEGER.test(text)) throw invalidParameter(name, text, 'is not a whole decimal number');
      const value = Number(text);
      if (value >= min && value <= max) return value;
      throw invalidParameter(name, text, `is not in the range from ${min} to ${max}`);
    },
  };
}

/** The same, where what is out of range is brought into it. */
export function clamped({ min, max }: { min: number; max: number }): Parameter<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    required: true,
    parse(text = '', name) {
      if (!INTEGER.test(text)) throw invalidParameter(name, text, 'is not a whole decimal number');
      return Math.min(max, Math.max(min, Number(text)));
    },
  };
}

/** A seed: 64 bits, signed; undefined without one. */
export const seed: Parameter<bigint | undefined> = {
  schema: {
    type: 'integer',
    format: 'int64',
    description: 'Makes the result the same every time.',
  },
  required: false,
  parse(text, name) {
    if (text === undefined || text === '') return undefined;
    // The length is looked at first: reading digits into a bigint takes more than linear time.
    if (INTEGER.test(text) && text.length <= 20) {
      const value = BigInt(text.replace('+', ''));
      if (BigInt.asIntN(64, value) === value) return value;
    }
    throw invalidParameter(name, text, 'is no whole number of 64 bits');
  },
};
