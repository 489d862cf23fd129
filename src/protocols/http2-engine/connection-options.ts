import type { Limits } from '../../server/limits.ts';
import type { ConnectionOptions } from '../../wire/http2/connection.ts';
import type { ConnectionSettings } from '../../wire/http2/connection-settings.ts';
import { nghttp2Rules } from '../../wire/http2/message-rules.ts';
import { DEFAULT_MAX_FRAME_SIZE, DEFAULT_WINDOW, SettingId } from '../../wire/http2/frame.ts';
import { DEFAULT_TABLE_SIZE } from '../../wire/http2/index-table.ts';
import type { ValidationOptions } from '../../wire/http2/request-validator.ts';
import { NATIVE_LIMIT_FACTOR } from '../http2-shared/list-limits.ts';
import { responseIndexing } from './response-section.ts';

const RULES = nghttp2Rules(process.versions['nghttp2'] ?? '');
/** Number of frames of a field block: HEADERS and CONTINUATION, as nghttp2 accepts them. */
const MAX_FRAGMENTS = 9;
/** Bytes of a field block in several frames that are accepted in any case. */
const MIN_BLOCK = 64 * 1024;

/** The options of a server's connection. @param gathers whether a write may have several pieces: over TLS Node joins them */
export function connectionOptions(limits: Limits, gathers: boolean): ConnectionOptions {
  const maxListSize = NATIVE_LIMIT_FACTOR * limits.maxHeaderSize;
  return {
    role: 'server',
    creditsOnArrival: true,
    gathers,
    settings: [
      { id: SettingId.maxConcurrentStreams, value: limits.maxStreams },
      { id: SettingId.maxHeaderListSize, value: maxListSize },
      ...changed(SettingId.initialWindowSize, limits.initialWindowSize, DEFAULT_WINDOW),
      ...changed(SettingId.maxFrameSize, limits.maxFrameSize, DEFAULT_MAX_FRAME_SIZE),
      ...changed(SettingId.headerTableSize, limits.headerTableSize, DEFAULT_TABLE_SIZE),
      ...changed(SettingId.enableConnectProtocol, limits.enableConnectProtocol ? 1 : 0, 0),
    ],
    maxListSize,
    limits: { block: Math.max(MIN_BLOCK, 2 * maxListSize), fragments: MAX_FRAGMENTS },
    encoder: { indexing: responseIndexing },
  };
}

/** A setting that differs from its initial value (RFC 9113 6.5.2). */
function changed(id: number, value: number, initial: number) {
  return value === initial ? [] : [{ id, value }];
}

/** How requests are validated. @param local the settings that the client has acknowledged, which change */
export function validationOptions(
  { maxHeaderSize, maxFields }: Limits,
  local: Readonly<ConnectionSettings>,
): ValidationOptions {
  return {
    rules: RULES,
    get connectProtocol() {
      return local.enableConnectProtocol;
    },
    maxFields: NATIVE_LIMIT_FACTOR * maxFields,
    maxListSize: NATIVE_LIMIT_FACTOR * maxHeaderSize,
  };
}
