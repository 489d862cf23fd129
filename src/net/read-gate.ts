import type { Socket } from 'node:net';
import { startReading, stopReading } from './node-internals.ts';

/** Why a connection is not being read. */
export type HoldReason =
  /**
   * Unread bytes wait: on HTTP/1.x for earlier responses, with --h2-engine wirebin until the client reads. Released once
   * they are read, and by a close.
   */
  | 'pipeline'
  /**
   * Its requests, or those of other connections, have used up an iteration of the event loop. HTTP/1.x and,
   * with --h2-engine wirebin, HTTP/2 hold themselves until their next turn; node:http2 is held by `ReadTurns`.
   */
  | 'turn'
  /** The request asked for a fault that pauses reading, until the pause ends. */
  | 'fault'
  /** Nothing that arrives will be served. Never released. */
  | 'closing'
  /** HTTP/1.x: the handler does not read the content that has arrived. Released once it does, and by a close. */
  | 'content';

/**
 * Reads a socket unless there is a reason to hold it. Acts directly on libuv's handle: a paused stream would still
 * deliver up to 2 MiB that arrive in the current iteration of the event loop.
 */
export class ReadGate {
  readonly #socket: Socket;
  readonly #reasons = new Set<HoldReason>();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#reasons.size === 0;
  }

  isHeld(reason: HoldReason): boolean {
    return this.#reasons.has(reason);
  }

  hold(reason: HoldReason): void {
    this.#reasons.add(reason);
    stopReading(this.#socket);
  }

  /** Removes a reason. Reading resumes when none is left. */
  release(reason: HoldReason): void {
    if (this.#reasons.delete(reason) && this.isOpen) startReading(this.#socket);
  }

  open(): void {
    for (const reason of this.#reasons) this.release(reason);
  }
}
