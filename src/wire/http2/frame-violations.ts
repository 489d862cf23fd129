import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FrameType,
  MAX_WINDOW,
  type FrameHeader,
  type Role,
} from './frame.ts';
import { isControlLength, prefixLength, type FramePayload, type Setting } from './frame-payload.ts';
import { frameTypeName, settingName } from './names.ts';
import { connectionError, streamError, type Violation } from './violation.ts';

const sectionOf = (type: number): string => types[type]?.section ?? 'RFC 9113 5.5';

export const NO_VIOLATIONS: readonly Violation[] = [];

const MAX_FRAME_SIZE = 2 ** 24 - 1;

/** Frame types: the section that defines each, and whether its frames are for the connection, a stream or either. */
const types: Readonly<Record<number, { section: string; on: 'connection' | 'stream' | 'either' }>> =
  {
    [FrameType.data]: { section: 'RFC 9113 6.1', on: 'stream' },
    [FrameType.headers]: { section: 'RFC 9113 6.2', on: 'stream' },
    [FrameType.priority]: { section: 'RFC 9113 6.3', on: 'stream' },
    [FrameType.rstStream]: { section: 'RFC 9113 6.4', on: 'stream' },
    [FrameType.settings]: { section: 'RFC 9113 6.5', on: 'connection' },
    [FrameType.pushPromise]: { section: 'RFC 9113 6.6', on: 'stream' },
    [FrameType.ping]: { section: 'RFC 9113 6.7', on: 'connection' },
    [FrameType.goaway]: { section: 'RFC 9113 6.8', on: 'connection' },
    [FrameType.windowUpdate]: { section: 'RFC 9113 6.9', on: 'either' },
    [FrameType.continuation]: { section: 'RFC 9113 6.10', on: 'stream' },
    [FrameType.priorityUpdate]: { section: 'RFC 9218 7.1', on: 'connection' },
  };

/** Rules that a single frame breaks regardless of earlier ones. For the others, see `state-violations.ts`. */
export function frameViolations(
  header: FrameHeader,
  payload: FramePayload,
  from: Role,
  maxFrameSize: number,
): readonly Violation[] {
  const found: Violation[] = [];
  const tooLarge = sizeViolation(header, maxFrameSize);
  if (tooLarge) found.push(tooLarge);
  const misplaced = streamViolation(header);
  if (misplaced) found.push(misplaced);
  const wrong = payloadViolation(header, payload, from);
  if (wrong) found.push(wrong);
  return found.length === 0 ? NO_VIOLATIONS : found;
}

export function sizeViolation(
  { length }: FrameHeader,
  maxFrameSize: number,
): Violation | undefined {
  if (length <= maxFrameSize) return undefined;
  const reason = `${length} bytes of payload, above SETTINGS_MAX_FRAME_SIZE of ${maxFrameSize}`;
  return connectionError('RFC 9113 4.2', reason, 'FRAME_SIZE_ERROR');
}

/** The violation of a frame for a stream that is on stream 0, or of one for the connection that is on a stream. */
export function streamViolation({ type, stream }: FrameHeader): Violation | undefined {
  const definition = types[type];
  if (!definition || definition.on === 'either') return undefined;
  if ((definition.on === 'stream') === (stream !== 0)) return undefined;
  return connectionError(definition.section, `${frameTypeName(type)} on stream ${stream}`);
}

function payloadViolation(
  header: FrameHeader,
  payload: FramePayload,
  from: Role,
): Violation | undefined {
  const section = sectionOf(header.type);
  switch (payload.kind) {
    case 'bytes':
      return lengthViolation(header) ?? paddingViolation(header);
    case 'settings':
      return payload.ack ? undefined : settingsViolation(payload.settings, from);
    case 'window-update':
      if (payload.increment !== 0) return undefined;
      return header.stream === 0
        ? connectionError(section, 'a window increment of 0')
        : streamError(section, 'a window increment of 0');
    case 'headers':
    case 'priority':
      if (payload.priority === undefined || payload.priority.dependsOn !== header.stream) {
        return undefined;
      }
      return streamError('RFC 7540 5.3.1', 'the stream depends on itself');
    case 'push-promise':
      return from === 'client'
        ? connectionError('RFC 9113 8.4', 'PUSH_PROMISE from a client')
        : undefined;
    case 'continuation':
    case 'data':
    case 'goaway':
    case 'ping':
    case 'priority-update':
    case 'rst-stream':
      return undefined;
  }
}

/** The violation of a payload whose length its type does not allow (RFC 9113 6; RFC 9218 7.1). */
export function lengthViolation(header: FrameHeader): Violation | undefined {
  const { type, flags, length } = header;
  const isAllowed =
    type === FrameType.data || type === FrameType.headers || type === FrameType.pushPromise
      ? length >= prefixLength(header)
      : isControlLength(type, (flags & Flag.ack) !== 0, length);
  if (isAllowed) return undefined;
  const reason = `a payload of ${length} bytes`;
  return connectionError(sectionOf(type), reason, 'FRAME_SIZE_ERROR');
}

/** The violation of a frame with more padding than payload; undefined for types without padding. */
export function paddingViolation({ type }: FrameHeader): Violation | undefined {
  const isPadded =
    type === FrameType.data || type === FrameType.headers || type === FrameType.pushPromise;
  return isPadded ? connectionError(sectionOf(type), 'padding exceeds the payload') : undefined;
}

/** The first setting with a value that is not allowed (RFC 9113 6.5.2, RFC 8441 3, RFC 9218 2.1). */
export function settingsViolation(settings: readonly Setting[], from: Role): Violation | undefined {
  for (const { id, value } of settings) {
    const reason = `${settingName(id)} of ${value}`;
    switch (settingName(id)) {
      case 'ENABLE_PUSH':
        if (value > 1 || (from === 'server' && value === 1)) {
          return connectionError('RFC 9113 6.5.2', reason);
        }
        break;
      case 'INITIAL_WINDOW_SIZE':
        if (value > MAX_WINDOW) {
          return connectionError('RFC 9113 6.5.2', reason, 'FLOW_CONTROL_ERROR');
        }
        break;
      case 'MAX_FRAME_SIZE':
        if (value < DEFAULT_MAX_FRAME_SIZE || value > MAX_FRAME_SIZE) {
          return connectionError('RFC 9113 6.5.2', reason);
        }
        break;
      case 'ENABLE_CONNECT_PROTOCOL':
        if (value > 1) return connectionError('RFC 8441 3', reason);
        break;
      case 'NO_RFC7540_PRIORITIES':
        if (value > 1) return connectionError('RFC 9218 2.1', reason);
        break;
      default:
    }
  }
  return undefined;
}
