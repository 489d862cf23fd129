import { hex } from '../tls/names.ts';
import type { Names } from '../tls/registries.ts';

/** Frame types (RFC 9114 7.2, RFC 9218 7.2). */
export const FrameType = {
  data: 0x00,
  headers: 0x01,
  cancelPush: 0x03,
  settings: 0x04,
  pushPromise: 0x05,
  goaway: 0x07,
  maxPushId: 0x0d,
  priorityUpdateRequest: 0xf0700,
  priorityUpdatePush: 0xf0701,
} as const;

/** Settings (RFC 9114 7.2.4.1, RFC 9204 5, RFC 9220 3, RFC 9297 2.1.1). */
export const SettingId = {
  qpackMaxTableCapacity: 0x01,
  maxFieldSectionSize: 0x06,
  qpackBlockedStreams: 0x07,
  enableConnectProtocol: 0x08,
  h3Datagram: 0x33,
} as const;

/** Types of unidirectional streams (RFC 9114 6.2, RFC 9204 4.2). */
export const StreamType = { control: 0, push: 1, qpackEncoder: 2, qpackDecoder: 3 } as const;

/** Error codes by name (RFC 9114 8.1, RFC 9204 6, RFC 9297 5.2). */
export const ErrorCode = {
  H3_DATAGRAM_ERROR: 0x33,
  H3_NO_ERROR: 0x100,
  H3_GENERAL_PROTOCOL_ERROR: 0x101,
  H3_INTERNAL_ERROR: 0x102,
  H3_STREAM_CREATION_ERROR: 0x103,
  H3_CLOSED_CRITICAL_STREAM: 0x104,
  H3_FRAME_UNEXPECTED: 0x105,
  H3_FRAME_ERROR: 0x106,
  H3_EXCESSIVE_LOAD: 0x107,
  H3_ID_ERROR: 0x108,
  H3_SETTINGS_ERROR: 0x109,
  H3_MISSING_SETTINGS: 0x10a,
  H3_REQUEST_REJECTED: 0x10b,
  H3_REQUEST_CANCELLED: 0x10c,
  H3_REQUEST_INCOMPLETE: 0x10d,
  H3_MESSAGE_ERROR: 0x10e,
  H3_CONNECT_ERROR: 0x10f,
  H3_VERSION_FALLBACK: 0x110,
  QPACK_DECOMPRESSION_FAILED: 0x200,
  QPACK_ENCODER_STREAM_ERROR: 0x201,
  QPACK_DECODER_STREAM_ERROR: 0x202,
} as const;
export type ErrorName = keyof typeof ErrorCode;

// What RFCs and draft-beky-httpbis-metadata have registered with IANA for HTTP/3. `npm run registries` compares it.

/** HTTP/3 Frame Types: RFC 9114 7.2, RFC 9412 2, RFC 9218 7.2, draft-beky-httpbis-metadata. */
export const frameTypes: Names = {
  0x00: 'DATA',
  0x01: 'HEADERS',
  0x03: 'CANCEL_PUSH',
  0x04: 'SETTINGS',
  0x05: 'PUSH_PROMISE',
  0x07: 'GOAWAY',
  0x0c: 'ORIGIN',
  0x0d: 'MAX_PUSH_ID',
  0x4d: 'METADATA',
  0xf0700: 'PRIORITY_UPDATE',
  0xf0701: 'PRIORITY_UPDATE',
};

/** HTTP/3 Settings, without the prefix SETTINGS_: RFC 9114, RFC 9204 5, RFC 9220 5, RFC 9297 5.1, and the draft. */
export const settings: Names = {
  0x01: 'QPACK_MAX_TABLE_CAPACITY',
  0x06: 'MAX_FIELD_SECTION_SIZE',
  0x07: 'QPACK_BLOCKED_STREAMS',
  0x08: 'ENABLE_CONNECT_PROTOCOL',
  0x33: 'H3_DATAGRAM',
  0x4d44: 'ENABLE_METADATA',
};

/** HTTP/3 Stream Types: RFC 9114 6.2, RFC 9204 4.2. */
export const streamTypes: Names = {
  0: 'Control Stream',
  1: 'Push Stream',
  2: 'QPACK Encoder Stream',
  3: 'QPACK Decoder Stream',
};

/** HTTP/3 Error Codes. */
export const errorCodes: Names = Object.fromEntries(
  Object.entries(ErrorCode).map(([name, code]) => [code, name]),
);

/** Settings of drafts of HTTP Datagrams and WebTransport, which browsers send. */
const unregisteredSettings: Names = {
  0xffd277: 'H3_DATAGRAM_draft04',
  0x2b603742: 'ENABLE_WEBTRANSPORT',
  0xc671706a: 'WEBTRANSPORT_MAX_SESSIONS',
};

/**
 * Whether a frame type, setting, error code or stream type is reserved to exercise that unknown ones are ignored: 0x1f *
 * N + 0x21 (RFC 9114 7.2.8).
 */
export function isReserved(value: number | bigint): boolean {
  if (typeof value === 'bigint') return value % 0x1fn === 2n;
  return value >= 0x21 && value % 0x1f === 2;
}

export const frameTypeName = (type: number | bigint): string => nameOf(frameTypes, type);
export const settingName = (id: number | bigint): string =>
  unregisteredSettings[Number(id)] ?? nameOf(settings, id);
export const streamTypeName = (type: number | bigint): string => nameOf(streamTypes, type);
export const errorCodeName = (code: number | bigint): string => nameOf(errorCodes, code);

function nameOf(names: Names, value: number | bigint): string {
  return names[Number(value)] ?? (isReserved(value) ? 'GREASE' : hex(value, 1));
}
