import type { Exchange, ExchangeObserver } from '../../server/exchange.ts';
import { pause } from '../../server/pause.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import { ConnectionStatistics } from '../connection-statistics.ts';
import { tapRefused, type ShownPath } from '../rejected-message.ts';
import type { TapFilter } from './filter.ts';
import { readBatch, type Batch } from './batch.ts';
import { events, type TapRequest, type TapSource } from './reader.ts';
import {
  closedRecord,
  handshakeFailedRecord,
  handshakeRecord,
  openedRecord,
  rejectedRecord,
  requestRecord,
} from './record.ts';
import { TapRing } from './ring.ts';

/** Records that are kept: about 1 MiB of usual ones, 10 MiB of the largest. */
const KEPT = 1024;
const MOST_READERS = 16;
/** Milliseconds that all readers together may take in a turn: a fiftieth of the time at the most. */
const BUDGET = 0.5;
/** Seconds until the next look at several processes, of which only a look tells whether there is news. */
const QUIET = 0.1;

/** What there is in the rings of all workers, this one's too. */
export type BatchesOfAll = (
  after: string | undefined,
  filter: TapFilter,
) => Promise<readonly Batch[]>;

export interface TapOptions {
  /** Whether queries and fields that hold secrets are shown as they are. */
  readonly secrets: boolean;
  /** As it is sent without it. */
  readonly shownPath?: ShownPath;
  /** Where this process is one of several: its number, and how to see what the others keep. */
  readonly membership?: { readonly worker: number; readonly looks: BatchesOfAll } | undefined;
}

/**
 * Sees everything that becomes of connections and requests. The last events are kept whether anybody
 * reads or not, so that a client that comes back, or one that comes too late, finds them; keeping one
 * takes no more than copying a few numbers, and none is formatted before it is read.
 */
export class Tap implements ExchangeObserver {
  readonly ledger = new ConnectionStatistics();
  readonly #ring = new TapRing(KEPT);
  readonly #secrets: boolean;
  readonly #shownPath: ShownPath;
  readonly #membership: TapOptions['membership'];
  /** Ids are of this process alone: the numbers of another one begin anew. */
  readonly #origin: string;
  #readers = 0;

  constructor({ secrets, shownPath = (path) => path, membership }: TapOptions) {
    this.#secrets = secrets;
    this.#shownPath = shownPath;
    this.#membership = membership;
    const begun = Date.now().toString(36);
    this.#origin = membership ? `${membership.worker}.${begun}` : begun;
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

  rejected(connection: Connection, error: Error, refused?: RejectedMessage): void {
    const shown = refused && tapRefused(refused, this.#secrets, this.#shownPath);
    this.#ring.add(rejectedRecord(connection, error, shown));
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
  read(request: TapRequest): (signal: AbortSignal) => AsyncGenerator<string> {
    if (this.#ring.ended) throw new Problem('draining', 'there will be no more events');
    if (this.#readers >= MOST_READERS) {
      throw new Problem('too-many-readers', `/tap has its ${MOST_READERS} readers`);
    }
    return (signal) => this.#reading(events(this.#source(), request, signal));
  }

  /**
   * What this process has kept.
   *
   * @param after the id of the last event that is known; without one, only what comes from now on
   * @param budget in milliseconds: no longer than that
   */
  look(after: string | undefined, filter: TapFilter, budget = BUDGET): Batch {
    return readBatch(this.#ring, {
      origin: this.#origin,
      from: this.#numberBehind(after),
      filter,
      secrets: this.#secrets,
      worker: this.#membership?.worker,
      budget,
    });
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

  #source(): TapSource {
    const ring = this.#ring;
    const membership = this.#membership;
    return {
      get ended() {
        return ring.ended;
      },
      look: (after, filter) =>
        membership?.looks(after, filter) ?? [this.look(after, filter, BUDGET / this.#readers)],
      // Whether others have news only a look tells.
      news: async (looks, patience, signal) => {
        if (membership) {
          const isQuiet = looks.every(({ from, end }) => from === end);
          if (isQuiet) await pause(QUIET, signal);
        } else if (looks.every(({ next }) => next === ring.next))
          await ring.waitForMore(patience, signal);
      },
    };
  }

  /** Of an id that does not name this process all that is kept comes behind it. */
  #numberBehind(id: string | undefined): number {
    if (id === undefined) return this.#ring.next;
    const place = id.split(',').find((part) => part.startsWith(`${this.#origin}-`));
    const number = place?.slice(this.#origin.length + 1) ?? '';
    if (!/^\d{1,15}$/.test(number)) return this.#ring.oldest;
    return Math.min(Number(number) + 1, this.#ring.next);
  }
}
