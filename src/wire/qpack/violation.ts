import { connectionError, type Violation } from '../http2/violation.ts';

// The errors of QPACK, all of which end the connection (RFC 9204 6).

/** The violation of an encoded field section. */
export const decompressionFailed = (section: string, reason: string): Violation =>
  connectionError(section, reason, 'QPACK_DECOMPRESSION_FAILED');

/** The violation of an instruction for the dynamic table. */
export const encoderStreamError = (section: string, reason: string): Violation =>
  connectionError(section, reason, 'QPACK_ENCODER_STREAM_ERROR');

/** The violation of an instruction that acknowledges. */
export const decoderStreamError = (section: string, reason: string): Violation =>
  connectionError(section, reason, 'QPACK_DECODER_STREAM_ERROR');
