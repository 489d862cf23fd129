import type { CloseMethod, CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { BOUNDS, turns } from '../../net/scheduler.ts';
import { guarded } from '../../server/failure.ts';
import { Unread, type UnreadTotal } from '../unread.ts';
import type { Output } from './output.ts';

/** Bytes of frames that the socket has not taken, from which nothing more is read. */
const MAX_UNTAKEN_REPLIES = 256 * 1024;
/** Pieces of content between two readings of the clock. */
const CLOCK_INTERVAL = 16;

/** Whether the received bytes are being read, or will be in a turn of the connection. */
type ReadState = 'idle' | 'scheduled' | 'running';

/** The session whose bytes are read. */
export interface ReadingOwner {
  readonly connection: TcpConnection;
  readonly output: Output;
  readonly http2: {
    readonly outputLength: number;
    readonly streamCount: number;
    readonly local: { readonly maxConcurrentStreams: number };
    receive(bytes: Buffer): number;
    pause(): void;
  };
  /** Whether nothing more is read. */
  readonly isOver: boolean;
  failed(error: unknown): void;
  /** Closes the connection without GOAWAY. */
  cut(how: CloseMethod, reason: CloseReason): void;
}

/**
 * Reads the bytes of a connection, as far as a turn lasts: they may contain thousands of requests. Reads nothing as long
 * as the client does not read what answers it.
 */
export class Reading {
  readonly #owner: ReadingOwner;
  readonly #unread: Unread;
  #state: ReadState = 'idle';
  /** When the work began that counts against the turn, from performance.now(). */
  #since = 0;
  /** Pieces of content received so far. */
  #pieces = 0;

  /** @param total counts the unread bytes on all connections of the adapter */
  constructor(owner: ReadingOwner, total: UnreadTotal) {
    this.#owner = owner;
    this.#unread = new Unread(total);
  }

  /** Call with bytes of the client. */
  add(piece: Buffer): void {
    this.#unread.add(piece, performance.now());
    if (this.#state === 'idle' && !this.#owner.connection.isReadingHeld('pipeline')) {
      if (piece.length > BOUNDS.smallPiece && turns.isSpent()) this.#readInTurn();
      else this.#read();
    }
    if (this.#unread.isFlood) this.#owner.cut('reset', 'flood');
  }

  /** Call when a request was served. @param began when it began, from performance.now() */
  countRequest(began: number): void {
    if (began - this.#since > BOUNDS.turn || this.#isBacklogged) this.#owner.http2.pause();
  }

  /** Call with each piece of content: even one byte may cost as much as a request. */
  countPiece(): void {
    if (++this.#pieces % CLOCK_INTERVAL === 0) this.countRequest(performance.now());
  }

  #read(): void {
    const { http2, output } = this.#owner;
    this.#state = 'running';
    this.#since = performance.now();
    for (let { first } = this.#unread; first; { first } = this.#unread) {
      const { at } = this.#unread;
      output.beginBatch();
      const read = http2.receive(at === 0 ? first.bytes : first.bytes.subarray(at));
      this.#unread.advance(at + read);
      output.endBatch();
      if (this.#owner.isOver || this.#unread.isEmpty) break;
      if (this.#isBacklogged || turns.isSpent()) break;
      this.#since = performance.now();
    }
    this.#state = 'idle';
    this.#awaitNext();
  }

  get #isBacklogged(): boolean {
    const { connection, http2, output } = this.#owner;
    // For the client, streams of which it has not read the end are open.
    const unread = connection.requests.open - http2.streamCount;
    return (
      http2.outputLength > MAX_UNTAKEN_REPLIES ||
      (unread > http2.local.maxConcurrentStreams && !output.isEmpty)
    );
  }

  /** Decides when to read on. */
  #awaitNext(): void {
    const { connection, output, isOver } = this.#owner;
    if (isOver) this.end();
    else if (this.#isBacklogged) {
      connection.holdReading('pipeline');
      output.afterSent(() => {
        connection.releaseReading('pipeline');
        this.#awaitNext();
      });
    } else if (!this.#unread.isEmpty) this.#readInTurn();
  }

  /** Reads on in turn with other connections. */
  #readInTurn(): void {
    if (this.#state !== 'idle') return;
    const { connection } = this.#owner;
    this.#state = 'scheduled';
    connection.holdReading('turn');
    const read = guarded(this.#owner, () => {
      this.#state = 'idle';
      connection.releaseReading('turn');
      if (!connection.stream.destroyed) this.#read();
    });
    turns.run(read, connection);
  }

  /** Drops what was not read. */
  end(): void {
    this.#unread.take();
  }
}
