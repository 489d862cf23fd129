import { varint, varintLength, writeVarint } from '../byte-writer.ts';
import { FrameType } from './names.ts';
import type { Setting } from './settings.ts';

/** The header of a frame (RFC 9114 7.1). @param length of the payload in bytes */
export function frameHeader(type: number | bigint, length: number): Buffer {
  const header = Buffer.allocUnsafe(varintLength(type) + varintLength(length));
  writeVarint(header, writeVarint(header, 0, type), length);
  return header;
}

/** A frame, with a copy of its payload. */
export function frame(type: number | bigint, payload: Uint8Array): Buffer {
  const { length } = payload;
  const bytes = Buffer.allocUnsafe(varintLength(type) + varintLength(length) + length);
  bytes.set(payload, writeVarint(bytes, writeVarint(bytes, 0, type), length));
  return bytes;
}

/** SETTINGS (RFC 9114 7.2.4), in this order. */
export function settingsFrame(settings: readonly Setting[]): Buffer {
  const parts = settings.flatMap(({ id, value }) => [varint(id), varint(value)]);
  return frame(FrameType.settings, Buffer.concat(parts));
}

/** GOAWAY, MAX_PUSH_ID or CANCEL_PUSH (RFC 9114 7.2.3, 7.2.6, 7.2.7). @param id of a stream or a push */
export const idFrame = (
  type: typeof FrameType.goaway | typeof FrameType.maxPushId | typeof FrameType.cancelPush,
  id: number | bigint,
): Buffer => frame(type, varint(id));

/**
 * PRIORITY_UPDATE of a request (RFC 9218 7.2).
 *
 * @param stream id of the request stream
 * @param value of the field Priority, in ASCII
 */
export const priorityUpdateFrame = (stream: number, value: string): Buffer =>
  frame(
    FrameType.priorityUpdateRequest,
    Buffer.concat([varint(stream), Buffer.from(value, 'latin1')]),
  );
