/** What an HTTP/1.x connection does with received bytes (RFC 9112 9.3, 9.6). */
export type Phase =
  /** Requests are served. */
  | 'serving'
  /** No further request is served. The connection is closed after the open responses. */
  | 'ending'
  /** Another protocol reads and writes the stream (RFC 9110 7.8). */
  | 'switched'
  /** The connection is being closed, or was closed. */
  | 'closed';

/** What changes the phase: no further request will be served, the protocol changes, or the connection is closed. */
export type Step = 'end' | 'switch' | 'close';

/** A step that is not in the row of a phase does nothing. */
const TRANSITIONS: Readonly<Record<Phase, Readonly<Partial<Record<Step, Phase>>>>> = {
  serving: { end: 'ending', switch: 'switched', close: 'closed' },
  // The request for the other protocol was the last one of HTTP/1.x.
  ending: { switch: 'switched', close: 'closed' },
  switched: { close: 'closed' },
  closed: {},
};

export function phaseAfter(phase: Phase, step: Step): Phase {
  return TRANSITIONS[phase][step] ?? phase;
}
