import type { Exchange, ExchangeObserver } from '../http/exchange.ts';
import { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';
import { Ledger } from './ledger.ts';
import type { TapFilter } from './tap-filter.ts';
import { events } from './tap-reader.ts';
import {
  closedRecord,
  handshakeFailedRecord,
  handshakeRecord,
  openedRecord,
  rejectedRecord,
  requestRecord,
} from './tap-record.ts';
import { TapRing } from './tap-ring.ts';

/** Records that are kept: about 1 MiB of usual ones, 10 MiB of the largest. */
const KEPT = 1024;
const MOST_READERS = 16;

/** What a reader asks for. */
export interface TapRequest {
  readonly filter: TapFilter;
  /** The id of the last event that is known; undefined to begin with the next event. */
  readonly lastEventId: string | undefined;
  /** Seconds; undefined for no end. */
  readonly duration: number | undefined;
}

/**
 * Sees everything that becomes of connections and requests. The last events are kept whether anybody
 * reads or not, so that a client that comes back, or one that comes too late, finds them; keeping one
 * takes no more than copying a few numbers, and none is formatted before it is read.
 */
export class Tap implements ExchangeObserver {
  readonly ledger = new Ledger();
  readonly #ring = new TapRing(KEPT);
  readonly #secrets: boolean;
  /** Ids are of this process alone: the numbers of another one begin anew. */
  readonly #origin = Date.now().toString(36);
  #readers = 0;

  /** @param secrets whether queries and fields that hold secrets are shown as they are */
  constructor({ secrets }: { readonly secrets: boolean }) {
    this.#secrets = secrets;
  }

  opened(connection: Connection): void {
    this.ledger.opened(connection);
    this.#ring.add(openedRecord(connection));
  }

  secured(connection: Connection): void {
    this.ledger.secured(connection);
    this.#ring.add(handshakeRecord(connection));
  }

  handshakeFailed(connection: Connection, error: Error): void {
    this.ledger.handshakeFailed();
    this.#ring.add(handshakeFailedRecord(connection, error));
  }

  rejected(connection: Connection, error: Error): void {
    this.#ring.add(rejectedRecord(connection, error));
  }

  finished(exchange: Exchange, through: boolean): void {
    this.#ring.add(requestRecord(exchange, through, this.#secrets));
  }

  closed(connection: Connection): void {
    this.ledger.closed(connection);
    this.#ring.add(closedRecord(connection));
  }

  /**
   * The events as a reader wants them, from when the first piece is asked for.
   *
   * @throws Problem draining, too-many-readers
   */
  read({
    filter,
    lastEventId,
    duration,
  }: TapRequest): (gone: AbortSignal) => AsyncGenerator<string> {
    if (this.#ring.ended) throw new Problem('draining', 'there will be no more events');
    if (this.#readers >= MOST_READERS) {
      throw new Problem('too-many-readers', `/tap has its ${MOST_READERS} readers`);
    }
    const reader = {
      filter,
      from: this.#numberBehind(lastEventId),
      duration,
      secrets: this.#secrets,
      idOf: (number: number) => `${this.#origin}-${number}`,
      readers: () => this.#readers,
    };
    return (gone) => this.#reading(events(this.#ring, reader, gone));
  }

  /** Sends the readers home, each with the events that it has still to get. */
  end(): void {
    this.#ring.end();
  }

  async *#reading(pieces: AsyncGenerator<string>): AsyncGenerator<string> {
    this.#readers++;
    try {
      yield* pieces;
    } finally {
      this.#readers--;
    }
  }

  /** Of an id that is not this process's all that is kept comes behind it. */
  #numberBehind(id: string | undefined): number {
    if (id === undefined) return this.#ring.next;
    const [origin, number = ''] = id.split('-');
    const known = origin === this.#origin && /^\d{1,15}$/.test(number);
    return known ? Math.min(Number(number) + 1, this.#ring.next) : this.#ring.oldest;
  }
}
