import { FRAME_HEADER_LENGTH } from '../wire/http2/frame.ts';
import type { FramePart, RejectedMessage } from '../net/rejected-message.ts';
import type { FramePayload } from '../wire/http2/frame-payload.ts';
import type { ErrorFrame, Frame } from './http2/frames.ts';
import type { DecodedField } from '../wire/field-compression/field-section.ts';
import { sectionFields, requestSection, type StreamFacts } from './http2/stream.ts';

/** Bytes kept of the frames of a rejected stream. */
const MAX_FRAMES = 1024;
/** Bytes of a GOAWAY payload before its debug data. */
const GOAWAY_LENGTH = 8;

/** The request of a rejected stream, and the frames of its header section. */
export function http2Rejected(stream: StreamFacts): RejectedMessage {
  const section = requestSection(stream);
  const fields = sectionFields(section);
  const valueOf = (wanted: string): string | undefined =>
    fields.find(({ name }) => name === wanted)?.value;
  const frames = redactableParts(section, fields);
  return {
    method: valueOf(':method'),
    target: valueOf(':path'),
    ...(frames.length > 0 && { frames }),
  };
}

/**
 * The frame because of which nghttp2 ended the connection, with the request of its stream.
 *
 * @param stream stream of the frame; undefined if it is not known
 */
export function connectionRejected(
  { raw, offset, payload }: ErrorFrame,
  stream: StreamFacts | undefined,
): RejectedMessage {
  const request = stream && http2Rejected(stream);
  const isOfSection = stream && requestSection(stream).some((frame) => frame.offset === offset);
  if (isOfSection) return request ?? {};
  const start = FRAME_HEADER_LENGTH + plainLength(payload);
  const header: FramePart = { kind: 'header', text: raw.slice(0, start) };
  const content: FramePart = { kind: 'content', text: raw.slice(start, MAX_FRAMES) };
  return { ...request, frames: content.text === '' ? [header] : [header, content] };
}

/** Bytes of a payload that certainly contain no secret. */
function plainLength(payload: FramePayload): number {
  switch (payload.kind) {
    case 'settings':
    case 'window-update':
    case 'priority':
    case 'priority-update':
    case 'rst-stream':
    case 'ping':
      return MAX_FRAMES;
    case 'goaway':
      return GOAWAY_LENGTH;
    case 'data':
    case 'headers':
    case 'push-promise':
    case 'continuation':
    case 'bytes':
      return 0;
  }
}

/** The first bytes of the frames of a section, divided into parts by how they are redacted. */
function redactableParts(section: readonly Frame[], fields: readonly DecodedField[]): FramePart[] {
  const parts: FramePart[] = [];
  let room = MAX_FRAMES;
  const add = (part: FramePart): void => {
    const text = part.text.slice(0, room);
    if (text !== '') parts.push({ ...part, text });
    room -= text.length;
  };
  let offset = 0;
  for (const { raw, length, padding = 0, payload } of section) {
    const fragment = 'fragment' in payload ? payload.fragment : 0;
    const start = FRAME_HEADER_LENGTH + length - padding - fragment;
    add({ kind: 'header', text: raw.slice(0, start) });
    const block = raw.slice(start, start + fragment);
    for (const part of blockParts(block, offset, fields)) add(part);
    add({ kind: 'content', text: raw.slice(start + fragment) });
    offset += fragment;
  }
  return parts;
}

/** @param text a fragment of a field block @param offset of the fragment in the block */
function* blockParts(
  text: string,
  offset: number,
  fields: readonly DecodedField[],
): Generator<FramePart> {
  let at = 0;
  for (const { name, value, offset: start, length } of fields) {
    const from = Math.max(at, start - offset);
    const end = Math.min(text.length, start + length - offset);
    if (end <= from) continue;
    yield { kind: 'content', text: text.slice(at, from) };
    yield { kind: 'field', text: text.slice(from, end), name, value };
    at = end;
  }
  yield { kind: 'content', text: text.slice(at) };
}
