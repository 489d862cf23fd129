// Rules:
// - A stream changes its state only by what is sent or received on it, and only as the table says (RFC 9113 5.1).
// - What the table does not allow to be received is an error of its sender, or ignored; what it does not allow to be
//   sent is not sent.

/** States of a stream. Without server push, which SETTINGS_ENABLE_PUSH turns off, none is ever reserved. */
export const StreamState = {
  idle: 0,
  open: 1,
  halfClosedLocal: 2,
  halfClosedRemote: 3,
  closed: 4,
} as const;
export type StreamState = (typeof StreamState)[keyof typeof StreamState];

/** What is sent or received on a stream. END_STREAM follows the frame that has it as an event of its own. */
export const StreamEvent = {
  sendHeaders: 0,
  sendData: 1,
  sendEnd: 2,
  sendReset: 3,
  receiveHeaders: 4,
  receiveData: 5,
  receiveEnd: 6,
  receiveReset: 7,
  receiveWindowUpdate: 8,
} as const;
export type StreamEvent = (typeof StreamEvent)[keyof typeof StreamEvent];

/** Why an event does not lead to a state. */
export const Refusal = {
  /** It is not sent. */
  unsendable: -1,
  /** A connection error of type PROTOCOL_ERROR. */
  idle: -2,
  /** A stream error of type STREAM_CLOSED; a connection error if the stream has been removed. */
  closed: -3,
  /** It may have been sent before the sender knew that the stream is closed. */
  ignored: -4,
} as const;
export type Refusal = (typeof Refusal)[keyof typeof Refusal];

const OPEN = StreamState.open;
const LOCAL = StreamState.halfClosedLocal;
const REMOTE = StreamState.halfClosedRemote;
const CLOSED = StreamState.closed;
const NEVER = Refusal.unsendable;
const AGAIN = Refusal.closed;
const LATE = Refusal.ignored;
const IDLE = Refusal.idle;

/** The next state by state, and by event in the order of `StreamEvent`. */
// prettier-ignore
const TRANSITIONS: readonly (readonly (StreamState | Refusal)[])[] = [
  // send                         receive
  // HEADERS DATA    END     RST     HEADERS DATA    END     RST     WINDOW_UPDATE
  [  OPEN,   NEVER,  NEVER,  NEVER,  OPEN,   IDLE,   IDLE,   IDLE,   IDLE],   // idle
  [  OPEN,   OPEN,   LOCAL,  CLOSED, OPEN,   OPEN,   REMOTE, CLOSED, OPEN],   // open
  [  NEVER,  NEVER,  NEVER,  CLOSED, LOCAL,  LOCAL,  CLOSED, CLOSED, LOCAL],  // half-closed (local)
  [  REMOTE, REMOTE, CLOSED, CLOSED, AGAIN,  AGAIN,  AGAIN,  CLOSED, REMOTE], // half-closed (remote)
  [  NEVER,  NEVER,  NEVER,  NEVER,  AGAIN,  AGAIN,  AGAIN,  LATE,   LATE],   // closed
];

/** The state after an event, or why there is none. */
export function stateAfter(state: StreamState, event: StreamEvent): StreamState | Refusal {
  return TRANSITIONS[state]?.[event] ?? NEVER;
}

export const isRefusal = (next: StreamState | Refusal): next is Refusal => next < 0;
