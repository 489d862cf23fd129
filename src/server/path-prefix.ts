import { Problem } from '../http/problem.ts';
import type { Exchange } from './exchange.ts';

/** Matches what precedes a path of this service in Location: an origin or nothing. */
const OWN_PATH = /^(?:https?:\/\/[^/]+)?(?=\/(?!\/))/;

/**
 * Removes the prefix from the path that endpoints see. The target keeps the path as sent.
 *
 * @param prefix empty for none
 * @throws Problem not-found if the path is not below the prefix
 */
export function endpointPathOf(exchange: Exchange, prefix = ''): string {
  const { target } = exchange;
  const path = target?.path ?? '';
  if (!prefix || !target || target.form === 'asterisk' || target.form === 'authority') return path;
  const rest = path === prefix ? '/' : path.slice(prefix.length);
  if (!path.startsWith(prefix) || !rest.startsWith('/'))
    throw new Problem('not-found', `${path} is not below ${prefix}, which is --path-prefix`);
  exchange.target = { ...target, endpointPath: rest };
  return rest;
}

/** Adds the prefix to the paths of this service in Location fields. */
export function addPrefix(fields: string[], prefix: string): void {
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at] !== 'Location') continue;
    fields[at + 1] = (fields[at + 1] ?? '').replace(OWN_PATH, (origin) => `${origin}${prefix}`);
  }
}
