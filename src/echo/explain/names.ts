import { fieldStatus } from '../../http/field-names.ts';
import { fieldPairs } from '../../http/fields.ts';
import type { Request } from '../../server/request.ts';
import type { FieldNames } from '../explained-schema.ts';

/** The field names of a request that are unregistered, deprecated or obsoleted: as sent, in order, each once. */
export function namesOf({ fields, trailers }: Pick<Request, 'fields' | 'trailers'>): FieldNames {
  const names: Record<keyof FieldNames, string[]> = {
    unregistered: [],
    deprecated: [],
    obsoleted: [],
  };
  const seen = new Set<string>();
  for (const lines of [fields, trailers]) {
    for (const [name] of fieldPairs(lines)) {
      const lower = name.toLowerCase();
      if (name.startsWith(':') || seen.has(lower)) continue;
      seen.add(lower);
      const status = fieldStatus(lower) ?? 'unregistered';
      if (status !== 'permanent' && status !== 'provisional') names[status].push(name);
    }
  }
  return names;
}
