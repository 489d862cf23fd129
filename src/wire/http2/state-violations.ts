import type { ConnectionSettings } from './connection-settings.ts';
import { SettingId } from './frame.ts';
import type { Setting } from './frame-payload.ts';
import { frameTypeName } from './names.ts';
import { connectionError, streamError, type Violation } from './violation.ts';

// Rules that a frame breaks because of earlier frames. Rules for single frames are in `frame-violations.ts`.

/** The violation of HEADERS of a client with an id that opens no stream. @param lastStream last id that it opened */
export function invalidStreamId(id: number, lastStream: number): Violation {
  const reason =
    id % 2 === 0
      ? `HEADERS of a client on stream ${id}`
      : `HEADERS on stream ${id} after stream ${lastStream}`;
  return connectionError('RFC 9113 5.1.1', reason);
}

export function onIdleStream(type: number, id: number): Violation {
  return connectionError('RFC 9113 5.1', `${frameTypeName(type)} on idle stream ${id}`);
}

/** @param stream its state in the words of RFC 9113 5.1 */
export function onClosedStream(
  { id, state }: { readonly id: number; readonly state: string },
  name: string,
): Violation {
  const reason = `${name} on stream ${id}, which is ${state}`;
  return connectionError('RFC 9113 5.1', reason, 'STREAM_CLOSED');
}

/** Values of SETTINGS_MAX_CONCURRENT_STREAMS: the announced one, and that which the client has acknowledged. */
export interface StreamLimits {
  readonly maxStreams: number;
  readonly effective: { readonly maxStreams: number };
}

/** The violation of a stream above the limit. nghttp2 ends the connection if the client has acknowledged that limit. */
export function tooManyStreams(open: number, { maxStreams, effective }: StreamLimits): Violation {
  const reason = `${open} open streams, above SETTINGS_MAX_CONCURRENT_STREAMS of ${maxStreams}`;
  return open > effective.maxStreams
    ? connectionError('RFC 9113 5.1.2', reason)
    : streamError('RFC 9113 5.1.2', reason, 'REFUSED_STREAM');
}

/** The violation of DATA that exceeds a flow-control window. @param window the negative window after it */
export function windowExceeded(of: Violation['scope'], window: number): Violation {
  return windowError(of, `DATA exceeds the ${of}'s window by ${-window} bytes`);
}

export function windowTooLarge(of: Violation['scope'], window: number): Violation {
  return windowError(of, `the ${of}'s window grows to ${window}`);
}

function windowError(of: Violation['scope'], reason: string): Violation {
  const error = of === 'connection' ? connectionError : streamError;
  return error('RFC 9113 6.9.1', reason, 'FLOW_CONTROL_ERROR');
}

/** The settings that must not change. */
export type FixedSettings = Pick<
  ConnectionSettings,
  'enableConnectProtocol' | 'noRfc7540Priorities'
>;

/**
 * The violation of a setting that must not change (RFC 8441 3; RFC 9218 2.1).
 *
 * @param before the settings of the peer so far
 * @param isFirst whether these are its first ones
 */
export function changeViolation(
  settings: readonly Setting[],
  before: Readonly<FixedSettings>,
  isFirst: boolean,
): Violation | undefined {
  if (isFirst) return undefined;
  for (const { id, value } of settings) {
    if (id === SettingId.enableConnectProtocol && value === 0 && before.enableConnectProtocol) {
      return connectionError('RFC 8441 3', 'SETTINGS_ENABLE_CONNECT_PROTOCOL of 0 after 1');
    }
    const isPriorities = id === SettingId.noRfc7540Priorities;
    if (isPriorities && (value === 1) !== before.noRfc7540Priorities) {
      return connectionError('RFC 9218 2.1', 'SETTINGS_NO_RFC7540_PRIORITIES changes');
    }
  }
  return undefined;
}
