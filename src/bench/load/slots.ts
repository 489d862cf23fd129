import type { Connector } from './connector.ts';
import { Lane, Slot } from './lane.ts';

/** Milliseconds between checks for requests that take too long. */
const SWEEP = 50;

/** Number of requests that a load has in flight. */
export interface Concurrency {
  readonly connections: number;
  /** Concurrent requests on each connection. */
  readonly streams: number;
  /** Whether a connection carries more than one request. */
  readonly isReused: boolean;
}

/** All slots of a load. */
export class Slots {
  readonly #connector: Connector;
  readonly #lanes: readonly Lane[];
  readonly all: readonly Slot[];
  readonly #sweep: NodeJS.Timeout;
  #onIdle: (() => void) | undefined;

  /** @param timeout of a request, in milliseconds */
  constructor(
    connector: Connector,
    { connections, streams, isReused }: Concurrency,
    timeout: number,
  ) {
    this.#connector = connector;
    const open = () => connector.open();
    this.#lanes = Array.from({ length: connections }, () => new Lane(open, isReused));
    // Slots are ordered so that the first requests use different connections.
    this.all = Array.from({ length: streams }, () =>
      this.#lanes.map((lane) => new Slot(lane, connector.next)),
    ).flat();
    this.#sweep = setInterval(() => {
      const before = performance.now() - timeout;
      for (const slot of this.all) if (slot.isBusy) slot.abortIfSince(before);
      this.#checkIdle();
    }, SWEEP);
  }

  /** Opens the connections. */
  async prepare(): Promise<void> {
    // The first requests report its errors.
    await this.#connector.prepareSession().catch(() => undefined);
    await Promise.all(this.#lanes.map((lane) => lane.prepare()));
  }

  /** Waits until no request is in flight. */
  async idle(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#connector.destroyAll();
  }

  #checkIdle(): void {
    if (this.#onIdle && !this.all.some(({ isBusy }) => isBusy)) this.#onIdle();
  }
}
