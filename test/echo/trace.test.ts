import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

everywhere(({ client }) => {
  const traceOf = async (headers: Record<string, string>): Promise<unknown> => {
    const { body } = await client().request('/anything', { headers });
    const { trace } = JSON.parse(body.toString()) as { readonly trace?: unknown };
    return trace;
  };

  test('the trace of a valid traceparent, and its state', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    const trace = { valid: true, trace_id: TRACE, parent_id: PARENT, sampled: true };
    expect(await traceOf({ traceparent })).toEqual(trace);
    expect(await traceOf({ traceparent, tracestate: 'A=1' })).toEqual(trace);
    expect(await traceOf({ traceparent, tracestate: 'a=1, b=2' })).toEqual({
      ...trace,
      state: ['a=1', 'b=2'],
    });
  });

  test.each([
    ['00', false],
    ['02', false],
    ['03', true],
  ])('flags %s: sampled is %s', async (flags, sampled) => {
    const traceparent = `00-${TRACE}-${PARENT}-${flags}`;
    expect(await traceOf({ traceparent })).toMatchObject({ valid: true, sampled });
  });

  test('why a traceparent is not valid; nothing without one', async () => {
    const trace = await traceOf({ traceparent: `ff-${TRACE}-${PARENT}-01`, tracestate: 'a=1' });
    expect(trace).toEqual({ valid: false, reason: 'the version ff is not valid' });
    expect(await traceOf({ tracestate: 'a=1' })).toBeUndefined();
  });
});
