import type { Socket } from 'node:net';
import { startReading, stopReading } from './node-internals.ts';

/** Why a connection is not read. */
export type HoldReason =
  /** HTTP/1.1: as many pipelined requests are open as may be. */
  | 'pipeline'
  /** Its requests, or those of others, have used up an iteration of the event loop. */
  | 'turn'
  /** A fault that the request asked for. */
  | 'fault'
  /** Nothing that arrives will be served. */
  | 'closing'
  /** Content is not being read by its handler. */
  | 'content';

/**
 * Whether a socket is read: it is, unless somebody holds it. By libuv's handle, at once: a paused stream would still
 * deliver the up to 2 MiB that may arrive within the iteration of the event loop.
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

  /** Ends a hold, if there is one. Reading begins again when there is no other. */
  release(reason: HoldReason): void {
    if (this.#reasons.delete(reason) && this.isOpen) startReading(this.#socket);
  }

  /** Ends all holds. */
  open(): void {
    for (const reason of this.#reasons) this.release(reason);
  }
}
