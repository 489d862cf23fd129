import { Flag, FRAME_HEADER_LENGTH, FrameType } from '../../net/http2-frame.ts';
import { errorCodeName, frameTypeName } from '../../net/http2-names.ts';
import type { FieldLine } from '../message.ts';

/** What a PING of a check carries: its acknowledgement has to have the same (RFC 9113 6.7). */
export const PING_DATA = Buffer.from('wirebin!');

/** A frame as sent or received. */
export interface RawFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

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

/** Settings as text: `3:100;4:65535`. */
export function settingsText(settings: Iterable<readonly [id: number, value: number]>): string {
  return Array.from(settings, ([id, value]) => `${id}:${value}`).join(';');
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

/** Indents the lines of what a peer has sent, so that none looks like that of a frame. */
const indented = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, '$&  ');

/** Bytes of a payload that are shown. */
const SHOWN = 256;

/** A frame in one line, as evidence. @param fields of a decoded field block */
export function frameText(
  { type, flags, stream, payload }: RawFrame,
  fields?: readonly FieldLine[],
): string {
  const head = `${frameTypeName(type)} stream=${stream} flags=0x${flags.toString(16)} length=${payload.length}`;
  if (fields) return fieldsText(head, fields);
  switch (type) {
    case FrameType.rstStream:
      return payload.length === 4 ? `${head} ${errorCodeName(payload.readUInt32BE())}` : head;
    case FrameType.goaway:
      if (payload.length < 8) return head;
      return `${head} last=${payload.readUInt32BE()} ${errorCodeName(payload.readUInt32BE(4))} ${indented(payload.toString('latin1', 8, SHOWN))}`;
    case FrameType.data:
      return `${head}\n  ${indented(payload.toString('latin1', 0, SHOWN))}`;
    default:
      return `${head} ${payload.toString('hex', 0, SHOWN)}`.trimEnd();
  }
}

/** Characters of a field block that are shown: it can be much larger than its encoded form. */
const MAX_FIELDS = 64 * 1024;

function fieldsText(head: string, fields: readonly FieldLine[]): string {
  let text = head;
  for (const [name, value] of fields) {
    text += `\n  ${indented(name)}: ${indented(value)}`;
    if (text.length > MAX_FIELDS) return `${text}\n  …`;
  }
  return text;
}

/** The payload without padding and priority (RFC 9113 6.1, 6.2). */
export function fragment({ type, flags, payload }: RawFrame): Buffer {
  const isPadded = (flags & Flag.padded) !== 0;
  const start = isPadded ? 1 : 0;
  const priority = type === FrameType.headers && (flags & Flag.priority) !== 0 ? 5 : 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  return payload.subarray(start + priority, Math.max(0, payload.length - padding));
}

/** RFC 9113 8.2. */
export function lowerCase(fields: readonly FieldLine[]): FieldLine[] {
  return fields.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Lines kept as evidence. */
const MAX_LINES = 200;

/** Appends a line, unless there are as many as evidence has. */
export function keep(lines: string[], line: string): void {
  if (lines.length < MAX_LINES) lines.push(line);
  else if (lines.length === MAX_LINES) lines.push('…');
}
