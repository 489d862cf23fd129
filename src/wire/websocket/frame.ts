/** Opcodes (RFC 6455 5.2). */
export const Opcode = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

/** Status codes of Close frames (RFC 6455 7.4.1, and IANA's registry). */
export const CloseCode = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  invalidData: 1007,
  tooBig: 1009,
  tryAgainLater: 1013,
} as const;

/** Maximum content of a Ping, Pong or Close frame, in bytes (RFC 6455 5.5). */
export const MAX_CONTROL_LENGTH = 125;

export interface WebSocketFrame {
  readonly isFinal: boolean;
  readonly opcode: number;
  /** RSV1 of permessage-deflate (RFC 7692 6): set in the first frame of a compressed message. Default: false. */
  readonly isCompressed?: boolean;
  /** Content, not masked. */
  readonly content: Buffer;
}

/** @param mask of a client, 4 bytes; servers have none (RFC 6455 5.1) */
export function encodeFrame(
  { isFinal, opcode, isCompressed = false, content }: WebSocketFrame,
  mask?: Uint8Array,
): Buffer {
  const { length } = content;
  const lengthSize = length < 126 ? 0 : length < 0x10000 ? 2 : 8;
  const start = 2 + lengthSize + (mask ? 4 : 0);
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode;
  const bit = mask ? 0x80 : 0;
  if (lengthSize === 0) frame[1] = bit | length;
  else if (lengthSize === 2) {
    frame[1] = bit | 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = bit | 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  content.copy(frame, start);
  if (mask) {
    frame.set(mask, start - 4);
    applyMask(frame.subarray(start), mask, 0);
  }
  return frame;
}

/** Masks or unmasks bytes (RFC 6455 5.3). @param at offset of the bytes in the content */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, at: number): void {
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (bytes[index] ?? 0) ^ (mask[(at + index) & 3] ?? 0);
  }
}

/** The content of a Close frame (RFC 6455 5.5.1). @param reason cut off if it is too long */
export function closeContent(code: number, reason = ''): Buffer {
  const content = Buffer.alloc(2 + Math.min(Buffer.byteLength(reason), MAX_CONTROL_LENGTH - 2));
  content.writeUInt16BE(code);
  content.write(reason, 2);
  return content;
}

/** Whether a Close frame may have this code. Some codes only report how a connection ended (RFC 6455 7.4). */
export function isCloseCode(code: number): boolean {
  if (code >= 3000) return code < 5000;
  return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}
