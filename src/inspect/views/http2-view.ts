import { FRAME_HEADER_LENGTH, FrameType } from '../../wire/http2/frame.ts';
import { errorCodeName, frameTypeName, settingName } from '../../wire/http2/names.ts';
import { hex } from '../../wire/tls/names.ts';
import type { FramePayload, Priority } from '../../wire/http2/frame-payload.ts';
import type { EndedBlock, Frame } from '../http2/frames.ts';
import type { DecodedField } from '../../wire/field-compression/field-section.ts';
import type { Goaway } from '../http2/goaways.ts';
import type { Http2Reader } from '../http2/http2-reader.ts';
import type { Http2Direction } from '../http2/direction.ts';
import type { SeenFrame, StreamFacts } from '../http2/stream.ts';
import type { FieldFault } from '../../wire/http2/field-rules.ts';
import type { Violation } from '../../wire/http2/violation.ts';
import { elapsed, leftOutView, type Redaction, type View } from './view.ts';

/** Estimated bytes of a shown field without its name and value. */
const FIELD_COST = 200;

/** Bytes of a setting, and below, of GOAWAY and PRIORITY_UPDATE before their text. */
const SETTING_LENGTH = 6;
const GOAWAY_LENGTH = 8;
const PRIORITIZED_LENGTH = 4;

/** A stream, with the frames of both directions in order. */
export function streamView(stream: StreamFacts, openedAt: number, redaction: Redaction) {
  return {
    ...streamSummaryView(stream),
    frames: stream.frames.map((seen) => frameView(seen, openedAt, redaction)),
    left_out: stream.leftOut,
  };
}

/** A stream without its frames. */
function streamSummaryView(stream: StreamFacts) {
  const { id, state, received, contentLength, windows, reset, refusalReasons } = stream;
  return {
    stream: id,
    state,
    data_received: received,
    ...(contentLength !== undefined && { content_length: contentLength }),
    windows: { to_server: windows.client, to_client: windows.server },
    ...(stream.aboveLimit && { above_limit: true }),
    ...(reset && { reset: { by: reset.by, frame: reset.frame, code: errorCodeName(reset.code) } }),
    ...(stream.rejected && { rejected: true }),
    ...(refusalReasons.length > 0 && { refusals: refusalReasons.map(violationView) }),
    ...leftOutView('refusals', stream.refusalReasonsLeftOut),
  };
}

/** A frame as sent, with its violations. */
export function frameView(
  { frame, windows, verdict, violations }: SeenFrame,
  openedAt: number,
  redaction: Redaction,
) {
  const { from, offset, type, flags, stream, length, padding, at, endedAt } = frame;
  return {
    from,
    type: frameTypeName(type),
    flags: flagNames(type, flags),
    stream,
    length,
    offset,
    at_ms: elapsed(at, openedAt),
    ...redaction.records?.(from, offset, FRAME_HEADER_LENGTH + length),
    ...(endedAt !== at && { end_at_ms: elapsed(endedAt, openedAt) }),
    ...(padding !== undefined && { padding }),
    ...payloadView(frame, redaction, verdict?.faults),
    ...(windows && { window: windows.connection }),
    ...(windows?.stream !== undefined && { stream_window: windows.stream }),
    ...(violations.length > 0 && { violations: violations.map(violationView) }),
  };
}

const END_STREAM: Readonly<Record<number, string>> = { 0x1: 'END_STREAM' };
const ACK: Readonly<Record<number, string>> = { 0x1: 'ACK' };
const PADDED: Readonly<Record<number, string>> = { 0x8: 'PADDED' };
const END_HEADERS: Readonly<Record<number, string>> = { 0x4: 'END_HEADERS' };

/** Names of flags by type (RFC 9113 6). */
const flagsByType: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  [FrameType.data]: { ...END_STREAM, ...PADDED },
  [FrameType.headers]: { ...END_STREAM, ...END_HEADERS, ...PADDED, 0x20: 'PRIORITY' },
  [FrameType.settings]: ACK,
  [FrameType.pushPromise]: { ...END_HEADERS, ...PADDED },
  [FrameType.ping]: ACK,
  [FrameType.continuation]: END_HEADERS,
};

/** Names of the flags that are set. Flags without a name are shown as numbers. */
export function flagNames(type: number, flags: number): readonly string[] {
  const names: string[] = [];
  for (let flag = 1; flag <= 0x80; flag *= 2) {
    if ((flags & flag) !== 0) names.push(flagsByType[type]?.[flag] ?? hex(flag, 1));
  }
  return names;
}

function payloadView(
  { payload, ended, length }: Frame,
  redaction: Redaction,
  faults: readonly (FieldFault | undefined)[] = [],
) {
  switch (payload.kind) {
    case 'data':
      return { content: payload.content };
    case 'headers':
      return {
        ...(payload.priority && priorityView(payload.priority)),
        fragment: payload.fragment,
        ...blockView(ended, redaction, faults),
      };
    case 'push-promise':
      return {
        promised_stream: payload.promised,
        fragment: payload.fragment,
        ...blockView(ended, redaction, faults),
      };
    case 'continuation':
      return { fragment: payload.fragment, ...blockView(ended, redaction, faults) };
    case 'priority':
      return priorityView(payload.priority);
    case 'rst-stream':
      return { code: errorCodeName(payload.code) };
    case 'ping':
      return { data: payload.data };
    case 'window-update':
      return { increment: payload.increment };
    case 'settings':
    case 'goaway':
    case 'priority-update':
    case 'bytes':
      return boundedView(payload, length, redaction);
  }
}

function priorityView({ exclusive, dependsOn, weight }: Priority) {
  return { exclusive, depends_on: dependsOn, weight };
}

type Bounded = Extract<
  FramePayload,
  { readonly kind: 'settings' | 'goaway' | 'priority-update' | 'bytes' }
>;

/** The view of a payload that may be kept only in part. @param length of the whole payload */
function boundedView(payload: Bounded, length: number, redaction: Redaction) {
  switch (payload.kind) {
    case 'settings':
      return payload.ack
        ? {}
        : {
            settings: payload.settings.map(({ id, value }) => ({ name: settingName(id), value })),
            ...leftOutView('settings', length / SETTING_LENGTH - payload.settings.length),
          };
    case 'goaway':
      return {
        last_stream: payload.lastStream,
        code: errorCodeName(payload.code),
        ...(payload.debugData !== '' && { debug_data: redaction.content(payload.debugData) }),
        ...leftOutView('debug_data', length - GOAWAY_LENGTH - payload.debugData.length),
      };
    case 'priority-update':
      return {
        prioritized_stream: payload.stream,
        priority: redaction.line(payload.value),
        ...leftOutView('priority', length - PRIORITIZED_LENGTH - payload.value.length),
      };
    case 'bytes':
      return {
        bytes: redaction.content(payload.bytes),
        ...leftOutView('bytes', length - payload.bytes.length),
      };
  }
}

/** The fields of a block, shown at the frame that ends it. */
function blockView(
  ended: EndedBlock | undefined,
  redaction: Redaction,
  faults: readonly (FieldFault | undefined)[],
) {
  if (!ended) return {};
  const { block } = ended;
  const fields = fieldViews(block.fields, redaction, faults);
  const leftOut = block.leftOut + block.fields.length - fields.length;
  return {
    fields,
    ...(leftOut > 0 && { fields_left_out: leftOut }),
    hpack: {
      length: block.length,
      list_size: block.listSize,
      table_size: block.tableSize,
      table_entries: block.tableEntries,
      max_table_size: block.maxTableSize,
      insertions: block.insertions,
      evictions: block.evictions,
      ...(block.sizeUpdates.length > 0 && { size_updates: block.sizeUpdates }),
      ...leftOutView('size_updates', block.sizeUpdatesLeftOut),
      ...(block.error && { error: block.error }),
    },
  };
}

/** The first fields, as many as the limit allows. */
function fieldViews(
  fields: readonly DecodedField[],
  redaction: Redaction,
  faults: readonly (FieldFault | undefined)[],
) {
  const { maxFieldsSize = Infinity } = redaction;
  const views: View[] = [];
  let size = 0;
  for (const field of fields) {
    const view = hpackFieldView(field, redaction, faults[views.length]);
    size += FIELD_COST + view.name.length + view.value.length;
    if (size > maxFieldsSize) break;
    views.push(view);
  }
  return views;
}

function hpackFieldView(
  { name, value, representation, index, huffmanName, huffmanValue, offset, length }: DecodedField,
  redaction: Redaction,
  fault: FieldFault | undefined,
) {
  return {
    name: redaction.name(name),
    value: name === ':path' ? redaction.target(value) : redaction.field(name, value),
    representation,
    ...(index > 0 && { index }),
    ...(huffmanName && { huffman_name: true }),
    ...(huffmanValue && { huffman_value: true }),
    offset,
    length,
    ...(fault && { [fault.outcome]: { reason: fault.reason, section: fault.section } }),
  };
}

export function violationView({ scope, reason, section, code }: Violation) {
  return { scope, reason, section, code };
}

export function http2SummaryView(reader: Http2Reader, openedAt: number, redaction: Redaction) {
  const summary = reader.summary();
  const refused = Array.from(reader.streams()).filter(
    ({ rejected, refusalReasons }) => rejected || refusalReasons.length > 0,
  );
  return {
    client: directionView(summary.client, openedAt),
    server: directionView(summary.server, openedAt),
    streams: summary.streams,
    open_streams: summary.openStreams,
    most_open_streams: summary.mostOpenStreams,
    above_limit: summary.aboveLimit,
    rejected: summary.rejected,
    refused: refused.map(streamSummaryView),
    streams_left_out: summary.streamsLeftOut,
    frames_left_out: summary.framesLeftOut,
    ...(summary.connectionError && { connection_error: violationView(summary.connectionError) }),
    goaway: summary.goaway.map((goaway) => goawayView(goaway, openedAt, redaction)),
    ...leftOutView('goaway', summary.goawayLeftOut),
  };
}

function goawayView(
  { from, at, lastStream, code, debugData }: Goaway,
  openedAt: number,
  redaction: Redaction,
) {
  return {
    from,
    at_ms: elapsed(at, openedAt),
    last_stream: lastStream,
    code,
    ...(debugData !== '' && { debug_data: redaction.content(debugData) }),
  };
}

function directionView(direction: Readonly<Http2Direction>, openedAt: number) {
  const { frames, settings, confused } = direction;
  return {
    frames: Object.fromEntries([...frames].map(([type, count]) => [frameTypeName(type), count])),
    settings: settings.announced.map(({ name, value, at, acknowledgedAt }) => ({
      name,
      value,
      at_ms: elapsed(at, openedAt),
      ...(acknowledgedAt !== undefined && {
        acknowledged_at_ms: elapsed(acknowledgedAt, openedAt),
      }),
    })),
    ...leftOutView('settings', settings.announcedLeftOut),
    settings_frames: { ...settings.counts },
    window: direction.window,
    lowest_window: direction.lowestWindow,
    ...(confused !== undefined && { confused }),
  };
}
