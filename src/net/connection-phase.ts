import type { CloseMethod } from './close-reason.ts';

/** How far a connection is on the way to its end. */
export type ConnectionPhase =
  | 'open'
  /** FIN follows the pending writes. What the client still sends is discarded (RFC 9112 9.6). */
  | 'lingering'
  /** The HTTP/2 session has failed, which ends all of its requests. The session then closes the socket or connection. */
  | 'failed'
  /** The socket is destroyed. */
  | 'destroyed';

/** What changes the phase: a close, or the failure of the HTTP/2 session. */
export type ConnectionStep = CloseMethod | 'fail';

/** A step that is not in the row of a phase does nothing. */
const TRANSITIONS: Readonly<
  Record<ConnectionPhase, Readonly<Partial<Record<ConnectionStep, ConnectionPhase>>>>
> = {
  open: {
    graceful: 'lingering',
    truncate: 'lingering',
    abort: 'destroyed',
    reset: 'destroyed',
    fail: 'failed',
  },
  // A client that does not read, or sends too much, may still be reset.
  lingering: { abort: 'destroyed', reset: 'destroyed', fail: 'failed' },
  failed: { graceful: 'failed', abort: 'destroyed', reset: 'destroyed' },
  destroyed: {},
};

/** @returns undefined if the step does nothing */
export function connectionPhaseAfter(
  phase: ConnectionPhase,
  step: ConnectionStep,
): ConnectionPhase | undefined {
  return TRANSITIONS[phase][step];
}
