import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../net/error-text.ts';

/** Durations of a drain after which the service serves again, in seconds. */
export interface DrainPlan {
  /** From the failure of /readyz to the close of the port. */
  readonly lag: number;
  /** Maximum time for open requests to finish. */
  readonly timeout: number;
  /** For which the port stays closed afterwards. */
  readonly down: number;
}

/** Whether the service finishes open requests and accepts no further ones. */
export interface DrainState {
  isDraining: boolean;
}

/** A service, or all workers, as far as a drain needs them. */
export interface Drainable {
  /** Makes /readyz fail. */
  markNotReady(): Promise<void>;
  closePort(): void;
  /**
   * Waits for open requests, and aborts those that take longer.
   *
   * @param timeout in seconds
   * @returns the number of aborted requests
   */
  drainConnections(timeout: number): Promise<number>;
  /** Opens the port. @throws a system error, such as EADDRINUSE */
  openPort(): Promise<void>;
  /** Serves new connections again, and makes /readyz succeed. */
  resume(): Promise<void>;
}

interface Logger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Rehearses a graceful stop: takes the same steps in the same order, and then serves again. */
export class Rehearsal {
  readonly #service: Drainable;
  readonly #log: Logger;
  readonly #onFailure: () => void;
  #current: AbortController | undefined;

  /** @param onFailure called if the service cannot serve again */
  constructor(service: Drainable, log: Logger, onFailure: () => void) {
    this.#service = service;
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /**
   * Starts a rehearsal. Resolves once /readyz fails.
   *
   * @returns false if the service is already draining
   */
  async start({ lag, timeout, down }: DrainPlan): Promise<boolean> {
    if (this.#current) return false;
    const current = new AbortController();
    this.#current = current;
    await this.#service.markNotReady();
    const plan = { lag, timeout, down };
    this.#log.info(plan, 'rehearsing a stop');
    this.#run(plan, current.signal).catch((error: unknown) => {
      if (current.signal.aborted) return;
      const detail = errorText(error);
      this.#log.error({ detail }, 'cannot serve again');
      this.#onFailure();
    });
    return true;
  }

  /** Ends the current rehearsal and prevents another one. Call before a stop. */
  cancel(): void {
    this.#current ??= new AbortController();
    this.#current.abort();
  }

  async #run({ lag, timeout, down }: DrainPlan, signal: AbortSignal): Promise<void> {
    const service = this.#service;
    await pause(lag * 1000, undefined, { signal });
    service.closePort();
    const aborted = await service.drainConnections(timeout);
    await pause(down * 1000, undefined, { signal });
    await service.openPort();
    if (signal.aborted) {
      service.closePort();
      return;
    }
    await service.resume();
    if (signal.aborted) return;
    this.#current = undefined;
    this.#log.info({ cut: aborted }, 'serving again');
  }
}
