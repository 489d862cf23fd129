import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  FrameType,
  MAX_WINDOW,
  type FrameHeader,
} from '../../wire/http2/frame.ts';
import {
  isControlLength,
  prefixLength,
  type FramePayload,
  type Setting,
} from '../../wire/http2/frame-payload.ts';
import { frameTypeName, settingName } from '../../wire/http2/names.ts';
import type { Sender } from '../protocol-reader.ts';
import { connectionError, streamError, type Violation } from './violation.ts';

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
  from: Sender,
  maxFrameSize: number,
): readonly Violation[] {
  const definition = types[header.type];
  const found: Violation[] = [];
  if (header.length > maxFrameSize) {
    const reason = `${header.length} bytes of payload, above SETTINGS_MAX_FRAME_SIZE of ${maxFrameSize}`;
    found.push(connectionError('RFC 9113 4.2', reason, 'FRAME_SIZE_ERROR'));
  }
  if (definition) {
    const { section, on } = definition;
    const name = frameTypeName(header.type);
    if (on === 'stream' && header.stream === 0) {
      found.push(connectionError(section, `${name} on stream 0`));
    } else if (on === 'connection' && header.stream !== 0) {
      found.push(connectionError(section, `${name} on stream ${header.stream}`));
    }
    const wrong = payloadViolation(header, payload, from, section);
    if (wrong) found.push(wrong);
  }
  return found.length === 0 ? NO_VIOLATIONS : found;
}

function payloadViolation(
  header: FrameHeader,
  payload: FramePayload,
  from: Sender,
  section: string,
): Violation | undefined {
  switch (payload.kind) {
    case 'bytes':
      return malformedFrame(header, section);
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

/** Why a frame of a known type is malformed; undefined if it is not. */
function malformedFrame(header: FrameHeader, section: string): Violation | undefined {
  const { type, flags, length } = header;
  switch (type) {
    case FrameType.data:
    case FrameType.headers:
    case FrameType.pushPromise:
      return length < prefixLength(header)
        ? wrongLength(length, section)
        : connectionError(section, 'padding exceeds the payload');
    default:
      return isControlLength(type, (flags & Flag.ack) !== 0, length)
        ? undefined
        : wrongLength(length, section);
  }
}

function wrongLength(length: number, section: string): Violation {
  return connectionError(section, `a payload of ${length} bytes`, 'FRAME_SIZE_ERROR');
}

/** The first setting with a value that is not allowed (RFC 9113 6.5.2, RFC 8441 3, RFC 9218 2.1). */
function settingsViolation(settings: readonly Setting[], from: Sender): Violation | undefined {
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
