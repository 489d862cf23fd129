import type { CloseReason } from '../net/close-reason.ts';
import type { ProtocolOptions } from '../server/limits.ts';

/** A connection, or what enforces its time limits. */
interface TimeLimited {
  checkTimeLimits(now: number): void;
  closeIdle(now: number, duration: number, reason: CloseReason): void;
}

/** The open connections of a protocol. Checks their time limits at intervals. */
export abstract class Adapter<Open extends TimeLimited> {
  protected readonly open = new Set<Open>();
  protected readonly options: ProtocolOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: ProtocolOptions) {
    this.options = options;
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const each of this.open) each.checkTimeLimits(now);
    }, options.sweepInterval).unref();
  }

  /**
   * Closes connections that have been idle. Call at intervals.
   *
   * @param duration in milliseconds
   */
  closeIdle(duration: number): void {
    const now = performance.now();
    for (const each of this.open) each.closeIdle(now, duration, 'draining');
  }

  /** Stops checking time limits. */
  close(): void {
    clearInterval(this.#sweep);
  }
}
