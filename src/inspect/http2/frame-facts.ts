import type { Priority } from '../../net/client-preface.ts';
import { errorCodeName, frameTypeName, settingName } from '../../net/http2-names.ts';
import { hex } from '../../net/tls-names.ts';
import { FrameType, type EndedBlock, type FramePayload } from './frame-payload.ts';
import type { SeenFrame } from './stream.ts';
import type { SectionVerdict } from './validate.ts';

type Facts = Readonly<Record<string, unknown>>;

const END_STREAM: Readonly<Record<number, string>> = { 0x1: 'END_STREAM' };
const ACK: Readonly<Record<number, string>> = { 0x1: 'ACK' };
const PADDED: Readonly<Record<number, string>> = { 0x8: 'PADDED' };
const END_HEADERS: Readonly<Record<number, string>> = { 0x4: 'END_HEADERS' };

/** Names of flags by type (RFC 9113 6). */
const flags: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  [FrameType.data]: { ...END_STREAM, ...PADDED },
  [FrameType.headers]: { ...END_STREAM, ...END_HEADERS, ...PADDED, 0x20: 'PRIORITY' },
  [FrameType.settings]: ACK,
  [FrameType.pushPromise]: { ...END_HEADERS, ...PADDED },
  [FrameType.ping]: ACK,
  [FrameType.continuation]: END_HEADERS,
};

/** The flags that are set; those without a name as numbers. */
export function flagNames(type: number, set: number): string[] {
  const names: string[] = [];
  for (let flag = 1; flag <= 0x80; flag *= 2) {
    if ((set & flag) !== 0) names.push(flags[type]?.[flag] ?? hex(flag, 1));
  }
  return names;
}

/** A frame as JSON shows it. Field values are as sent: redact what must not be shown. */
export function frameFacts({ frame, windows, verdict, violations }: SeenFrame): Facts {
  const { from, at, offset, type, flags: set, stream, length, padding, payload } = frame;
  return {
    from,
    at,
    offset,
    type: frameTypeName(type),
    type_number: type,
    flags: flagNames(type, set),
    flags_number: set,
    stream,
    length,
    padding,
    ...payloadFacts(payload, verdict),
    window: windows,
    violations: violations.length > 0 ? violations : undefined,
  };
}

function payloadFacts(payload: FramePayload, verdict: SectionVerdict | undefined): Facts {
  switch (payload.kind) {
    case 'data':
      return { content: payload.content };
    case 'headers':
      return { ...priorityFacts(payload.priority), ...blockFacts(payload, verdict) };
    case 'push-promise':
      return { promised: payload.promised, ...blockFacts(payload, verdict) };
    case 'continuation':
      return blockFacts(payload, verdict);
    case 'priority':
      return priorityFacts(payload.priority);
    case 'rst-stream':
      return { code: errorCodeName(payload.code) };
    case 'settings':
      return {
        settings: payload.settings.map(({ id, value }) => ({
          name: settingName(id),
          id: hex(id),
          value,
        })),
      };
    case 'ping':
      return { data: payload.data };
    case 'goaway':
      return {
        last_stream: payload.lastStream,
        code: errorCodeName(payload.code),
        debug_data: payload.debugData,
      };
    case 'window-update':
      return { increment: payload.increment };
    case 'priority-update':
      return { prioritized_stream: payload.stream, priority: payload.value };
    case 'bytes':
      return { bytes: Buffer.from(payload.bytes, 'latin1').toString('hex') };
  }
}

function priorityFacts(priority: Priority | undefined): Facts {
  if (!priority) return {};
  const { exclusive, dependsOn, weight } = priority;
  return { exclusive, depends_on: dependsOn, weight };
}

function blockFacts(
  { fragment, ended }: { readonly fragment: number; readonly ended?: EndedBlock },
  verdict: SectionVerdict | undefined,
): Facts {
  if (!ended) return { fragment };
  const { block } = ended;
  return {
    fragment,
    fields: block.fields.map((field, at) => ({
      name: field.name,
      value: field.value,
      sent: field.representation,
      index: field.index,
      huffman_name: field.huffmanName,
      huffman_value: field.huffmanValue,
      offset: field.offset,
      length: field.length,
      ...verdict?.faults[at],
    })),
    fields_left_out: block.leftOut,
    block: block.length,
    table: {
      size: block.tableSize,
      max_size: block.maxTableSize,
      entries: block.tableEntries,
      insertions: block.insertions,
      evictions: block.evictions,
      updates: block.sizeUpdates,
    },
    error: block.error,
    refusals: verdict?.refusals,
  };
}
