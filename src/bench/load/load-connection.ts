import type { FieldLine } from '../../check/message.ts';
import { VERSION } from '../../version.ts';

/** The request of a load, and the response that is expected. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** Further field lines; names in lower case. */
  readonly fields?: readonly FieldLine[] | undefined;
  readonly content?: Uint8Array | undefined;
  /** Whether the content is sent in chunks on HTTP/1.1, and without content-length on HTTP/2. */
  readonly isStreamed?: boolean | undefined;
  /** Whether it opens a WebSocket, whose messages have the content. */
  readonly isWebSocket?: boolean | undefined;
  /** Expected status. Default: 200. */
  readonly status?: number | undefined;
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Whether the connection is closed after the response. */
  readonly closes: boolean;
  /** Expected bytes of content; undefined if they vary. */
  readonly length: number | undefined;
  /** Expected SHA-256 of the content in hexadecimal; undefined if it is not checked. */
  readonly sha256?: string | undefined;
  /** How often it is sent, beside the other requests of the load. Default: 1. */
  readonly weight?: number | undefined;
}

/** The requests of a load. */
export type LoadRequests = readonly [LoadRequest, ...LoadRequest[]];

/** Field lines of a request, of which its own replace the usual ones. */
export function fieldLinesOf({ fields = [] }: LoadRequest): readonly FieldLine[] {
  const usual: readonly FieldLine[] = [
    ['User-Agent', `wirebin-bench/${VERSION}`],
    ['Accept', '*/*'],
  ];
  const names = new Set(fields.map(([name]) => name));
  return [...usual.filter(([name]) => !names.has(name.toLowerCase())), ...fields];
}

/** A request as it is written. */
export interface PreparedRequest {
  readonly request: LoadRequest;
  /** On HTTP/1.1 the whole request, on HTTP/2 its field block. */
  readonly bytes: Buffer;
  /** HTTP/2: the frame of a message, if the request opens a WebSocket. */
  readonly message?: Uint8Array;
}

/** Called once per request. @param failure why the request failed; undefined if it succeeded */
export type Done = (failure: string | undefined) => void;

/** A request in flight. */
export interface Pending {
  /** Fails the request for this reason. */
  abort(reason: string): void;
}

/** A connection that carries requests under load. */
export interface LoadConnection {
  /** Whether another request can be sent. */
  readonly isOpen: boolean;
  /** Sends a request. `done` is called later, never before this returns. */
  send(request: PreparedRequest, done: Done): Pending;
  /** Closes the connection after its last response, unless the server does it first. */
  close(): void;
  destroy(): void;
}

/** Start of a failure: the request was not processed, and is sent again on another connection (RFC 9113 8.7). */
export const REFUSED = 'stream refused';
export const CLOSED = 'connection closed';
export const RESET = 'connection reset';
export const TIMEOUT = 'timeout';
export const MALFORMED = 'malformed response';
export const WRONG_LENGTH = 'wrong length';

/** Maximum bytes of a header section or chunk line. */
export const MAX_SECTION = 256 * 1024;

/**
 * Why a complete response is wrong; undefined if it is right.
 *
 * @param length bytes of its content
 * @param sha256 of its content, if the request expects one
 */
export function answerFailure(
  status: number,
  length: number,
  expected: LoadRequest,
  sha256?: string,
): string | undefined {
  if (status !== (expected.status ?? 200)) return `status ${status}`;
  if (expected.length !== undefined && length !== expected.length) return WRONG_LENGTH;
  return sha256 === expected.sha256 ? undefined : 'wrong content';
}
