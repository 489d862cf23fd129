import { type Exchange } from '../../server/exchange.ts';
import type { FieldLines } from '../../http/fields.ts';
import { protocolOf, type Connection } from '../../net/connection.ts';
import type { WireKind } from '../../inspect/connection-inspection.ts';
import { shortenHello } from '../../net/stored-hello.ts';
import type { RejectedMessageView } from '../rejected-message.ts';
import { redactPath, redactTarget } from './redaction.ts';

/**
 * An event before it is formatted. Records must not retain the connection, so they contain only small copies and data
 * that exists anyway: typically 1 KB, at most about 10 KB. Durations are in milliseconds, from the accept of the
 * connection or the end of a request's header section.
 */
export type TapRecord = ReturnType<
  | typeof openedRecord
  | typeof handshakeRecord
  | typeof handshakeFailedRecord
  | typeof requestRecord
  | typeof rejectedRecord
  | typeof closedRecord
  | typeof wireRecord
>;

export type EventKind = TapRecord['kind'];

/** Kinds of events, in the order in which they occur on a connection. */
export const EVENT_KINDS: readonly EventKind[] = [
  'opened',
  'handshake',
  'handshake_failed',
  'request',
  'rejected',
  'closed',
  'record',
  'frame',
];

/** Whether events of this kind are recorded only while a client reads them. */
export function isWireKind(kind: EventKind): boolean {
  return kind === 'frame' || kind === 'record';
}

export function openedRecord(connection: Connection) {
  return { kind: 'opened', ...connectionMembers(connection) } as const;
}

/** @param view of the frame or TLS record, with secrets redacted unless they are shown */
export function wireRecord(
  connection: Connection,
  kind: WireKind,
  view: Readonly<Record<string, unknown>>,
) {
  return { kind, ...connectionMembers(connection), view } as const;
}

export function handshakeRecord(connection: Connection) {
  const { tls } = connection;
  return {
    kind: 'handshake',
    ...connectionMembers(connection),
    duration: performance.now() - connection.openedAt,
    version: tls?.version ?? null,
    cipher: tls?.cipherSuite,
    alpn: tls?.alpn,
    resumed: tls?.isResumed ?? false,
    hello: connection.clientHello,
    keyExchange: connection.keyExchange,
  } as const;
}

export function handshakeFailedRecord(connection: Connection, error: Error) {
  return {
    kind: 'handshake_failed',
    ...connectionMembers(connection),
    duration: performance.now() - connection.openedAt,
    error: errorFacts(error),
    hello: connection.clientHello && shortenHello(connection.clientHello),
    keyExchange: connection.keyExchange,
  } as const;
}

export function rejectedRecord(
  connection: Connection,
  error: Error,
  message?: RejectedMessageView,
) {
  // HTTP/2: id of the rejected stream.
  const stream = 'stream' in error && typeof error.stream === 'number' ? error.stream : undefined;
  return {
    kind: 'rejected',
    ...connectionMembers(connection),
    error: errorFacts(error),
    stream,
    message,
  } as const;
}

/** The target with a redacted path. The query is redacted later, when the event is read. */
function targetWithRedactedPath({ rawTarget }: Exchange): string {
  // An origin-form target without `#` has neither user information nor a fragment.
  if (!rawTarget.startsWith('/') || rawTarget.includes('#')) return redactTarget(rawTarget);
  const mark = rawTarget.indexOf('?');
  return mark < 0
    ? redactPath(rawTarget)
    : redactPath(rawTarget.slice(0, mark)) + rawTarget.slice(mark);
}

/**
 * @param complete whether the operating system has taken the whole response
 * @param secrets whether to keep secrets in the target's path
 */
export function requestRecord(exchange: Exchange, complete: boolean, secrets: boolean) {
  const { connection, fields, receivedAt, respondedAt, stream } = exchange;
  const target = secrets ? exchange.rawTarget : targetWithRedactedPath(exchange);
  const keptLength = keptFieldsLength(fields);
  // No spread of connectionMembers(): this runs for every request, and a spread copies the object.
  return {
    kind: 'request',
    time: Date.now(),
    connection: connection.id,
    protocol: protocolOf(exchange),
    remoteAddress: connection.remoteAddress,
    remotePort: connection.remotePort,
    requestNumber: exchange.requestNumber,
    stream: stream?.id,
    /** HTTP/2: the error code with which the stream was closed; 0 means no error. */
    errorCode: stream?.errorCode,
    method: truncate(exchange.method, MAX_METHOD_LENGTH),
    target: truncate(target, MAX_TARGET_LENGTH),
    targetLength: target.length,
    fields: keptLength === fields.length ? fields : fields.slice(0, keptLength),
    /** Number of further field lines, which are not in `fields`. */
    omittedFields: (fields.length - keptLength) / 2,
    status: exchange.status,
    callStatus: exchange.call?.status,
    bytes: exchange.bytes,
    complete,
    /** Milliseconds until the response began; undefined without a response. */
    responseTime: respondedAt === 0 ? undefined : respondedAt - receivedAt,
    /** Milliseconds until the response ended, or the client disconnected. */
    duration: performance.now() - receivedAt,
  } as const;
}

export function closedRecord(connection: Connection) {
  return {
    kind: 'closed',
    ...connectionMembers(connection),
    closeCause: connection.closeCause,
    duration: performance.now() - connection.openedAt,
    requests: connection.requests.total,
    bytesReceived: connection.bytesReceived,
    bytesSent: connection.bytesSent,
  } as const;
}

function connectionMembers(connection: Connection) {
  return {
    /** Wall clock time in milliseconds. */
    time: Date.now(),
    connection: connection.id,
    protocol: connection.protocol,
    remoteAddress: connection.remoteAddress,
    remotePort: connection.remotePort,
  };
}

export const MAX_METHOD_LENGTH = 64;
export const MAX_TARGET_LENGTH = 2048;
const MAX_FIELD_LINES = 100;
const MAX_FIELD_CHARACTERS = 4096;

/** Length of the array up to which it is kept: whole field lines within both limits. */
export function keptFieldsLength(fields: FieldLines): number {
  let characters = 0;
  const max = Math.min(fields.length, 2 * MAX_FIELD_LINES);
  for (let at = 0; at < max; at += 2) {
    characters += (fields[at]?.length ?? 0) + (fields[at + 1]?.length ?? 0);
    if (characters > MAX_FIELD_CHARACTERS) return at;
  }
  return max;
}

/** Copies the start of a long text, because a V8 slice would retain all of it. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : Buffer.from(text.slice(0, maxLength), 'utf16le').toString('utf16le');
}

/** Code and text of an error. `reason` is preferred, because OpenSSL's messages contain source locations. */
function errorFacts(error: Error) {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined;
  return { reason: reason ?? error.message, code };
}
