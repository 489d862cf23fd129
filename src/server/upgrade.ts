import type { Duplex } from 'node:stream';
import { guarded } from './failure.ts';
import type { NamedFault } from './fault.ts';
import type { DrainState } from './rehearsal.ts';
import type { Request } from './request.ts';

/** Another protocol that follows the response, instead of content (RFC 9110 7.8). */
export interface Upgrade {
  /** Starts the protocol once the response has been sent. */
  readonly begin: (channel: UpgradeChannel, reserve: (bytes: number) => void) => Upgraded;
  /** The fault that the request asks for, as shown in metrics, journal and log. */
  readonly fault?: NamedFault | undefined;
}

/** A connection that has switched protocols. */
export interface Upgraded {
  /** Ends the connection because the service is stopping. */
  drain(): void;
}

/** Open connections that have switched protocols. */
export class UpgradedConnections {
  readonly #open = new Set<Upgraded>();
  readonly #state: DrainState;

  constructor(state: DrainState) {
    this.#state = state;
  }

  /** Adds a connection. @param exchange finished when the connection has ended */
  add(exchange: Pick<Request, 'whenFinished'>, upgraded: Upgraded): void {
    this.#open.add(upgraded);
    exchange.whenFinished(() => this.#open.delete(upgraded));
    if (this.#state.isDraining) upgraded.drain();
  }

  /** Ends all connections. Later ones are ended when they are added. */
  drain(): void {
    for (const upgraded of this.#open) upgraded.drain();
  }
}

/** Events of a channel, like those of its stream. */
interface ChannelEvents {
  readonly data: (piece: Buffer) => void;
  readonly drain: () => void;
  readonly end: () => void;
  readonly close: () => void;
}

/** How an exchange ends with its channel. */
interface ChannelEnds {
  /** Called once all bytes have been sent. */
  readonly end: () => void;
  /** Called instead of `end` if the client has disconnected. */
  readonly abort: () => void;
  /** Called instead of `end` to reset the connection or the stream. */
  readonly reset: () => void;
}

/** What a channel needs of its exchange. */
interface Upgrading {
  /** Bytes written so far. */
  bytes: number;
  failed(error: unknown): void;
}

/** The bytes of an HTTP/1.1 connection after 101, or of an HTTP/2 stream (RFC 8441 5). */
export class UpgradeChannel {
  readonly #stream: Duplex;
  readonly #exchange: Upgrading;
  readonly #ends: ChannelEnds;
  #isOver = false;

  constructor(stream: Duplex, exchange: Upgrading, ends: ChannelEnds) {
    this.#stream = stream;
    this.#exchange = exchange;
    this.#ends = ends;
  }

  get isPaused(): boolean {
    return this.#stream.isPaused();
  }

  /** Whether the client ended its direction before the response, so that no `end` event follows. */
  get hasEnded(): boolean {
    return this.#stream.readableEnded;
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Adds a listener. An error thrown in it ends the exchange. */
  on<Name extends keyof ChannelEvents>(event: Name, listener: ChannelEvents[Name]): this {
    this.#stream.on(event, guarded(this, listener));
    return this;
  }

  /** Ends the exchange because of an error, such as one in a timer. */
  failed(error: unknown): void {
    this.#isOver = true;
    this.#exchange.failed(error);
  }

  /** Sends bytes. @returns false if the client reads too slowly; then `drain` follows */
  write(bytes: Buffer): boolean {
    if (this.#isOver || !this.#stream.writable) return true;
    this.#exchange.bytes += bytes.length;
    return this.#stream.write(bytes);
  }

  end(bytes: Buffer): void {
    if (this.#isOver || !this.#stream.writable) return;
    this.#isOver = true;
    this.#exchange.bytes += bytes.length;
    this.#stream.write(bytes, (error) => {
      if (!error) this.#ends.end();
    });
  }

  /** Ends the channel without sending anything, because the client has disconnected. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ends.abort();
  }

  /** Resets the channel once everything written has been sent. */
  reset(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.write(NOTHING, (error) => {
      if (!error) this.#ends.reset();
    });
  }
}

const NOTHING = Buffer.alloc(0);
