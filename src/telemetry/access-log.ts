import { randomBytes } from 'node:crypto';
import { fieldValue } from '../http/fields.ts';
import { readTraceContext } from '../http/trace-context.ts';
import { observeContent } from '../server/body.ts';
import type { Exchange } from '../server/exchange.ts';
import { clientAddress } from '../server/forwarding.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import { protocolOf } from '../net/connection.ts';
import { TcpConnection } from '../net/tcp-connection.ts';
import { negotiatedGroupName } from '../net/tls-key-exchange.ts';
import { statusText } from '../wire/grpc/status.ts';
import type { Logger } from './logger.ts';
import { redactField, redactPath } from './tap/redaction.ts';

/** Formats of access log lines. `common` and `combined` are those of NCSA and Apache. */
export const LOG_FORMATS = ['json', 'common', 'combined'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Writes a line without its line end, unchanged. */
export type WriteLine = (line: string) => void;

const SPAN_ID_LENGTH = 8;
/** Characters of a field value that a line contains. */
const MAX_FIELD_LENGTH = 1024;

/** Logs finished requests, without queries, field values other than those of the format, and secrets in paths. */
export class AccessLog implements ExchangeObserver {
  readonly #write: (request: LoggedRequest) => void;
  /** Bytes of content that have arrived, by exchange. */
  readonly #received = new WeakMap<Exchange, number>();

  constructor(write: (request: LoggedRequest) => void) {
    this.#write = write;
  }

  began(exchange: Exchange): void {
    if (exchange.hasBody) this.#countBytes(exchange);
  }

  /** After 101 on HTTP/1.1, all bytes of the connection count as received. */
  responded(exchange: Exchange, status: number | undefined): void {
    const { connection } = exchange;
    if (status === 101 && connection instanceof TcpConnection)
      this.#countBytes(exchange, connection.stream);
  }

  finished(exchange: Exchange, isComplete: boolean): void {
    const duration = performance.now() - exchange.receivedAt;
    this.#write({ exchange, isComplete, bytesIn: this.#bytesIn(exchange), duration });
  }

  #countBytes(exchange: Exchange, body = exchange.body): void {
    const count = (piece: Buffer | null): void => {
      if (piece) this.#received.set(exchange, this.#bytesIn(exchange) + piece.length);
    };
    observeContent(exchange, count, body);
  }

  #bytesIn(exchange: Exchange): number {
    return this.#received.get(exchange) ?? 0;
  }
}

interface LoggedRequest {
  readonly exchange: Exchange;
  readonly isComplete: boolean;
  /** Bytes of content received, without transfer coding. */
  readonly bytesIn: number;
  /** From the end of the request's header section to the end of the response, in milliseconds. */
  readonly duration: number;
}

/**
 * @param log for `json`, with level `info`
 * @param writeLine for the other formats, at any level of the log
 */
export function createAccessLog(
  format: LogFormat,
  log: Logger,
  writeLine: WriteLine = (line) => log.info({}, line),
): AccessLog {
  switch (format) {
    case 'json':
      return new AccessLog((request) => log.info(jsonDetails(request), 'request'));
    case 'common':
      return new AccessLog((request) => writeLine(commonLine(request)));
    case 'combined':
      return new AccessLog((request) => writeLine(combinedLine(request)));
  }
}

function jsonDetails({ exchange, isComplete, bytesIn, duration }: LoggedRequest) {
  const { method, endpoint, status, call, connection, requestNumber, fault, bytes } = exchange;
  return {
    method,
    path: redactedPath(exchange),
    endpoint: endpoint?.id,
    status,
    ...(call?.status !== undefined && { grpc_status: statusText(call.status) }),
    ...(fault && { fault: fault.kind }),
    ...(!isComplete && { complete: false }),
    client: clientAddress(exchange),
    protocol: protocolOf(exchange),
    ...(connection.tls && { tls_group: negotiatedGroupName(connection.keyExchange) }),
    conn: connection.id,
    request: requestNumber,
    bytes_in: bytesIn,
    bytes_out: bytes,
    // Tenths of a millisecond: the timing of the event loop is not more exact.
    duration_ms: Math.round(duration * 10) / 10,
    ...loggedTrace(exchange),
  };
}

/** Trace context for the log, with a new span for the request. Names are those of OpenTelemetry. */
function loggedTrace({ fields }: Exchange) {
  const context = readTraceContext(fields);
  if (typeof context !== 'object') return undefined;
  return {
    trace_id: context.traceId,
    span_id: randomBytes(SPAN_ID_LENGTH).toString('hex'),
    parent_id: context.parentId,
    trace_flags: context.flags,
  };
}

/** `host ident user [time] "request line" status bytes`; a hyphen for what is unknown. */
function commonLine({ exchange, duration }: LoggedRequest): string {
  const { method, version, status, bytes } = exchange;
  const time = timestamp(new Date(Date.now() - duration));
  const request = quoted(`${method} ${redactedPath(exchange) || '-'} ${version}`);
  return `${escapeForLog(clientAddress(exchange)) || '-'} - - [${time}] ${request} ${status ?? '-'} ${bytes || '-'}`;
}

/** A common line, then the origin of Referer, and User-Agent. */
function combinedLine(request: LoggedRequest): string {
  const { fields } = request.exchange;
  const field = (name: string): string => {
    const value = fieldValue(fields, name)?.slice(0, MAX_FIELD_LENGTH);
    return quoted(value ? redactField(name, value) : '-');
  };
  return `${commonLine(request)} ${field('referer')} ${field('user-agent')}`;
}

function redactedPath({ target }: Exchange): string | undefined {
  return target && redactPath(target.path);
}

/** Formats a time like `22/Nov/2026:19:04:05 +0000`. */
function timestamp(date: Date): string {
  // Parses `Sun, 22 Nov 2026 19:04:05 GMT`.
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

function quoted(text: string): string {
  return `"${escapeForLog(text)}"`;
}

/** Escapes like Apache, so that the text cannot end its value or line, or control a terminal. */
function escapeForLog(text: string): string {
  return text.replace(/["\\]|[^ -~]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : hexEscapes(character),
  );
}

/** Escapes the bytes of a character. Up to U+00FF it stands for one byte of a field value. */
function hexEscapes(character: string): string {
  const bytes = Buffer.from(character, character > '\xff' ? 'utf8' : 'latin1');
  return Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
