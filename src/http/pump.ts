import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Payload, Paced, Pulled, Streamed } from './payload.ts';

/** Octets asked of a pulled payload at a time: what one answer may have waiting for its client. */
export interface Window {
  /** Of pieces made for this answer. */
  readonly own: number;
  /** Of pieces that are shared. */
  readonly shared: number;
  /** Whether small pieces may go together: where there are no chunks nobody could tell. */
  readonly joins?: boolean;
}

/** Who is sent to. */
export interface Recipient {
  readonly gone: AbortSignal;
  /** Octets handed over so far; of a recipient that has gone some were never sent. */
  octets: number;
}

/**
 * Sends a payload as the sink takes it. When the sink closes early nothing more is asked of the
 * payload: what was queued goes with the sink, timers go with `gone`.
 */
export function pump(sink: Writable, payload: Payload, window: Window, recipient: Recipient): void {
  if (typeof payload === 'string') {
    recipient.octets = payload.length;
    sink.end(payload, 'latin1');
  } else if (payload instanceof Uint8Array) {
    recipient.octets = payload.length;
    sink.end(payload);
  } else if (payload.kind === 'pulled') {
    pull(sink, payload, payload.length, payload.shared ? window.shared : window.own, recipient);
  } else if (payload.kind === 'streamed') {
    if (window.joins) pull(sink, joined(payload, window.own), Infinity, 1, recipient);
    else pull(sink, payload, Infinity, window.own, recipient);
  } else if (payload.kind === 'trailed') {
    pump(sink, payload.content, window, recipient);
  } else {
    pace(sink, payload, recipient).catch(() => sink.destroy());
  }
}

/** Octets that a piece counts beside its own: what waits may be a hundred thousand of one octet. */
const OVERHEAD = 256;
/** Pieces of a window that are small enough for others to be served between two windows. */
const MANY = 32;

function pull(
  sink: Writable,
  payload: Pulled | Streamed,
  length: number,
  window: number,
  recipient: Recipient,
): void {
  let left = length;
  const fill = (): void => {
    let waiting = 0;
    for (let pieces = 1; !sink.destroyed; pieces++) {
      // A second write for a short rest would cost more than the longer one.
      const size = left > 2 * window ? window : left;
      const piece = left > 0 ? payload.next(size) : undefined;
      if (piece === undefined) {
        sink.end();
        return;
      }
      left -= piece.length;
      recipient.octets += piece.length;
      const sent = releasing(payload, piece);
      if (left === 0) {
        sink.end(piece, sent);
        return;
      }
      waiting += piece.length + OVERHEAD;
      if (waiting >= window) {
        sink.write(piece, 'latin1', (error) => {
          sent?.(error);
          if (error) return;
          if (pieces < MANY) fill();
          else setImmediate(fill);
        });
        return;
      }
      sink.write(piece, 'latin1', sent);
    }
  };
  fill();
}

/** Pieces together, as long as they fit: each is all that may wait. */
function joined(payload: Streamed, window: number): Streamed {
  let next: Uint8Array | string | undefined;
  return {
    kind: 'streamed',
    next() {
      const pieces: (Uint8Array | string)[] = [];
      for (let waiting = 0; ; next = undefined) {
        next ??= payload.next(window);
        if (next === undefined) break;
        waiting += next.length + OVERHEAD;
        if (pieces.length > 0 && waiting > window) break;
        pieces.push(next);
      }
      return pieces.length > 1 ? together(pieces) : pieces[0];
    },
  };
}

function together(pieces: readonly (Uint8Array | string)[]): Uint8Array | string {
  return pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

function releasing(
  payload: Pulled | Streamed,
  piece: Uint8Array | string,
): ((error?: Error | null) => void) | undefined {
  if (payload.kind === 'streamed' || typeof piece === 'string' || !payload.release)
    return undefined;
  // After an error nobody knows what still reads the memory.
  return (error) => {
    if (!error) payload.release?.(piece);
  };
}

async function pace(sink: Writable, payload: Paced, recipient: Recipient): Promise<void> {
  const { gone } = recipient;
  for await (const chunk of payload.chunks(gone)) {
    recipient.octets += Buffer.byteLength(chunk);
    if (!sink.write(chunk)) await once(sink, 'drain', { signal: gone });
  }
  sink.end();
}
