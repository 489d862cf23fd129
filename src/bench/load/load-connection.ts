import type { Scenario } from '../scenarios.ts';

/** The request of a load, and the response that is expected. */
export interface LoadRequest extends Pick<
  Scenario,
  'method' | 'path' | 'fields' | 'content' | 'status'
> {
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Whether the connection is closed after the response. */
  readonly closes: boolean;
  /** Expected bytes of content; undefined if they vary. */
  readonly length: number | undefined;
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
  send(done: Done): Pending;
  /** Closes the connection after its last response, unless the server does it first. */
  close(): void;
  destroy(): void;
}

/** Failure: the request was not processed, and is sent again on another connection (RFC 9113 8.7). */
export const REFUSED = 'stream refused';
export const CLOSED = 'connection closed';
export const RESET = 'connection reset';
export const TIMEOUT = 'timeout';
export const MALFORMED = 'malformed response';

/** Why a complete response is wrong; undefined if it is right. @param length bytes of its content */
export function answerFailure(
  status: number,
  length: number,
  expected: LoadRequest,
): string | undefined {
  if (status !== (expected.status ?? 200)) return `status ${status}`;
  return expected.length === undefined || length === expected.length ? undefined : 'wrong length';
}
