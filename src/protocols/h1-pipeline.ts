import type { Connection } from '../wire/connection.ts';
import type { Http1Exchange } from './h1-exchange.ts';

/** Requests that may be open at once, as long as their answers are no longer than that in all. */
export const MAX_OPEN = 32;
const MAX_OCTETS = 1024 * 1024;
/** Requests that may wait behind them; 64 KiB, which are read at a time, can hold some 2,000. */
const MAX_WAITING = 10_000;
/** Those of all connections together. */
let waitingInAll = 0;

export interface PipelineOptions {
  /** Requests of all connections together that may wait for the responses before them. */
  readonly maxWaitingRequests: number;
}

/** The requests of a connection whose answers are not through (RFC 9112 9.3.2). */
export class Pipeline {
  /** In order; the newest may still be arriving. */
  readonly open: Http1Exchange[] = [];
  readonly #connection: Connection;
  readonly #options: PipelineOptions;
  /** What is to be served once there is room; undefined where there is. */
  #waiting: (() => void)[] | undefined;

  constructor(connection: Connection, options: PipelineOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /**
   * Serves a request at once, or once the answers before it have left room for it. Meanwhile nothing is
   * read: a client may send any number of requests without taking an answer.
   *
   * @returns whether no more wait than may
   */
  serve(request: () => void): boolean {
    if (!this.#waiting && this.#hasRoom) {
      request();
      return true;
    }
    this.#connection.stopReading();
    this.#waiting ??= [];
    waitingInAll++;
    return (
      this.#waiting.push(request) <= MAX_WAITING && waitingInAll <= this.#options.maxWaitingRequests
    );
  }

  /** To be called when an answer is through. */
  advance(): void {
    if (!this.#waiting) return;
    while (this.#hasRoom) {
      const request = this.#waiting?.shift();
      if (!request) {
        this.#waiting = undefined;
        this.#connection.startReading();
        return;
      }
      waitingInAll--;
      request();
    }
  }

  /** @returns what was open */
  clear(): Http1Exchange[] {
    waitingInAll -= this.#waiting?.length ?? 0;
    this.#waiting = undefined;
    return this.open.splice(0);
  }

  get #hasRoom(): boolean {
    let octets = 0;
    for (const exchange of this.open) octets += exchange.octets;
    return this.open.length < MAX_OPEN && octets < MAX_OCTETS;
  }
}
