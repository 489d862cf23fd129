import { FRAME_HEADER_LENGTH, FrameType } from '../../net/http2-frame.ts';
import { errorCodeName, frameTypeName } from '../../net/http2-names.ts';
import type { FieldLine } from '../message.ts';

/** A frame as sent or received. */
export interface RawFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** A frame as bytes (RFC 9113 4.1), whether it is valid or not. */
export function frame(type: number, flags: number, stream: number, payload = NOTHING): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_LENGTH + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, FRAME_HEADER_LENGTH);
  return bytes;
}

/** The payload of SETTINGS (RFC 9113 6.5.1). */
export function settingsPayload(
  settings: readonly (readonly [id: number, value: number])[],
): Buffer {
  const bytes = Buffer.alloc(6 * settings.length);
  settings.forEach(([id, value], at) => {
    bytes.writeUInt16BE(id, 6 * at);
    bytes.writeUInt32BE(value, 6 * at + 2);
  });
  return bytes;
}

/** A number of 32 bits, as in RST_STREAM and WINDOW_UPDATE. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A field block of literals without indexing and Huffman coding (RFC 7541 6.2.2), valid or not. */
export function fieldBlock(fields: readonly FieldLine[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), string(name), string(value)]),
  );
}

/** RFC 7541 5.2. */
function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** RFC 7541 5.1, with a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.of(value);
  const bytes = [127];
  let rest = value - 127;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Splits bytes into frames. */
export class FrameSplitter {
  #rest: Buffer = NOTHING;

  /** @returns the frames that are complete with the piece */
  push(piece: Buffer): RawFrame[] {
    this.#rest = Buffer.concat([this.#rest, piece]);
    const frames: RawFrame[] = [];
    while (this.#rest.length >= FRAME_HEADER_LENGTH) {
      const end = FRAME_HEADER_LENGTH + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) break;
      frames.push({
        type: this.#rest.readUInt8(3),
        flags: this.#rest.readUInt8(4),
        stream: this.#rest.readUInt32BE(5) & 0x7fffffff,
        payload: this.#rest.subarray(FRAME_HEADER_LENGTH, end),
      });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}

/** Bytes of a payload that are shown. */
const SHOWN = 256;

/** A frame in one line, as evidence. @param fields of a decoded field block */
export function frameText(
  { type, flags, stream, payload }: RawFrame,
  fields?: readonly FieldLine[],
): string {
  const head = `${frameTypeName(type)} stream=${stream} flags=0x${flags.toString(16)} length=${payload.length}`;
  if (fields) return [head, ...fields.map(([name, value]) => `  ${name}: ${value}`)].join('\n');
  switch (type) {
    case FrameType.rstStream:
      return payload.length === 4 ? `${head} ${errorCodeName(payload.readUInt32BE())}` : head;
    case FrameType.goaway:
      if (payload.length < 8) return head;
      return `${head} last=${payload.readUInt32BE()} ${errorCodeName(payload.readUInt32BE(4))} ${payload.toString('latin1', 8, SHOWN)}`;
    case FrameType.data:
      return `${head}\n  ${payload.toString('latin1', 0, SHOWN)}`;
    default:
      return `${head} ${payload.toString('hex', 0, SHOWN)}`.trimEnd();
  }
}
