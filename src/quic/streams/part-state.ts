// Rules:
// - Each part of a stream changes its state only by what the tables say (RFC 9000 3.1, 3.2).
// - A step that a state does not have is not taken: such a frame is not sent, and ignored when received.

/** States of a sending part (RFC 9000 3.1). */
export type SendingState =
  | 'ready'
  | 'send'
  | 'data-sent'
  | 'reset-sent'
  | 'data-received'
  | 'reset-received';

/** What changes the state of a sending part: a frame that is sent, or its acknowledgment. */
export type SendingStep =
  /** STREAM or STREAM_DATA_BLOCKED. */
  | 'send'
  /** STREAM with FIN. */
  | 'finish'
  /** RESET_STREAM. */
  | 'reset'
  | 'all-acknowledged'
  | 'reset-acknowledged';

const SENDING: Readonly<
  Record<SendingState, Readonly<Partial<Record<SendingStep, SendingState>>>>
> = {
  ready: { send: 'send', reset: 'reset-sent' },
  send: { send: 'send', finish: 'data-sent', reset: 'reset-sent' },
  // Lost data is sent again.
  'data-sent': {
    send: 'data-sent',
    finish: 'data-sent',
    reset: 'reset-sent',
    'all-acknowledged': 'data-received',
  },
  'reset-sent': { 'reset-acknowledged': 'reset-received' },
  'data-received': {},
  'reset-received': {},
};

/** @returns undefined if the state does not have the step */
export const sendingStateAfter = (
  state: SendingState,
  step: SendingStep,
): SendingState | undefined => SENDING[state][step];

/** States of a receiving part (RFC 9000 3.2). */
export type ReceivingState =
  | 'receive'
  | 'size-known'
  | 'data-received'
  | 'reset-received'
  | 'data-read'
  | 'reset-read';

/** What changes the state of a receiving part: a frame, or what was done with its content. */
export type ReceivingStep =
  /** STREAM with FIN. */
  | 'finish'
  | 'all-received'
  /** RESET_STREAM. */
  | 'reset'
  /** The application has read all data, or knows of the reset. */
  | 'read';

const RECEIVING: Readonly<
  Record<ReceivingState, Readonly<Partial<Record<ReceivingStep, ReceivingState>>>>
> = {
  receive: { finish: 'size-known', reset: 'reset-received' },
  'size-known': { finish: 'size-known', 'all-received': 'data-received', reset: 'reset-received' },
  // All data was received: a reset changes nothing.
  'data-received': { read: 'data-read' },
  'reset-received': { read: 'reset-read' },
  'data-read': {},
  'reset-read': {},
};

/** @returns undefined if the state does not have the step */
export const receivingStateAfter = (
  state: ReceivingState,
  step: ReceivingStep,
): ReceivingState | undefined => RECEIVING[state][step];
