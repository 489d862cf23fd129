/** How far the response to a request has progressed. */
export type ResponsePhase =
  /** None has begun. Interim responses may be sent. */
  | 'none'
  /** It has begun or, on HTTP/1.x, waits for its turn. */
  | 'begun'
  /** HTTP/2: it has begun, and trailers are to follow its content. */
  | 'trailing'
  /** An error ended the response, or was the response. Nothing follows. */
  | 'failed';

/** What changes the phase: the start of the response, without or with trailers to follow; trailers; an error. */
export type ResponseStep = 'begin' | 'begin-trailing' | 'trail' | 'fail';

/** A response begins only once. After an error, no step changes the phase. */
const TRANSITIONS: Readonly<
  Record<ResponsePhase, Readonly<Partial<Record<ResponseStep, ResponsePhase>>>>
> = {
  none: { begin: 'begun', 'begin-trailing': 'trailing', fail: 'failed' },
  begun: { fail: 'failed' },
  trailing: { trail: 'begun', fail: 'failed' },
  failed: { begin: 'failed', 'begin-trailing': 'failed', trail: 'failed', fail: 'failed' },
};

/** @throws Error for a step that is not possible in the phase, which is an internal error */
export function responsePhaseAfter(phase: ResponsePhase, step: ResponseStep): ResponsePhase {
  const next = TRANSITIONS[phase][step];
  if (next === undefined) throw new Error(`response ${phase}: cannot ${step}`);
  return next;
}
