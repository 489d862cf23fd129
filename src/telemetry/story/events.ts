import { FrameType } from '../../wire/http2/frame.ts';
import { frameTypeName } from '../../wire/http2/names.ts';
import type { Inspected } from '../../inspect/connection-inspection.ts';
import type { Http1Reader, RequestTrace, ResponseTrace } from '../../inspect/http1/http1-reader.ts';
import type { Http2Reader } from '../../inspect/http2/http2-reader.ts';
import type { SeenFrame, StreamFacts } from '../../inspect/http2/stream.ts';
import type { Sender } from '../../inspect/protocol-reader.ts';
import type { TlsReader } from '../../inspect/tls/tls-reader.ts';
import type { HttpRecords } from '../../inspect/tls/http-records.ts';
import type { TlsAlert, TlsDirection } from '../../inspect/tls/direction.ts';
import type { TlsRecord } from '../../inspect/tls/record-reader.ts';
import type { HandshakeMessage } from '../../wire/tls/handshake-reader.ts';
import { handshakeTypeName, recordTypeName } from '../../wire/tls/names.ts';
import { requestView, responseView } from '../../inspect/views/http1-view.ts';
import { flagNames, frameView, violationView } from '../../inspect/views/http2-view.ts';
import { alertView, recordView, withRecords } from '../../inspect/views/tls-view.ts';
import { elapsed, type Redaction, type View } from '../../inspect/views/view.ts';
import type { EventView } from './page.ts';

/** An event in the history of a connection, as in `/connections/{id}`. */
export interface StoryEvent {
  /** `performance.now()` in milliseconds. */
  readonly time: number;
  readonly from: Sender;
  readonly layer: EventView['layer'];
  /** What happened, in a few words. */
  readonly title: string;
  readonly details: View;
  /** Further lines of the text, such as fields. */
  readonly lines?: readonly string[];
}

/** An event that is not formatted yet, because formatting takes most of the time. */
export interface StoryMoment {
  readonly time: number;
  readonly describe: () => StoryEvent;
}

/** All events that are kept of a connection, in order. */
export function momentsOf(inspection: Inspected, shown: Redaction): readonly StoryMoment[] {
  const { openedAt, tls, http1, http2 } = inspection;
  const redaction = withRecords(shown, tls);
  const events = [...tcpEvents(inspection), ...(tls ? tlsEvents(tls) : [])];
  if (http1) events.push(...http1Events(http1, openedAt, redaction));
  if (http2) events.push(...http2Events(http2, openedAt, redaction));
  return events.sort((a, b) => a.time - b.time);
}

function tcpEvents({ tcp, facts, openedAt, closed }: Inspected): StoryMoment[] {
  const events: StoryMoment[] = [];
  const add = (time: number, from: StoryEvent['from'], title: string, details: View = {}): void =>
    void events.push({ time, describe: () => ({ time, from, layer: 'tcp', title, details }) });
  add(openedAt, 'client', `connection from ${facts.peer}`);
  for (const { time, bytes } of tcp.reads.kept) add(time, 'client', `${bytes} bytes`, { bytes });
  for (const { time, bytes } of tcp.writes.kept) add(time, 'server', `${bytes} bytes`, { bytes });
  for (const { by, how, time } of tcp.ends) {
    add(time, by === 'client' ? 'client' : 'server', how.toUpperCase());
  }
  if (closed) {
    const { by, reason } = closed.cause;
    const from = by === 'client' ? 'client' : 'server';
    add(closed.time, from, `closed by ${by}: ${reason}`, { by, reason });
  }
  return events;
}

function tlsEvents({ trace, httpRecords }: TlsReader): StoryMoment[] {
  // A HelloRetryRequest is a ServerHello in form, and the server's first message (RFC 9846 4.2.4).
  const retry = trace.isRetried ? trace.server.handshake[0] : undefined;
  return [
    ...recordEvents('client', trace.client, httpRecords.client),
    ...recordEvents('server', trace.server, httpRecords.server, retry),
  ];
}

function recordEvents(
  from: StoryEvent['from'],
  direction: TlsDirection['trace'],
  http: HttpRecords,
  retry?: HandshakeMessage,
): StoryMoment[] {
  const describeRecord = (record: TlsRecord): StoryEvent => {
    const messages = direction.handshake
      .filter(({ parts }) => parts.some((part) => part.record === record.number))
      .map((message) => {
        const name = handshakeTypeName(message.type);
        return message === retry ? `${name} (HelloRetryRequest)` : name;
      });
    const names = messages.length === 0 ? '' : `: ${messages.join(', ')}`;
    return {
      time: record.time,
      from,
      layer: 'tls',
      title: `${recordTypeName(record.type)} record, ${record.length} bytes${names}`,
      details: recordView(record, http.carried(record.number)),
    };
  };
  const describeAlert = (alert: TlsAlert): StoryEvent => {
    const { level, description, ...details } = alertView(alert);
    const title = description === null ? 'alert, encrypted' : `${level} alert: ${description}`;
    return { time: alert.time, from, layer: 'tls', title, details };
  };
  return [
    ...direction.records.map((record) => ({
      time: record.time,
      describe: () => describeRecord(record),
    })),
    ...direction.alerts.map((alert) => ({
      time: alert.time,
      describe: () => describeAlert(alert),
    })),
  ];
}

function http1Events(reader: Http1Reader, openedAt: number, redaction: Redaction): StoryMoment[] {
  const events: StoryMoment[] = [];
  for (const { number } of reader.requests) {
    const trace = reader.request(number);
    if (!trace) continue;
    events.push({
      time: trace.message.startTime,
      describe: () => requestEvent(trace, openedAt, redaction),
    });
    for (const response of trace.responses) {
      events.push({
        time: response.message.startTime,
        describe: () => responseEvent(response, openedAt, redaction),
      });
    }
  }
  return events;
}

function requestEvent(trace: RequestTrace, openedAt: number, redaction: Redaction): StoryEvent {
  const { message, stoppedAt } = trace;
  const at = stoppedAt === undefined ? '' : `; refused at byte ${stoppedAt}`;
  return {
    time: message.startTime,
    from: 'client',
    layer: 'http1',
    title: `request ${message.number}${at}`,
    details: requestView(trace, openedAt, redaction),
    lines: linesOf(redaction.section(message.head.text)),
  };
}

function responseEvent(
  response: ResponseTrace,
  openedAt: number,
  redaction: Redaction,
): StoryEvent {
  const { message } = response;
  const of = message.request === undefined ? '' : ` to request ${message.request}`;
  return {
    time: message.startTime,
    from: 'server',
    layer: 'http1',
    title: `response${of}`,
    details: responseView(response, openedAt, redaction),
    lines: linesOf(redaction.section(message.head.text)),
  };
}

/** Splits text into lines, with escaped line ends. */
function linesOf(text: string): string[] {
  return (text.match(/[^\n]+\n?|\n/g) ?? []).map(escapeUnprintable);
}

/** Escapes unprintable characters. */
function escapeUnprintable(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/[\u007f-\u00ff]/g, (character) => {
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    });
}

function http2Events(reader: Http2Reader, openedAt: number, redaction: Redaction): StoryMoment[] {
  const connection = reader.stream(0);
  const streams = [...(connection ? [connection] : []), ...reader.streams()];
  // Sorted by offset, because all frames of one read have the same time.
  return streams
    .flatMap((stream) => stream.frames.map((seen) => ({ seen, stream })))
    .sort((a, b) => a.seen.frame.offset - b.seen.frame.offset)
    .map(({ seen, stream }) => ({
      time: seen.frame.endedAt,
      describe: () => frameEvent(seen, stream, openedAt, redaction),
    }));
}

function frameEvent(
  seen: SeenFrame,
  { refusalReasons }: StreamFacts,
  openedAt: number,
  redaction: Redaction,
): StoryEvent {
  const { from, type, flags, stream, length, endedAt } = seen.frame;
  const names = flagNames(type, flags);
  const flagText = names.length === 0 ? '' : ` [${names.join(' ')}]`;
  const details = frameView(seen, openedAt, redaction);
  const isRefusal = from === 'server' && type === FrameType.rstStream;
  const reasons = (isRefusal ? refusalReasons : []).map(
    (refusal) => `refused: ${JSON.stringify(violationView(refusal))}`,
  );
  return {
    time: endedAt,
    from,
    layer: 'http2',
    title: `${frameTypeName(type)}${flagText} stream ${stream}, ${length} bytes`,
    details,
    lines: [...frameLines(details), ...reasons],
  };
}

/** Members of a frame that are not shown as `name: value`: in its title, in lines of their own, or not at all. */
const IN_TITLE = new Set(
  'from,type,flags,stream,length,offset,at_ms,end_at_ms,fields,hpack,violations'.split(','),
);

/** Lines below the title of a frame: the members not in `IN_TITLE`, then fields, HPACK and violations. */
function frameLines(details: View): string[] {
  const { fields, hpack, violations } = details;
  const lines = Object.entries(details)
    .filter(([name]) => !IN_TITLE.has(name))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  if (Array.isArray(fields)) lines.push(...fields.map(fieldLine));
  if (hpack) lines.push(`hpack: ${JSON.stringify(hpack)}`);
  if (Array.isArray(violations)) {
    lines.push(...violations.map((violation) => `violation: ${JSON.stringify(violation)}`));
  }
  return lines;
}

function fieldLine({ name, value, representation, dropped, refused }: Record<string, unknown>) {
  const fault = dropped ?? refused;
  const note =
    fault === undefined ? '' : `  <- ${dropped ? 'dropped' : 'refused'}: ${JSON.stringify(fault)}`;
  return `${escapeUnprintable(String(name))}: ${escapeUnprintable(String(value))}  (${String(representation)})${note}`;
}

/** An event as JSON. */
export function eventView(event: StoryEvent, openedAt: number): EventView {
  const { time, from, layer, title, details } = event;
  return { at_ms: elapsed(time, openedAt), from, layer, title, ...details };
}

/**
 * An event as text: its time in milliseconds since the connection was opened, `>` for what the client sent
 * and `<` for what wirebin sent.
 */
export function eventText(event: StoryEvent, openedAt: number): string {
  const { time, from, layer, title, lines = [] } = event;
  const at = elapsed(time, openedAt).toFixed(3).padStart(12);
  const arrow = from === 'client' ? '>' : '<';
  const indent = ' '.repeat(at.length + 12);
  const below = lines.map((line) => `${indent}${line}\n`).join('');
  return `${at} ${arrow} ${layer.padEnd(7)} ${title}\n${below}`;
}
