import { fieldValue, type FieldLines } from '../http/fields.ts';

/** Adds Host from `:authority` if it is missing. */
export function withHost(fields: FieldLines): FieldLines {
  const authority = fieldValue(fields, ':authority');
  if (authority === undefined || fieldValue(fields, 'host') !== undefined) return fields;
  return ['host', authority, ...fields];
}
