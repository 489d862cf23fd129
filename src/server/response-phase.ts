/** How far the response to a request is. */
export type ResponsePhase =
  /** None has begun. Interim responses may be sent. */
  | 'none'
  /** It has begun or, on HTTP/1.x, waits for its turn. */
  | 'begun'
  /** HTTP/2: it has begun, and trailers are to follow its content. */
  | 'trailing'
  /** An error has ended it, or was the response. Nothing follows. */
  | 'failed';

/** What changes the phase: the header section is sent, alone or with trailers to come, they are sent, or an error. */
export type ResponseStep = 'begin' | 'begin-trailing' | 'trail' | 'fail';

/** A response begins once. What comes after an error changes nothing. */
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
