/** What an HTTP/2 session does with further streams, and with those that are open. */
export type SessionPhase =
  /** Streams are served. */
  | 'serving'
  /** GOAWAY with NO_ERROR was sent or received. Open streams are completed (RFC 9113 6.8). */
  | 'finishing'
  /** A limit has ended the session. No further stream is served, not even one in the bytes that nghttp2 is reading. */
  | 'rejecting'
  /** A fault sends its own bytes instead of the session's. */
  | 'detached'
  /** The session is destroyed. The connection may still linger. */
  | 'destroyed';

/** What changes the phase: a close (see `Http2Session.close`), a fault of the connection, or the end of the session. */
export type SessionStep = 'graceful' | 'calm' | 'detach' | 'destroy';

/** A step that is not in the row of a phase does nothing. */
const TRANSITIONS: Readonly<
  Record<SessionPhase, Readonly<Partial<Record<SessionStep, SessionPhase>>>>
> = {
  serving: { graceful: 'finishing', calm: 'rejecting', detach: 'detached', destroy: 'destroyed' },
  finishing: { calm: 'rejecting', detach: 'detached', destroy: 'destroyed' },
  rejecting: { destroy: 'destroyed' },
  detached: {},
  destroyed: {},
};

/** @returns undefined if the step does nothing */
export function sessionPhaseAfter(
  phase: SessionPhase,
  step: SessionStep,
): SessionPhase | undefined {
  return TRANSITIONS[phase][step];
}
