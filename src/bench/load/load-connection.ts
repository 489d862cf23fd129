import type { Scenario } from '../scenarios.ts';

/** The request of a load, and what its response has to be. */
export interface LoadRequest extends Pick<
  Scenario,
  'method' | 'path' | 'fields' | 'content' | 'status'
> {
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Whether the connection is closed after the response. */
  readonly closes: boolean;
  /** Bytes of the content; undefined if that differs. */
  readonly length: number | undefined;
}

/** Called once. @param failure why the request failed; undefined if it did not */
export type Done = (failure: string | undefined) => void;

/** A request in flight. */
export interface Pending {
  /** Fails it for this reason. */
  abort(reason: string): void;
}

/** A connection that carries requests under load. */
export interface LoadConnection {
  /** Whether another request can be sent. */
  readonly isOpen: boolean;
  /** Calls `done` later, never before it returns. */
  send(done: Done): Pending;
  /** Closes it after its last response. The server may do it first. */
  close(): void;
  destroy(): void;
}

/** The request was not processed, and is sent again on another connection (RFC 9113 8.7). */
export const REFUSED = 'stream refused';
export const CLOSED = 'connection closed';
export const RESET = 'connection reset';
export const TIMEOUT = 'timeout';
export const MALFORMED = 'malformed response';

/** Why a complete response is not the right one. @param length of its content */
export function failureOf(
  status: number,
  length: number,
  expected: LoadRequest,
): string | undefined {
  if (status !== (expected.status ?? 200)) return `status ${status}`;
  return expected.length === undefined || length === expected.length ? undefined : 'wrong length';
}
