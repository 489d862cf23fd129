import { parseTarget } from '../../http/target.ts';
import type { Kind, TapRecord } from './record.ts';

/** Which events a reader wants: those that fit all that is given. */
export interface TapFilter {
  /** Whole paths, in which `*` stands for any characters; what has no path fits none. */
  readonly path: string | undefined;
  /** The id of one. */
  readonly connection: string | undefined;
  readonly kinds: readonly Kind[] | undefined;
}

export function fits(record: TapRecord, { path, connection, kinds }: TapFilter): boolean {
  if (kinds && !kinds.includes(record.kind)) return false;
  if (connection !== undefined && connection !== record.connection) return false;
  if (path === undefined) return true;
  const own = pathOf(record);
  return own !== null && matches(own, path);
}

function pathOf(record: TapRecord): string | null {
  switch (record.kind) {
    case 'request':
      return partsOf(record).path;
    case 'rejected':
      return record.refused?.path ?? null;
    default:
      return null;
  }
}

/** Path and query of a request as sent, of a target that fits no form of RFC 9112 3.2 as well. */
export function partsOf({ method, target }: Extract<TapRecord, { kind: 'request' }>): {
  readonly path: string;
  readonly query: string;
} {
  const known = parseTarget(method, target);
  if (known) return known;
  const [path = '', ...rest] = target.split('?');
  return { path, query: rest.join('?') };
}

/** Whether the pattern fits all of the text. What stands between two `*` is looked for only once. */
export function matches(text: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  if (end === undefined) return text === start;
  if (!text.startsWith(start)) return false;
  let at = start.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}
