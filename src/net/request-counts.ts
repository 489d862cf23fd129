let openInProcess = 0;

/** Number of requests in progress on all connections of this process. */
export function openRequests(): number {
  return openInProcess;
}

/** Counts the requests of one connection, which exposes the counts as `Readonly`. */
export class RequestCounts {
  /** Requests received so far. */
  total = 0;
  /** Requests in progress: streams on HTTP/2, pipelined requests on HTTP/1.1. */
  open = 0;
  /** Requests that started while another one was in progress. */
  overlapping = 0;
  /** The highest value of `open` so far. */
  maxOpen = 0;
  /** HTTP/2: streams that the client opened above the announced limit. */
  aboveLimit = 0;
  /** When the last request finished or, before the first one, the connection was opened, from performance.now(). */
  #idleSince: number;

  /** @param openedAt `performance.now()` when the connection was opened */
  constructor(openedAt: number) {
    this.#idleSince = openedAt;
  }

  /** Counts a request that has begun. @returns its number on the connection, from 1 */
  nextNumber(): number {
    openInProcess++;
    if (++this.open > 1) this.overlapping++;
    if (this.open > this.maxOpen) this.maxOpen = this.open;
    return ++this.total;
  }

  noteFinished(): void {
    openInProcess--;
    if (--this.open === 0) this.#idleSince = performance.now();
  }

  refusedAboveLimit(count: number): void {
    this.aboveLimit += count;
  }

  /** Milliseconds without a request. @param isBusy true if the connection counts as busy even without one */
  idleFor(now: number, isBusy: boolean): number {
    if (this.open > 0 || isBusy) this.#idleSince = now;
    return now - this.#idleSince;
  }
}
