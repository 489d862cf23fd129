import { readTraceContext } from '../http/trace-context.ts';
import type { Request } from '../server/request.ts';
import type { Echo } from './echo-schema.ts';

/** Flag that says whether the caller records the trace. */
const SAMPLED = 1;

/** The view of traceparent and tracestate; undefined without traceparent. */
export function traceView({ fields }: Request): Echo['trace'] {
  const context = readTraceContext(fields);
  if (context === undefined) return undefined;
  if (typeof context === 'string') return { valid: false, reason: context };
  const { traceId: trace_id, parentId: parent_id, flags, state } = context;
  const sampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { valid: true, trace_id, parent_id, sampled, ...(state && { state }) };
}
