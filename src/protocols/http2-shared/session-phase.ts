/** What a session does with further streams, and with those that are open. */
export type SessionPhase =
  /** Streams are served. */
  | 'serving'
  /** On wirebin's own frames: a GOAWAY that refuses no stream was sent. Further streams are served (RFC 9113 6.8). */
  | 'leaving'
  /** The last GOAWAY with NO_ERROR was sent, or one was received. Open streams are completed (RFC 9113 6.8). */
  | 'finishing'
  /** No further stream is served. What was written is sent, such as GOAWAY with an error, and the connection closes. */
  | 'ending'
  /** On node:http2: a fault sends its own bytes instead of the session's. */
  | 'detached'
  /** The session has ended. The connection may still linger. */
  | 'closed';

/**
 * What changes the phase: a GOAWAY that announces the close, the last GOAWAY, an error or a limit, a fault of the
 * connection, or the end of the session.
 */
export type SessionStep = 'announce' | 'finish' | 'end' | 'detach' | 'close';

/** A step that is not in the row of a phase does nothing. */
const TRANSITIONS: Readonly<
  Record<SessionPhase, Readonly<Partial<Record<SessionStep, SessionPhase>>>>
> = {
  serving: {
    announce: 'leaving',
    finish: 'finishing',
    end: 'ending',
    detach: 'detached',
    close: 'closed',
  },
  leaving: { finish: 'finishing', end: 'ending', close: 'closed' },
  finishing: { end: 'ending', detach: 'detached', close: 'closed' },
  ending: { close: 'closed' },
  // The session of a detached connection is destroyed, but the connection goes on.
  detached: {},
  closed: {},
};

/** @returns undefined if the step does nothing */
export function sessionPhaseAfter(
  phase: SessionPhase,
  step: SessionStep,
): SessionPhase | undefined {
  return TRANSITIONS[phase][step];
}
