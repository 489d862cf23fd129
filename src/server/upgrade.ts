import type { Duplex } from 'node:stream';
import { guarded } from './failure.ts';
import type { DrainState } from './rehearsal.ts';

/** What a request is answered with instead of content (RFC 9110 7.8): another protocol. */
export interface Upgrade {
  /** Begins once the response has been sent. */
  readonly begin: (channel: UpgradeChannel, reserve: (bytes: number) => void) => Upgraded;
}

/** A connection after an upgrade. */
export interface Upgraded {
  /** Ends it, because the service is shutting down. */
  drain(): void;
}

/** Those that are open. */
export class UpgradedConnections {
  readonly #open = new Set<Upgraded>();
  readonly #state: DrainState;

  constructor(state: DrainState) {
    this.#state = state;
  }

  /** @param exchange when it is finished, the connection has ended */
  add(exchange: { onFinished: (() => void) | undefined }, upgraded: Upgraded): void {
    this.#open.add(upgraded);
    const { onFinished } = exchange;
    exchange.onFinished = () => {
      onFinished?.();
      this.#open.delete(upgraded);
    };
    if (this.#state.isDraining) upgraded.drain();
  }

  /** Ends all of them, as those to come end at once. */
  drain(): void {
    for (const upgraded of this.#open) upgraded.drain();
  }
}

/** The events of a channel: as those of its stream. */
interface ChannelEvents {
  readonly data: (piece: Buffer) => void;
  readonly drain: () => void;
  readonly end: () => void;
  readonly close: () => void;
}

/** The exchange of a channel. */
interface Upgrading {
  /** Bytes written so far. */
  bytes: number;
  failed(error: unknown): void;
}

/** The bytes of a connection of HTTP/1.1 after 101, or of a stream of HTTP/2 (RFC 8441 5). */
export class UpgradeChannel {
  readonly #stream: Duplex;
  readonly #exchange: Upgrading;
  readonly #onEnd: () => void;
  readonly #onAbort: () => void;
  #isOver = false;

  /**
   * @param onEnd called when all has been sent
   * @param onAbort called instead if the exchange is not complete
   */
  constructor(stream: Duplex, exchange: Upgrading, onEnd: () => void, onAbort: () => void) {
    this.#stream = stream;
    this.#exchange = exchange;
    this.#onEnd = onEnd;
    this.#onAbort = onAbort;
  }

  get isPaused(): boolean {
    return this.#stream.isPaused();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** An error of the listener ends the exchange. */
  on<Name extends keyof ChannelEvents>(event: Name, listener: ChannelEvents[Name]): this {
    this.#stream.on(event, guarded(this, listener));
    return this;
  }

  /** Ends the exchange because of an error, such as one in a timer. */
  failed(error: unknown): void {
    this.#isOver = true;
    this.#exchange.failed(error);
  }

  /** @returns false if the client reads too slowly; there is a `drain` then */
  write(bytes: Buffer): boolean {
    if (this.#isOver || !this.#stream.writable) return true;
    this.#exchange.bytes += bytes.length;
    return this.#stream.write(bytes);
  }

  /** Sends the last bytes, and ends. */
  end(bytes: Buffer): void {
    if (this.#isOver || !this.#stream.writable) return;
    this.#isOver = true;
    this.#exchange.bytes += bytes.length;
    this.#stream.write(bytes, (error) => {
      if (!error) this.#onEnd();
    });
  }

  /** Ends without a last word: the client has disconnected. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onAbort();
  }
}
