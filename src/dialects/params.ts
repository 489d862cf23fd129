import { NOT_A_WHOLE_NUMBER, required, type Bounds, type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';

const INTEGER = /^[-+]?\d+$/;

/** A parameter with an integer, parsed like Go's `strconv.Atoi`. */
export function goInteger(bounds: Bounds): Parameter<number> {
  const clamped = clampedInteger(bounds);
  return {
    ...clamped,
    parse(text = '', name) {
      const value = clamped.parse(text, name);
      if (value === Number(text)) return value;
      throw invalidParameter(name, text, `is not in the range from ${bounds.min} to ${bounds.max}`);
    },
  };
}

/** A parameter with an integer like `goInteger`, which is clamped to the range. */
export function clampedInteger({ min, max }: Bounds): Parameter<number> {
  return required({ type: 'integer', minimum: min, maximum: max }, (text, name) => {
    if (!INTEGER.test(text)) throw invalidParameter(name, text, NOT_A_WHOLE_NUMBER);
    return Math.min(max, Math.max(min, Number(text)));
  });
}

/** A parameter with a signed 64-bit seed; undefined if absent or empty. */
export const seed: Parameter<bigint | undefined> = {
  schema: {
    type: 'integer',
    format: 'int64',
    description: 'Makes the result reproducible.',
  },
  required: false,
  parse(text, name) {
    if (text === undefined || text === '') return undefined;
    // Check the length first: BigInt() takes more than linear time.
    if (INTEGER.test(text) && text.length <= 20) {
      const value = BigInt(text.replace('+', ''));
      if (BigInt.asIntN(64, value) === value) return value;
    }
    throw invalidParameter(name, text, 'is not a 64-bit integer');
  },
};
