import type { FieldLines } from '../http/fields.ts';
import { type Payload, type TimedStream, type PullSource, type Streamed } from './payload.ts';
import { openRequests } from '../net/request-counts.ts';
import { guarded } from './failure.ts';
import { turns } from '../net/scheduler.ts';

/** Maximum bytes of a payload that are queued for a response. */
export interface Window {
  /** Limit for pieces that are made for this response. */
  readonly own: number;
  /** Limit for pieces that are views of shared memory. */
  readonly shared: number;
  /** Whether small pieces may be joined; false where the client sees pieces as chunks. */
  readonly joins?: boolean;
}

type Sent = (error?: Error | null) => void;

/** Where a payload is written: an HTTP/2 stream, or the response of an HTTP/1.x connection. */
export interface Sink {
  /** Whether nothing can be written any more. */
  readonly destroyed: boolean;
  /** Writes a piece. A string has one byte per character. */
  write(piece: string | Uint8Array, encoding: 'latin1', sent?: Sent): unknown;
  end(): unknown;
  end(piece: string | Uint8Array, sent?: Sent): unknown;
  end(piece: string, encoding: 'latin1'): unknown;
}

/** Maximum bytes of created pieces for all open requests together, because thousands of clients may not be reading. */
const CREATED = 16 * 1024 * 1024;
const MIN_WINDOW = 4 * 1024;

/** One open request's share of `all` bytes. @param least minimum share, even if the sum then exceeds `all` */
export const shareOf = (all: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.floor(all / openRequests())));

/** The window for created pieces. It shrinks when many requests are open. */
const ownWindow = ({ own }: Window): number => shareOf(CREATED, MIN_WINDOW, own);

/** The progress of a response. */
export interface Delivery {
  readonly signal: AbortSignal;
  /** Bytes written so far. If the client disconnects, some of them are not sent. */
  bytes: number;
  /** Called with an error of the payload, which is then not read further. */
  failed(error: unknown): void;
  /** Called before the end of a payload with trailers. Not needed if the sink asks for trailers itself. */
  addTrailers?(trailers: FieldLines): void;
}

/**
 * Writes a payload to the sink with backpressure. If the sink closes early, the payload is not read further; `signal`
 * clears its timers. Never throws, not even in an event.
 */
export function pump(
  sink: Sink,
  payload: Payload | PullSource,
  window: Window,
  delivery: Delivery,
): void {
  if (typeof payload === 'string') {
    delivery.bytes = payload.length;
    sink.end(payload, 'latin1');
  } else if (payload instanceof Uint8Array) {
    delivery.bytes = payload.length;
    sink.end(payload);
  } else if (payload.kind === 'pulled') {
    pumpPulled(sink, payload, payload.length, window, delivery);
  } else if (payload.kind === 'streamed') {
    if (payload.shared || !window.joins) pumpPulled(sink, payload, Infinity, window, delivery);
    else {
      const next = joinedPieces(payload, window);
      pumpPulled(sink, { kind: 'streamed', next }, Infinity, ONE_PIECE, delivery);
    }
  } else {
    pumpTimed(sink, payload, window, delivery);
  }
}

/** Bytes counted per queued piece in addition to its length: a hundred thousand of one byte may be queued. */
const OVERHEAD = 256;

/** A window with which each piece is sent before the next one is read. */
const ONE_PIECE: Window = { own: 1, shared: 1 };

function pumpPulled(
  sink: Sink,
  payload: PullSource | Streamed,
  length: number,
  windows: Window,
  delivery: Delivery,
): void {
  let left = length;
  const fill = guarded(delivery, () => {
    let queued = 0;
    const window = payload.shared ? windows.shared : ownWindow(windows);
    while (!sink.destroyed) {
      // Adds a short rest to this write, because a second write would cost more.
      const size = left > 2 * window ? window : left;
      const piece = left > 0 ? payload.next(size) : undefined;
      if (piece === undefined) {
        endResponse(sink, payload, delivery);
        return;
      }
      left -= piece.length;
      delivery.bytes += piece.length;
      const sent = releaseCallback(payload, piece, delivery);
      if (left === 0) {
        sink.end(piece, sent);
        return;
      }
      queued += piece.length + OVERHEAD;
      if (queued >= window) {
        sink.write(piece, 'latin1', (error) => {
          sent?.(error);
          if (!error) turns.run(fill);
        });
        return;
      }
      sink.write(piece, 'latin1', sent);
    }
  });
  fill();
}

function endResponse(
  sink: Sink,
  payload: PullSource | Streamed | TimedStream,
  delivery: Delivery,
): void {
  const trailers = 'trailers' in payload ? payload.trailers : undefined;
  if (trailers) delivery.addTrailers?.(trailers);
  sink.end();
}

type Piece = Uint8Array | string;

/** Joins pieces into larger ones of up to a window, each of which may be queued as a whole. */
function joinedPieces<Nothing extends null | undefined>(
  payload: { next(size: number): Piece | Nothing },
  window: Window,
): () => Piece | Nothing {
  let left: Piece | undefined;
  return () => {
    const pieces: Piece[] = [];
    const most = ownWindow(window);
    for (let queued = 0; ;) {
      const piece = left ?? payload.next(most);
      left = undefined;
      if (piece === null || piece === undefined) {
        return pieces.length > 0 ? concatenate(pieces) : piece;
      }
      queued += piece.length + OVERHEAD;
      if (pieces.length > 0 && queued > most) {
        left = piece;
        return concatenate(pieces);
      }
      pieces.push(piece);
    }
  };
}

function concatenate(pieces: readonly Piece[]): Piece {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  return pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(
        pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
      );
}

function releaseCallback(
  payload: PullSource | Streamed,
  piece: Uint8Array | string,
  delivery: Delivery,
): Sent | undefined {
  if (payload.kind === 'streamed' || typeof piece === 'string' || !payload.release)
    return undefined;
  // Not released after an error: a write may still use the memory.
  return (error) => {
    if (error) return;
    try {
      payload.release?.(piece);
    } catch (failure) {
      delivery.failed(failure);
    }
  };
}

/**
 * Writes pieces that are due, a window at a time. Waits until a window has been sent, so that a client that does not
 * read has at most one window queued. Once everything due has been sent, it waits even if more has become due: if a
 * write takes longer than the interval between pieces, one response would otherwise block the event loop until it ends.
 */
function pumpTimed(sink: Sink, payload: TimedStream, window: Window, delivery: Delivery): void {
  const next = window.joins ? joinedPieces(payload, window) : () => payload.next(ownWindow(window));
  let queued = 0;
  const wait = guarded(delivery, () => {
    if (sink.destroyed) return;
    payload
      .wait(delivery.signal)
      .then(() => turns.run(fill))
      .catch((error: unknown) => delivery.failed(error));
  });
  const fill = guarded(delivery, () => {
    let isAllDue = false;
    const sent = (cost: number, error?: Error | null): void => {
      queued -= cost;
      if (error || queued > 0) return;
      if (isAllDue) wait();
      else turns.run(fill);
    };
    const most = ownWindow(window);
    while (queued < most && !sink.destroyed) {
      const piece = next();
      if (piece === undefined) {
        endResponse(sink, payload, delivery);
        return;
      }
      if (piece === null) {
        isAllDue = true;
        break;
      }
      const cost = piece.length + OVERHEAD;
      queued += cost;
      delivery.bytes += piece.length;
      sink.write(piece, 'latin1', (error) => sent(cost, error));
    }
    if (queued === 0) wait();
  });
  fill();
}
