import type { Role } from '../http2/frame.ts';
import type { Violation } from '../http2/violation.ts';
import { FrameType, frameTypeName } from './names.ts';
import { connectionError, streamError } from './violation.ts';

// Rules:
// - Which frame may come on a stream depends on its kind (RFC 9114 7, table 1) and on what came before (RFC 9114 4.1).
// - Frames of unknown types are allowed anywhere, except before SETTINGS (RFC 9114 9, 6.2.1).
// - Server push is not used: no MAX_PUSH_ID is sent, so the id of every promise is above the maximum (RFC 9114 4.6, 7.2.5).

/** What has been received on a stream. */
export const StreamPhase = {
  /** A control stream before its SETTINGS. */
  settings: 0,
  /** A control stream. */
  control: 1,
  /** A message before its header section, or between interim responses and that of the final one. */
  head: 2,
  /** A message after its header section: content may follow, and trailers. */
  content: 3,
  /** A message after its trailers. */
  trailers: 4,
  /** After CONNECT has completed: only DATA. */
  tunnel: 5,
  ended: 6,
} as const;
export type StreamPhase = (typeof StreamPhase)[keyof typeof StreamPhase];

/** What comes on a stream. */
export const StreamEvent = {
  data: 0,
  headers: 1,
  settings: 2,
  pushPromise: 3,
  /** GOAWAY, CANCEL_PUSH, and of a client MAX_PUSH_ID and PRIORITY_UPDATE. */
  control: 4,
  /** A frame that its sender never sends: of HTTP/2 only, or of the other role. */
  forbidden: 5,
  unknown: 6,
  /** The header section has been decoded, and is that of an interim response. */
  interim: 7,
  /** CONNECT has completed (RFC 9114 4.4). */
  connected: 8,
  end: 9,
} as const;
export type StreamEvent = (typeof StreamEvent)[keyof typeof StreamEvent];

/** Why an event is not allowed. */
export const Refusal = {
  unexpected: -1,
  missingSettings: -2,
  promised: -3,
  incomplete: -4,
  closedCritical: -5,
} as const;
export type Refusal = (typeof Refusal)[keyof typeof Refusal];

const { control: CTRL, head: HEAD, content: DATA } = StreamPhase;
const { trailers: TRAIL, tunnel: TUNNEL, ended: END } = StreamPhase;
const { unexpected: NO, missingSettings: FIRST, promised: PUSH } = Refusal;
const { incomplete: SHORT, closedCritical: GONE } = Refusal;

/** The next phase by phase, and by event in the order of `StreamEvent`. */
// prettier-ignore
const TRANSITIONS: readonly (readonly (StreamPhase | Refusal)[])[] = [
  // DATA HEADERS SETTINGS PUSH_P. control forbid. unknown interim connected end
  [FIRST,  FIRST,  CTRL,  FIRST,  FIRST,  FIRST,  FIRST,   NO,   NO,     GONE],  // settings
  [NO,     NO,     NO,    NO,     CTRL,   NO,     CTRL,    NO,   NO,     GONE],  // control
  [NO,     DATA,   NO,    PUSH,   NO,     NO,     HEAD,    NO,   NO,     SHORT], // head
  [DATA,   TRAIL,  NO,    PUSH,   NO,     NO,     DATA,    HEAD, TUNNEL, END],   // content
  [NO,     NO,     NO,    PUSH,   NO,     NO,     TRAIL,   NO,   NO,     END],   // trailers
  [TUNNEL, NO,     NO,    NO,     NO,     NO,     TUNNEL,  NO,   NO,     END],   // tunnel
  [NO,     NO,     NO,    NO,     NO,     NO,     NO,      NO,   NO,     NO],    // ended
];

/** The phase after an event, or why the event is not allowed. */
export function phaseAfter(phase: StreamPhase, event: StreamEvent): StreamPhase | Refusal {
  return TRANSITIONS[phase]?.[event] ?? Refusal.unexpected;
}

export const isRefusal = (next: StreamPhase | Refusal): next is Refusal => next < 0;

/** The event of a frame. @param from role of its sender */
export function eventOf(type: number | bigint, from: Role): StreamEvent {
  switch (type) {
    case FrameType.data:
      return StreamEvent.data;
    case FrameType.headers:
      return StreamEvent.headers;
    case FrameType.settings:
      return StreamEvent.settings;
    case FrameType.pushPromise:
      return from === 'server' ? StreamEvent.pushPromise : StreamEvent.forbidden;
    case FrameType.goaway:
    case FrameType.cancelPush:
      return StreamEvent.control;
    case FrameType.maxPushId:
    case FrameType.priorityUpdateRequest:
    case FrameType.priorityUpdatePush:
      return from === 'client' ? StreamEvent.control : StreamEvent.forbidden;
    // PRIORITY, PING, WINDOW_UPDATE and CONTINUATION of HTTP/2.
    case 0x02:
    case 0x06:
    case 0x08:
    case 0x09:
      return StreamEvent.forbidden;
    default:
      return StreamEvent.unknown;
  }
}

/** The section that defines a frame type. */
const sections: Readonly<Record<number, string>> = {
  [FrameType.data]: 'RFC 9114 7.2.1',
  [FrameType.headers]: 'RFC 9114 7.2.2',
  [FrameType.cancelPush]: 'RFC 9114 7.2.3',
  [FrameType.settings]: 'RFC 9114 7.2.4',
  [FrameType.pushPromise]: 'RFC 9114 7.2.5',
  [FrameType.goaway]: 'RFC 9114 7.2.6',
  [FrameType.maxPushId]: 'RFC 9114 7.2.7',
  [FrameType.priorityUpdateRequest]: 'RFC 9218 7.2',
  [FrameType.priorityUpdatePush]: 'RFC 9218 7.2',
};
export const sectionOf = (type: number | bigint): string =>
  sections[Number(type)] ?? 'RFC 9114 7.2.8';

/** Phases in the words of reasons. */
const WHERE: Readonly<Record<StreamPhase, string>> = {
  [StreamPhase.settings]: 'on the control stream before SETTINGS',
  [StreamPhase.control]: 'on the control stream',
  [StreamPhase.head]: 'before the header section',
  [StreamPhase.content]: 'on a request stream',
  [StreamPhase.trailers]: 'after the trailers',
  [StreamPhase.tunnel]: 'after CONNECT',
  [StreamPhase.ended]: 'after the end',
};

/** The violation of a frame that is refused. */
export function frameViolation(
  refusal: Refusal,
  phase: StreamPhase,
  type: number | bigint,
): Violation {
  const reason = `${frameTypeName(type)} ${WHERE[phase]}`;
  if (refusal === Refusal.missingSettings) {
    return connectionError('RFC 9114 6.2.1', reason, 'H3_MISSING_SETTINGS');
  }
  if (refusal === Refusal.promised) {
    return connectionError('RFC 9114 7.2.5', `${reason}, without MAX_PUSH_ID`, 'H3_ID_ERROR');
  }
  return connectionError(brokenSection(phase, type), reason, 'H3_FRAME_UNEXPECTED');
}

/** The section that a frame breaks by its position: that of its type, or of the order of a message. */
function brokenSection(phase: StreamPhase, type: number | bigint): string {
  if (phase === StreamPhase.tunnel) return 'RFC 9114 4.4';
  const isOfMessage = type === FrameType.data || type === FrameType.headers;
  return isOfMessage && phase !== StreamPhase.control ? 'RFC 9114 4.1' : sectionOf(type);
}

/**
 * The violation of an end that is refused.
 *
 * @param from role of the side that has ended the stream
 */
export function endViolation(refusal: Refusal, from: Role): Violation {
  if (refusal === Refusal.closedCritical) return criticalStreamClosed('control');
  const reason = 'the stream ends before the header section';
  return from === 'client'
    ? streamError('RFC 9114 4.1', reason, 'H3_REQUEST_INCOMPLETE')
    : streamError('RFC 9114 4.1.2', reason, 'H3_MESSAGE_ERROR');
}

/** The violation if a critical stream ends or is reset (RFC 9114 6.2.1, RFC 9204 4.2). */
export function criticalStreamClosed(stream: 'control' | 'encoder' | 'decoder'): Violation {
  const section = stream === 'control' ? 'RFC 9114 6.2.1' : 'RFC 9204 4.2';
  return connectionError(section, `the ${stream} stream is closed`, 'H3_CLOSED_CRITICAL_STREAM');
}
