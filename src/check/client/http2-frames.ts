import { FrameType, type RawFrame } from '../../wire/http2/frame.ts';
import { errorCodeName, frameTypeName } from '../../wire/http2/names.ts';
import type { FieldLine } from '../message.ts';

/** What a PING of a check carries: its acknowledgement has to have the same (RFC 9113 6.7). */
export const PING_DATA = Buffer.from('wirebin!');

/** Settings as text: `3:100;4:65535`. */
export function settingsText(settings: Iterable<readonly [id: number, value: number]>): string {
  return Array.from(settings, ([id, value]) => `${id}:${value}`).join(';');
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
