import { readTraceContext } from '../http/trace-context.ts';
import type { Request } from '../server/request.ts';
import { arrayOf, BOOLEAN, objectSchema, TEXT, type Infer } from '../server/schema.ts';

/** The `trace` object of the echo. */
export const traceSchema = objectSchema(
  'Trace',
  {
    valid: BOOLEAN,
    reason: { ...TEXT, description: 'Why it is to be ignored.' },
    trace_id: TEXT,
    parent_id: TEXT,
    sampled: BOOLEAN,
    state: { ...arrayOf(TEXT), description: 'Members of tracestate, if it is valid.' },
  },
  ['reason', 'trace_id', 'parent_id', 'sampled', 'state'],
);

/** The bit of the flags that tells whether the caller records the trace. */
const SAMPLED = 1;

/** What traceparent and tracestate say; undefined without traceparent. */
export function traceView({ fields }: Request): Infer<typeof traceSchema> | undefined {
  const context = readTraceContext(fields);
  if (context === undefined) return undefined;
  if (typeof context === 'string') return { valid: false, reason: context };
  const { traceId: trace_id, parentId: parent_id, flags, state } = context;
  const sampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { valid: true, trace_id, parent_id, sampled, ...(state && { state }) };
}
