import type { RawField } from '../../wire/http1/section.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { Http1Reader, RequestTrace, ResponseTrace } from '../http1/http1-reader.ts';
import type { RawMessage } from '../http1/message.ts';
import { elapsed, leftOutView, type Redaction } from './view.ts';

/** A request as sent. */
export function requestView(trace: RequestTrace, openedAt: number, redaction: Redaction) {
  const { message, head, trailers, stoppedAt } = trace;
  const { offset, end } = head.line;
  return {
    number: message.number,
    ...messageView(message, openedAt, redaction),
    ...redaction.records?.('client', message.offset, messageLength(message)),
    line: { offset, ...lineView(head.line, redaction), end },
    fields: head.fields.map((field) => fieldView(field, redaction)),
    head_end: head.end,
    ...contentView(message, trailers, redaction),
    ...(message.ahead > 0 && { ahead_of_responses: message.ahead }),
    ...(stoppedAt !== undefined && { refused_at: stoppedAt }),
  };
}

function lineView({ method, target, version }: RequestTrace['head']['line'], redaction: Redaction) {
  // If the line begins with a word like "Authorization:" or PASS, the rest is secret.
  const begin = `${method} `;
  const isSecret = redaction.line(begin) !== begin;
  const rest = (text: string | undefined, part: 'target' | 'line'): string | undefined =>
    text === undefined ? undefined : redaction[isSecret ? 'content' : part](text);
  return {
    method: redaction.line(method),
    target: rest(target, 'target'),
    version: rest(version, 'line'),
  };
}

/** A response as sent. */
export function responseView(
  { message, head, trailers }: ResponseTrace,
  openedAt: number,
  redaction: Redaction,
) {
  const { version, status, reason, end } = head.line;
  return {
    ...messageView(message, openedAt, redaction),
    ...redaction.records?.('server', message.offset, messageLength(message)),
    ...(message.request !== undefined && { request: message.request }),
    line: { version, status, reason, end },
    fields: head.fields.map((field) => fieldView(field, redaction)),
    ...contentView(message, trailers, redaction),
  };
}

/** Length of a message; of an incomplete one, that of its head. */
function messageLength({ length, head }: RawMessage): number {
  return length ?? head.length;
}

function messageView(message: RawMessage, openedAt: number, redaction: Redaction) {
  const { offset, head, headComplete, length, startTime, headTime, endTime } = message;
  return {
    offset,
    ...(length !== undefined && { length }),
    at_ms: elapsed(startTime, openedAt),
    ...(headTime !== undefined && { head_at_ms: elapsed(headTime, openedAt) }),
    ...(endTime !== undefined && { end_at_ms: elapsed(endTime, openedAt) }),
    head: redaction.section(head.text),
    head_length: head.length,
    ...leftOut('head', head),
    ...(!headComplete && { head_complete: false }),
  };
}

function fieldView({ offset, name, value, end, notes, invalidAt }: RawField, redaction: Redaction) {
  return {
    offset,
    name: redaction.name(name),
    value: redaction.field(name, value),
    end,
    ...(notes.length > 0 && { notes }),
    ...(invalidAt !== undefined && { invalid_at: invalidAt }),
  };
}

function contentView(
  message: RawMessage,
  trailers: readonly RawField[] | undefined,
  redaction: Redaction,
) {
  const { framing, contentLength, chunks, chunkCount } = message;
  if (!framing || (framing.content === 'none' && contentLength === 0)) return {};
  const content = {
    framing: framing.content,
    ...(framing.content === 'length' && { declared: framing.length }),
    ...(framing.content === 'unknown' && { reason: framing.reason }),
    received: contentLength,
    ...(framing.content === 'chunked' && {
      chunks: chunks.map(({ offset, line, lineLeftOut, lineEnd, size, extension, dataEnd }) => ({
        offset,
        line: redaction.line(line),
        ...leftOutView('line', lineLeftOut),
        line_end: lineEnd,
        size,
        ...(extension !== '' && { extension: redaction.line(extension) }),
        data_end: dataEnd,
      })),
      chunk_count: chunkCount,
      chunks_left_out: chunkCount - chunks.length,
    }),
  };
  if (!message.trailers) return { content };
  return {
    content,
    trailers: {
      offset: message.trailers.offset,
      text: redaction.section(message.trailers.text),
      ...leftOut('text', message.trailers),
      fields: (trailers ?? []).map((field) => fieldView(field, redaction)),
    },
  };
}

function leftOut(name: string, { text, length }: RawText) {
  return leftOutView(name, length - text.length);
}

export function http1SummaryView(summary: Http1Reader['summary'], redaction: Redaction) {
  const { requests, responses, stop, pipelined, maxAhead } = summary;
  return {
    requests: directionView(requests, redaction),
    responses: directionView(responses, redaction),
    pipelined,
    most_ahead: maxAhead,
    ...(stop && { refused: { at: stop.offset, reason: stop.reason } }),
  };
}

function directionView(
  { bytes, messages, leftOut: missing, pending, rest }: Http1Reader['summary']['requests'],
  redaction: Redaction,
) {
  return {
    bytes,
    messages,
    left_out: missing,
    ...(pending.length > 0 && {
      after_last: { bytes: redaction.content(pending.text), length: pending.length },
    }),
    ...(rest && {
      rest: {
        offset: rest.offset,
        kind: rest.kind,
        ...(rest.reason !== undefined && { reason: rest.reason }),
        bytes: redaction.content(rest.text),
        length: rest.length,
      },
    }),
  };
}
