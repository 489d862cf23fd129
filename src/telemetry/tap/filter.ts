import { matcherOf } from '../../http/pattern.ts';
import { parseTarget } from '../../http/target.ts';
import { arrayOf, enumOf, shape, TEXT, type Infer } from '../../server/schema.ts';
import { EVENT_KINDS, isWireKind, type TapRecord } from './record.ts';

/** Selects events. All given conditions must match. */
export const tapFilterSchema = shape(
  {
    // Pattern for the whole path, in which `*` matches any characters. Events without a path never match.
    path: TEXT,
    // A connection id.
    connection: TEXT,
    kinds: arrayOf(enumOf(...EVENT_KINDS)),
  },
  ['path', 'connection', 'kinds'],
);
export type TapFilter = Infer<typeof tapFilterSchema>;

export function matchesFilter(
  record: TapRecord,
  { path: pattern, connection, kinds }: TapFilter,
): boolean {
  if (kinds ? !kinds.includes(record.kind) : isWireKind(record.kind)) return false;
  if (connection !== undefined && connection !== record.connection) return false;
  if (pattern === undefined) return true;
  const path = pathOf(record);
  return path !== null && matcherOf(pattern)(path);
}

function pathOf(record: TapRecord): string | null {
  switch (record.kind) {
    case 'request':
      return pathAndQuery(record).path;
    case 'rejected':
      return record.message?.path ?? null;
    default:
      return null;
  }
}

/** Splits a request target, even if it has no form of RFC 9112 3.2. */
export function pathAndQuery({ method, target }: Extract<TapRecord, { kind: 'request' }>): {
  readonly path: string;
  readonly query: string;
} {
  const parsed = parseTarget(method, target);
  if (parsed) return parsed;
  const [path = '', ...rest] = target.split('?');
  return { path, query: rest.join('?') };
}
