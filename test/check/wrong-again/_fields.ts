import type { FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { changingResponseFields, without } from '../_wrong.ts';

/** Changes the values of one field of responses; undefined removes it. */
export const changingValue = (
  name: string,
  change: (value: string) => string | undefined,
): Deviation =>
  changingResponseFields((fields) =>
    fields.flatMap(([each, value]): FieldLine[] => {
      const changed = each.toLowerCase() === name ? change(value) : value;
      return changed === undefined ? [] : [[each, changed]];
    }),
  );

/** Replaces all lines of one field, if there are any. */
export const replacing = (
  name: string,
  change: (values: readonly string[]) => readonly string[],
): Deviation =>
  changingResponseFields((fields) => {
    const values = fields.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
    const lines = change(values).map((value): FieldLine => [name, value]);
    return values.length === 0 ? fields : [...without(fields, name), ...lines];
  });
