/** What a session does with further streams, and with those that are open. */
export type SessionPhase =
  /** Streams are served. */
  | 'serving'
  /** GOAWAY with NO_ERROR was sent or received. Open streams are completed (RFC 9113 6.8). */
  | 'finishing'
  /** Nothing more is read. What was written is sent, such as GOAWAY with an error, and the connection closes. */
  | 'ending'
  /** The connection is being closed, or was closed. */
  | 'closed';

/** What changes the phase: GOAWAY, an error or a limit, or the close of the connection. */
export type SessionStep = 'finish' | 'end' | 'close';

/** A step that is not in the row of a phase does nothing. */
const TRANSITIONS: Readonly<
  Record<SessionPhase, Readonly<Partial<Record<SessionStep, SessionPhase>>>>
> = {
  serving: { finish: 'finishing', end: 'ending', close: 'closed' },
  finishing: { end: 'ending', close: 'closed' },
  ending: { close: 'closed' },
  closed: {},
};

/** @returns undefined if the step does nothing */
export function sessionPhaseAfter(
  phase: SessionPhase,
  step: SessionStep,
): SessionPhase | undefined {
  return TRANSITIONS[phase][step];
}
