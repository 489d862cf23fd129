import { Flag, FrameType, type RawFrame } from '../../wire/http2/frame.ts';
import { fragment } from '../../wire/http2/frame-payload.ts';
import { errorCodeName, frameTypeName } from '../../wire/http2/names.ts';
import type { FieldLine, RequestMessage } from '../message.ts';
import { bytesOf } from './http1-message.ts';
import type { Http2Options } from './http2-options.ts';

/** Payload of PING; its acknowledgement must repeat it (RFC 9113 6.7). */
export const PING_DATA = Buffer.from('wirebin!');

/** Settings as text: `3:100;4:65535`. */
export function settingsText(settings: Iterable<readonly [id: number, value: number]>): string {
  return Array.from(settings, ([id, value]) => `${id}:${value}`).join(';');
}

/** Indents the lines of received text, so that none looks like the line of a frame. */
const indented = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, '$&  ');

/** Bytes of a frame's payload that are shown. */
const SHOWN = 256;

/** A frame as one line of evidence. @param fields decoded from its field block */
export function frameText(shown: RawFrame, fields?: readonly FieldLine[]): string {
  const { type, flags, stream, payload } = shown;
  const head = `${frameTypeName(type)} stream=${stream} flags=0x${flags.toString(16)} length=${payload.length}`;
  if (fields) return fieldsText(head, fields);
  switch (type) {
    case FrameType.rstStream:
      return payload.length === 4 ? `${head} ${errorCodeName(payload.readUInt32BE())}` : head;
    case FrameType.goaway:
      if (payload.length < 8) return head;
      return `${head} last=${payload.readUInt32BE()} ${errorCodeName(payload.readUInt32BE(4))} ${indented(payload.toString('latin1', 8, SHOWN))}`;
    case FrameType.data:
      return `${head}\n  ${indented(fragment(shown).toString('latin1', 0, SHOWN))}`;
    default:
      return `${head} ${payload.toString('hex', 0, SHOWN)}`.trimEnd();
  }
}

/** Characters of a decoded field block that are shown: it can be much larger than its encoded form. */
const MAX_FIELDS = 64 * 1024;

function fieldsText(head: string, fields: readonly FieldLine[]): string {
  let text = head;
  for (const [name, value] of fields) {
    text += `\n  ${indented(name)}: ${indented(value)}`;
    if (text.length > MAX_FIELDS) return `${text}\n  …`;
  }
  return text;
}

/** The fields with lower-case names, as HTTP/2 requires (RFC 9113 8.2). */
export function lowerCase(fields: readonly FieldLine[]): FieldLine[] {
  return fields.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Bytes that padding adds to a frame: itself, and the field with its length (RFC 9113 6.1). */
export const padLength = (padding: number | undefined): number =>
  padding === undefined ? 0 : 1 + padding;

/** DATA or HEADERS with padding (RFC 9113 6.1, 6.2); other frames have none. */
export function padded(sent: RawFrame, padding: number | undefined): RawFrame {
  const { type, flags, payload } = sent;
  if (padding === undefined || (type !== FrameType.data && type !== FrameType.headers)) return sent;
  const bytes = Buffer.concat([Buffer.of(padding), payload, Buffer.alloc(padding)]);
  return { ...sent, flags: flags | Flag.padded, payload: bytes };
}

/** The fields of a request, pseudo-header fields first (RFC 9113 8.3). */
export function requestFields(
  { method = 'GET', target, fields = [], content, ...message }: RequestMessage,
  options: Pick<Http2Options, 'authority' | 'scheme'>,
): FieldLine[] {
  const { framing, trailers, authority = options.authority } = message;
  const hasLength = content !== undefined && framing !== 'chunked' && trailers === undefined;
  return [
    [':method', method],
    [':scheme', options.scheme],
    [':authority', authority],
    [':path', target],
    ...lowerCase(fields),
    ...(hasLength ? [['content-length', String(bytesOf(content).length)] as const] : []),
  ];
}

/** Number of lines that are kept as evidence. */
const MAX_LINES = 200;

/** Appends a line of evidence, up to `MAX_LINES`. */
export function keep(lines: string[], line: string): void {
  if (lines.length < MAX_LINES) lines.push(line);
  else if (lines.length === MAX_LINES) lines.push('…');
}
