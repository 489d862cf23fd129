import { type Exchange } from '../../server/exchange.ts';
import { protocolOf } from '../../server/request.ts';
import type { FieldLines } from '../../http/fields.ts';
import type { Connection } from '../../net/connection.ts';
import type { CloseCause } from '../../net/close-reason.ts';
import { shortenHello, type StoredHello } from '../../net/client-hello/kept.ts';
import type { ShownRefused } from '../rejected-message.ts';

/** What every record has. */
interface Common {
  /** By the wall clock, in milliseconds. */
  readonly time: number;
  readonly connection: string;
  /** Of a request the one it came by, else the connection's. */
  readonly protocol: string | undefined;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** What went wrong. */
interface Fault {
  readonly reason: string;
  readonly code: string | undefined;
}

/**
 * What is kept of an event until somebody reads it: what is small, and what is there anyway, but
 * nothing that keeps the connection. A record has some ten kilobytes at the most, most have one.
 * Durations are in milliseconds.
 */
export type TapRecord =
  | (Common & { readonly kind: 'opened' })
  | (Common & {
      readonly kind: 'handshake';
      /** Since the connection was accepted. */
      readonly duration: number;
      readonly version: string | null;
      readonly cipher: string | undefined;
      readonly alpn: string | undefined;
      readonly resumed: boolean;
      readonly hello: StoredHello | undefined;
    })
  | (Common & {
      readonly kind: 'handshake_failed';
      readonly duration: number;
      readonly fault: Fault;
      readonly hello: StoredHello | undefined;
    })
  | (Common & {
      readonly kind: 'request';
      readonly ordinal: number;
      readonly stream: number | undefined;
      /** HTTP/2: why the stream was closed; 0 is no error. */
      readonly errorCode: number | undefined;
      readonly method: string;
      /** As sent, or the pattern of a path that has secrets. */
      readonly target: string;
      /** Characters that it had, of which a long one is cut. */
      readonly targetLength: number;
      readonly fields: FieldLines;
      /** Lines that the request had beyond those. */
      readonly moreFields: number;
      readonly status: number | undefined;
      readonly bytes: number;
      readonly through: boolean;
      /** From the end of the header section to the answer; undefined without one. */
      readonly answering: number | undefined;
      /** From there until the answer was through, or the client gone. */
      readonly duration: number;
    })
  | (Common & {
      readonly kind: 'rejected';
      readonly fault: Fault;
      /** HTTP/2: what never became a request. */
      readonly stream: number | undefined;
      readonly refused: ShownRefused | undefined;
    })
  | (Common & {
      readonly kind: 'closed';
      readonly ending: CloseCause;
      readonly duration: number;
      readonly requests: number;
      readonly bytesReceived: number;
      readonly bytesSent: number;
    });

export type Kind = TapRecord['kind'];

/** In the order in which a connection has them. */
export const KINDS: readonly Kind[] = [
  'opened',
  'handshake',
  'handshake_failed',
  'request',
  'rejected',
  'closed',
];

export function openedRecord(connection: Connection): TapRecord {
  return { kind: 'opened', ...commonOf(connection) };
}

export function handshakeRecord(connection: Connection): TapRecord {
  const { tls } = connection;
  return {
    kind: 'handshake',
    ...commonOf(connection),
    duration: performance.now() - connection.openedAt,
    version: tls?.getProtocol() ?? null,
    cipher: tls?.getCipher().standardName,
    alpn: tls?.alpnProtocol || undefined,
    resumed: tls?.isSessionReused() ?? false,
    hello: connection.clientHello,
  };
}

export function handshakeFailedRecord(connection: Connection, error: Error): TapRecord {
  return {
    kind: 'handshake_failed',
    ...commonOf(connection),
    duration: performance.now() - connection.openedAt,
    fault: faultOf(error),
    hello: connection.clientHello && shortenHello(connection.clientHello),
  };
}

export function rejectedRecord(
  connection: Connection,
  error: Error,
  refused?: ShownRefused,
): TapRecord {
  const stream = 'stream' in error && typeof error.stream === 'number' ? error.stream : undefined;
  return { kind: 'rejected', ...commonOf(connection), fault: faultOf(error), stream, refused };
}

/**
 * @param through whether all of the answer has been handed to the system
 * @param secrets without them a path that has secrets is kept as its pattern
 */
export function requestRecord(exchange: Exchange, through: boolean, secrets: boolean): TapRecord {
  const { connection, endpoint, fields, receivedAt, respondedAt: answeredAt, stream } = exchange;
  const target = !secrets && endpoint?.secretPath ? endpoint.path : exchange.rawTarget;
  const shown = fieldsWithin(fields);
  // Every request has one made: without the copy that a spread takes.
  return {
    kind: 'request',
    time: Date.now(),
    connection: connection.id,
    protocol: protocolOf(exchange),
    remoteAddress: connection.remoteAddress,
    remotePort: connection.remotePort,
    ordinal: exchange.requestNumber,
    stream: stream?.id,
    errorCode: stream?.errorCode,
    method: cut(exchange.method, MOST_METHOD),
    target: cut(target, MOST_TARGET),
    targetLength: target.length,
    fields: shown === fields.length ? fields : fields.slice(0, shown),
    moreFields: (fields.length - shown) / 2,
    status: exchange.status,
    bytes: exchange.bytes,
    through,
    answering: answeredAt === 0 ? undefined : answeredAt - receivedAt,
    duration: performance.now() - receivedAt,
  };
}

export function closedRecord(connection: Connection): TapRecord {
  return {
    kind: 'closed',
    ...commonOf(connection),
    ending: connection.closeCause,
    duration: performance.now() - connection.openedAt,
    requests: connection.requests,
    bytesReceived: connection.socket.bytesRead,
    bytesSent: connection.socket.bytesWritten,
  };
}

function commonOf(connection: Connection): Common {
  return {
    time: Date.now(),
    connection: connection.id,
    protocol: connection.protocol,
    remoteAddress: connection.remoteAddress,
    remotePort: connection.remotePort,
  };
}

const MOST_METHOD = 64;
const MOST_TARGET = 2048;
const MOST_LINES = 100;
const MOST_CHARACTERS = 4096;

/** How much of the array goes into a record: whole lines. */
function fieldsWithin(fields: FieldLines): number {
  let characters = 0;
  const most = Math.min(fields.length, 2 * MOST_LINES);
  for (let at = 0; at < most; at += 2) {
    characters += (fields[at]?.length ?? 0) + (fields[at + 1]?.length ?? 0);
    if (characters > MOST_CHARACTERS) return at;
  }
  return most;
}

/** The beginning of a long text, as a copy: V8's own slice would keep all of it. */
function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le');
}

/** OpenSSL's messages have its source lines; the reason is in a property of its own. */
function faultOf(error: Error): Fault {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined;
  return { reason: reason ?? error.message, code };
}
