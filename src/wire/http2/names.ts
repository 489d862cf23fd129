import { hex } from '../tls/names.ts';

// IANA's registries of HTTP/2, each named by its CSV file; `npm run registries` compares them. Unknown code points are shown as numbers.

/**
 * HTTP/2 Settings (settings.csv), as of 2022-08-17, without the prefix SETTINGS_ that some have: RFC 9113 6.5.2, RFC 8441
 * 3, RFC 9218 2.1, MS-HTTP2E, draft-beky-httpbis-metadata.
 */
export const settings: Readonly<Record<number, string>> = {
  0x01: 'HEADER_TABLE_SIZE',
  0x02: 'ENABLE_PUSH',
  0x03: 'MAX_CONCURRENT_STREAMS',
  0x04: 'INITIAL_WINDOW_SIZE',
  0x05: 'MAX_FRAME_SIZE',
  0x06: 'MAX_HEADER_LIST_SIZE',
  0x08: 'ENABLE_CONNECT_PROTOCOL',
  0x09: 'NO_RFC7540_PRIORITIES',
  0x10: 'TLS_RENEG_PERMITTED',
  0x4d44: 'ENABLE_METADATA',
};

/** HTTP/2 Frame Type (frame-type.csv), as of 2022-08-17: RFC 9113 6, RFC 7838 4, RFC 8336 2.1, RFC 9218 7.1. */
export const frameTypes: Readonly<Record<number, string>> = {
  0x00: 'DATA',
  0x01: 'HEADERS',
  0x02: 'PRIORITY',
  0x03: 'RST_STREAM',
  0x04: 'SETTINGS',
  0x05: 'PUSH_PROMISE',
  0x06: 'PING',
  0x07: 'GOAWAY',
  0x08: 'WINDOW_UPDATE',
  0x09: 'CONTINUATION',
  0x0a: 'ALTSVC',
  0x0c: 'ORIGIN',
  0x10: 'PRIORITY_UPDATE',
};

/** HTTP/2 Error Code (error-code.csv) from 0, as of 2022-08-17 (RFC 9113 7). */
export const errorCodes = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** The codes of the errors that are told from others here. */
export const ErrorCode = {
  noError: 0x0,
  protocolError: 0x1,
  internalError: 0x2,
  streamClosed: 0x5,
  refusedStream: 0x7,
  cancel: 0x8,
  enhanceYourCalm: 0xb,
} as const;

/** The code of an error. @param name one of `errorCodes` */
export const errorCode = (name: string): number => errorCodes.indexOf(name);

export const settingName = (id: number): string => settings[id] ?? hex(id);
export const frameTypeName = (type: number): string => frameTypes[type] ?? hex(type, 1);
export const errorCodeName = (code: number): string => errorCodes[code] ?? hex(code);
