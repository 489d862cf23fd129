import type { FrontName } from '../front.ts';
import { headOf, headOfFrames } from './head.ts';

/** How the header section that the origin received differs from the one that was sent. */
export interface Change {
  /** For each line that the origin received, whether that line was sent. */
  readonly isSent: readonly boolean[];
  /** Lines that were sent and did not arrive. */
  readonly missing: readonly string[];
}

const REQUEST_LINE = /^(\S+) (\S+) HTTP\/\d\.\d$/;

/**
 * Compares a request as it was sent with what the origin received. Names of fields are compared without case, `:method`
 * and `:path` with the request line, and `:authority` with Host; `:scheme` and the order are not.
 *
 * @returns undefined unless each of the two is one request
 */
export function changeOf(sent: string, origin: string, front: FrontName): Change | undefined {
  const before = front === 'h2' ? headOfFrames(sent) : headOf(sent);
  const after = headOf(origin);
  if (!before || !after) return undefined;
  const unmatched = before.flatMap(lineKeys);
  const isSent = after.map((line) =>
    lineKeys(line)
      .map((key) => removeKey(unmatched, key))
      .every(Boolean),
  );
  return {
    isSent,
    missing: before.filter((line) => lineKeys(line).some((key) => removeKey(unmatched, key))),
  };
}

/** Keys of what a line says, the same for HTTP/1.1 and HTTP/2. */
function lineKeys(line: string): string[] {
  const [, method, target] = REQUEST_LINE.exec(line) ?? [];
  if (method !== undefined) return [`:method ${method}`, `:path ${target}`];
  const colon = line.indexOf(':', 1);
  const name = line.slice(0, colon).toLowerCase();
  if (colon === -1 || name === ':scheme') return [];
  return [`${name === ':authority' ? 'host' : name} ${line.slice(colon + 1).trim()}`];
}

/** Removes one key. @returns whether it was there */
function removeKey(keys: string[], key: string): boolean {
  const at = keys.indexOf(key);
  if (at !== -1) keys.splice(at, 1);
  return at !== -1;
}
