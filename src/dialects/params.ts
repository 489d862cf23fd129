import { type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';

const INTEGER = /^[-+]?\d+$/;

/** An integer as Go's `strconv.Atoi` parses it. */
export function goInteger({ min, max }: { min: number; max: number }): Parameter<number> {
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

/** The same, clamped to the range. */
export function clampedInteger({ min, max }: { min: number; max: number }): Parameter<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    required: true,
    parse(text = '', name) {
      if (!INTEGER.test(text)) throw invalidParameter(name, text, 'is not a whole decimal number');
      return Math.min(max, Math.max(min, Number(text)));
    },
  };
}

/** A signed 64-bit seed; undefined if absent or empty. */
export const seed: Parameter<bigint | undefined> = {
  schema: {
    type: 'integer',
    format: 'int64',
    description: 'Makes the result reproducible.',
  },
  required: false,
  parse(text, name) {
    if (text === undefined || text === '') return undefined;
    // Checks the length first: BigInt() takes more than linear time.
    if (INTEGER.test(text) && text.length <= 20) {
      const value = BigInt(text.replace('+', ''));
      if (BigInt.asIntN(64, value) === value) return value;
    }
    throw invalidParameter(name, text, 'is not a 64-bit integer');
  },
};
