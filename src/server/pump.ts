import type { Writable } from 'node:stream';
import type { Payload, TimedStream, PullSource, Streamed } from './payload.ts';
import { withinTurn } from './turn-budget.ts';

/** Bytes asked of a pulled payload at a time: what one answer may have waiting for its client. */
export interface Window {
  /** Of pieces made for this answer. */
  readonly own: number;
  /** Of pieces that are shared. */
  readonly shared: number;
  /** Whether small pieces may go together: where there are no chunks nobody could tell. */
  readonly joins?: boolean;
}

/** Who is sent to. */
export interface Delivery {
  readonly signal: AbortSignal;
  /** Bytes handed over so far; of a recipient that has gone some were never sent. */
  bytes: number;
}

/**
 * Sends a payload as the sink takes it. When the sink closes early nothing more is asked of the
 * payload: what was queued goes with the sink, timers go with `gone`.
 */
export function pump(sink: Writable, payload: Payload, window: Window, recipient: Delivery): void {
  if (typeof payload === 'string') {
    recipient.bytes = payload.length;
    sink.end(payload, 'latin1');
  } else if (payload instanceof Uint8Array) {
    recipient.bytes = payload.length;
    sink.end(payload);
  } else if (payload.kind === 'pulled') {
    pull(sink, payload, payload.length, payload.shared ? window.shared : window.own, recipient);
  } else if (payload.kind === 'streamed') {
    if (window.joins) {
      const next = joined(payload, window.own);
      pull(sink, { kind: 'streamed', next }, Infinity, 1, recipient);
    } else pull(sink, payload, Infinity, window.own, recipient);
  } else if (payload.kind === 'with-trailers') {
    pump(sink, payload.content, window, recipient);
  } else {
    pace(sink, payload, window, recipient);
  }
}

/** Bytes that a piece counts beside its own: what waits may be a hundred thousand of one byte. */
const OVERHEAD = 256;

function pull(
  sink: Writable,
  payload: PullSource | Streamed,
  length: number,
  window: number,
  recipient: Delivery,
): void {
  let left = length;
  const fill = (): void => {
    let waiting = 0;
    while (!sink.destroyed) {
      // A second write for a short rest would cost more than the longer one.
      const size = left > 2 * window ? window : left;
      const piece = left > 0 ? payload.next(size) : undefined;
      if (piece === undefined) {
        sink.end();
        return;
      }
      left -= piece.length;
      recipient.bytes += piece.length;
      const sent = releasing(payload, piece);
      if (left === 0) {
        sink.end(piece, sent);
        return;
      }
      waiting += piece.length + OVERHEAD;
      if (waiting >= window) {
        sink.write(piece, 'latin1', (error) => {
          sent?.(error);
          if (!error) withinTurn(fill);
        });
        return;
      }
      sink.write(piece, 'latin1', sent);
    }
  };
  fill();
}

type Piece = Uint8Array | string;

/** Pieces together, as long as they fit: each is all that may wait. */
function joined<Nothing extends null | undefined>(
  payload: { next(size: number): Piece | Nothing },
  window: number,
): () => Piece | Nothing {
  let left: Piece | undefined;
  return () => {
    const pieces: Piece[] = [];
    for (let waiting = 0; ;) {
      const piece = left ?? payload.next(window);
      left = undefined;
      if (piece === null || piece === undefined) {
        return pieces.length > 0 ? together(pieces) : piece;
      }
      waiting += piece.length + OVERHEAD;
      if (pieces.length > 0 && waiting > window) {
        left = piece;
        return together(pieces);
      }
      pieces.push(piece);
    }
  };
}

function together(pieces: readonly Piece[]): Piece {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  return pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

function releasing(
  payload: PullSource | Streamed,
  piece: Uint8Array | string,
): ((error?: Error | null) => void) | undefined {
  if (payload.kind === 'streamed' || typeof piece === 'string' || !payload.release)
    return undefined;
  // After an error nobody knows what still reads the memory.
  return (error) => {
    if (!error) payload.release?.(piece);
  };
}

/**
 * Sends what is due, a window at a time. More is asked for once all of it has been sent, so that a
 * client that takes nothing has one window waiting however much is due in the meantime. After
 * everything due has been sent, it waits even if more is due by then: where a write takes longer than
 * the time between two pieces, one response would keep the event loop until its end.
 */
function pace(sink: Writable, payload: TimedStream, window: Window, recipient: Delivery): void {
  const { own } = window;
  const next = window.joins ? joined(payload, own) : () => payload.next(own);
  let waiting = 0;
  const wait = (): void => {
    if (sink.destroyed) return;
    payload
      .wait(recipient.signal)
      .then(() => withinTurn(fill))
      .catch(() => sink.destroy());
  };
  const fill = (): void => {
    let isAllDue = false;
    const sent = (cost: number, error?: Error | null): void => {
      waiting -= cost;
      if (error || waiting > 0) return;
      if (isAllDue) wait();
      else withinTurn(fill);
    };
    while (waiting < own && !sink.destroyed) {
      const piece = next();
      if (piece === undefined) {
        sink.end();
        return;
      }
      if (piece === null) {
        isAllDue = true;
        break;
      }
      const cost = piece.length + OVERHEAD;
      waiting += cost;
      recipient.bytes += piece.length;
      sink.write(piece, 'latin1', (error) => sent(cost, error));
    }
    if (waiting === 0) wait();
  };
  fill();
}
