import { fieldCount, fieldValue, type FieldLines } from './fields.ts';
import { trimOws } from './syntax.ts';

/** A valid traceparent (W3C Trace Context 3.2), in lower-case hexadecimal. */
export interface TraceContext {
  readonly traceId: string;
  /** Span id of the caller. */
  readonly parentId: string;
  readonly flags: string;
  /** Members of tracestate as sent; undefined if there are none, or one is invalid. */
  readonly state: readonly string[] | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const MAX_STATE_MEMBERS = 32;
const STATE_KEY = /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})$/;
const STATE_VALUE = /^[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * Reads traceparent and tracestate.
 *
 * @returns text that says why traceparent is ignored; undefined without traceparent
 */
export function readTraceContext(fields: FieldLines): TraceContext | string | undefined {
  const value = fieldValue(fields, 'traceparent');
  if (value === undefined) return undefined;
  if (fieldCount(fields, 'traceparent') > 1) return 'there are several';
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || !traceId || !parentId || flags === undefined) {
    return 'it is not version-trace_id-parent_id-flags, in lower-case hexadecimal digits';
  }
  if (version === 'ff') return 'the version ff is not valid';
  // Only later versions may have further parts.
  if (version === '00' && more !== undefined) return 'version 00 has nothing after the flags';
  if (ZEROS.test(traceId)) return 'the trace_id is zero';
  if (ZEROS.test(parentId)) return 'the parent_id is zero';
  return { traceId, parentId, flags, state: readState(fieldValue(fields, 'tracestate')) };
}

/** The members of tracestate (W3C Trace Context 3.3); undefined if one is invalid. */
function readState(value: string | undefined): readonly string[] | undefined {
  const members = (value ?? '').split(',').map(trimOws);
  const present = members.filter((member) => member !== '');
  const keys = present.map((member) => member.split('=', 1)[0] ?? '');
  const isValid =
    present.length > 0 &&
    present.length <= MAX_STATE_MEMBERS &&
    new Set(keys).size === keys.length &&
    present.every((member, at) => isMember(member, keys[at] ?? ''));
  return isValid ? present : undefined;
}

function isMember(member: string, key: string): boolean {
  return STATE_KEY.test(key) && STATE_VALUE.test(member.slice(key.length + 1));
}
