import type { Exchange } from '../../server/exchange.ts';
import type { Request } from '../../server/request.ts';
import type { ExchangeObserver } from '../../server/observer.ts';
import { pause } from '../../server/pause.ts';
import { Problem } from '../../http/problem.ts';
import type { Connection } from '../../net/connection.ts';
import type { RejectedMessage } from '../../net/rejected-message.ts';
import type { WireKind } from '../../inspect/connection-inspection.ts';
import { NOTHING_REDACTED, type Redaction, type View } from '../../inspect/views/view.ts';
import { redactForTap, wireRedaction } from '../rejected-message.ts';
import type { TapFilter } from './filter.ts';
import { readRing, type Batch } from './batch.ts';
import { eventStream, type TapReaderOptions, type TapSource } from './reader.ts';
import {
  closedRecord,
  handshakeFailedRecord,
  handshakeRecord,
  openedRecord,
  rejectedRecord,
  requestRecord,
  isWireKind,
  wireRecord,
} from './record.ts';
import { TapRing } from './ring.ts';

/** Number of records to keep: about 1 MiB of typical ones, 10 MiB of the largest. */
const RING_SIZE = 1024;
const MAX_READERS = 16;
/** Milliseconds in each READ_INTERVAL for all readers together: at most 2% of the CPU time. */
const BUDGET = 0.5;
/** Seconds between reads when idle, if there are several processes: their rings have to be polled. */
const POLL_INTERVAL = 0.1;

/**
 * Milliseconds for which frames and TLS records are recorded after a read: longer than the interval of idle readers.
 */
const WIRE_INTERVAL = 20_000;

/** Estimated bytes of fields that a recorded frame may keep: with HPACK, a large field may be one byte. */
const MAX_FIELDS_SIZE = 8 * 1024;

export interface TapOptions {
  /** Whether to show secrets. */
  readonly secrets: boolean;
  /** Set if this process is one of several workers. */
  readonly membership?: TapMembership | undefined;
}

/** The tap of a worker as one of several. */
export interface TapMembership {
  readonly worker: number;
  /** Reads the recorded events of all workers, including this one. */
  readonly readBatches: (after: string | undefined, filter: TapFilter) => Promise<readonly Batch[]>;
}

/**
 * Records events of connections and requests. The last ones are kept even without a reader, so that a client can catch
 * up after it reconnects. Recording only copies a few values; events are formatted when they are read.
 */
export class Tap implements ExchangeObserver {
  readonly #ring = new TapRing(RING_SIZE);
  readonly #secrets: boolean;
  readonly #membership: TapOptions['membership'];
  /** Makes event ids unique across processes and restarts. */
  readonly #idPrefix: string;
  #readers = 0;
  readonly #redaction: Redaction;
  /** Frames and TLS records are recorded until this `performance.now()`. */
  #wireUntil = -Infinity;
  readonly #wireReaders = new WeakSet<Connection>();

  constructor({ secrets, membership }: TapOptions) {
    this.#secrets = secrets;
    const redaction = secrets ? NOTHING_REDACTED : wireRedaction;
    this.#redaction = { ...redaction, maxFieldsSize: MAX_FIELDS_SIZE };
    this.#membership = membership;
    const startedAt = Date.now().toString(36);
    this.#idPrefix = membership ? `${membership.worker}.${startedAt}` : startedAt;
  }

  opened(connection: Connection): void {
    this.#ring.add(openedRecord(connection));
  }

  secured(connection: Connection): void {
    this.#ring.add(handshakeRecord(connection));
  }

  handshakeFailed(connection: Connection, error: Error): void {
    this.#ring.add(handshakeFailedRecord(connection, error));
  }

  rejected(connection: Connection, error: Error, message?: RejectedMessage): void {
    const redacted = message && redactForTap(message, this.#secrets);
    this.#ring.add(rejectedRecord(connection, error, redacted));
  }

  responded(exchange: Exchange): void {
    exchange.respondedAt = performance.now();
  }

  finished(exchange: Exchange, complete: boolean): void {
    this.#ring.add(requestRecord(exchange, complete, this.#secrets));
  }

  wire(connection: Connection, kind: WireKind, view: (redaction: Redaction) => View): void {
    if (performance.now() > this.#wireUntil || this.#wireReaders.has(connection)) return;
    this.#ring.add(wireRecord(connection, kind, view(this.#redaction)));
  }

  closed(connection: Connection): void {
    this.#ring.add(closedRecord(connection));
  }

  /**
   * Creates a stream of events. It starts when its first piece is requested.
   *
   * @throws Problem draining, too-many-readers
   */
  read(
    request: Pick<Request, 'whenFinished'>,
    options: TapReaderOptions,
  ): (signal: AbortSignal) => AsyncGenerator<string> {
    if (this.#ring.ended) throw new Problem('draining', 'there will be no more events');
    if (this.#readers >= MAX_READERS) {
      throw new Problem('too-many-readers', `/tap already has ${MAX_READERS} readers`);
    }
    this.#readers++;
    request.whenFinished(() => this.#readers--);
    return (signal) => eventStream(this.#source(), options, signal);
  }

  /**
   * Reads the ring of this process.
   *
   * @param after id of the last known event; if undefined, reading starts at the current end
   * @param budget maximum duration in milliseconds
   */
  readBatch(after: string | undefined, filter: TapFilter, budget = BUDGET): Batch {
    if (filter.kinds?.some(isWireKind)) this.#wireUntil = performance.now() + WIRE_INTERVAL;
    return readRing(this.#ring, {
      idPrefix: this.#idPrefix,
      from: this.#numberAfter(after),
      filter,
      secrets: this.#secrets,
      worker: this.#membership?.worker,
      budget,
    });
  }

  /** Does not record frames and TLS records of a connection that reads them: that would cause further ones. */
  ignoreWire(connection: Connection): void {
    this.#wireReaders.add(connection);
  }

  /** Ends all streams once they have sent the remaining events. */
  end(): void {
    this.#ring.end();
  }

  /** Allows new streams, after `end`. */
  resume(): void {
    this.#ring.resume();
  }

  #source(): TapSource {
    const ring = this.#ring;
    const membership = this.#membership;
    return {
      get ended() {
        return ring.ended;
      },
      readBatches: (after, filter) =>
        membership?.readBatches(after, filter) ?? [
          this.readBatch(after, filter, BUDGET / Math.max(1, this.#readers)),
        ],
      waitForMore: async (batches, timeout, signal) => {
        if (membership) {
          const isIdle = batches.every(({ from, end }) => from === end);
          if (isIdle) await pause(POLL_INTERVAL, signal);
        } else if (batches.every(({ next }) => next === ring.next))
          await ring.waitForMore(timeout, signal);
      },
    };
  }

  /** The record number after an event id; the oldest record if the id has no cursor of this process. */
  #numberAfter(id: string | undefined): number {
    if (id === undefined) return this.#ring.next;
    const cursor = id.split(',').find((part) => part.startsWith(`${this.#idPrefix}-`));
    const number = cursor?.slice(this.#idPrefix.length + 1) ?? '';
    if (!/^\d{1,15}$/.test(number)) return this.#ring.oldest;
    return Math.min(Number(number) + 1, this.#ring.next);
  }
}
