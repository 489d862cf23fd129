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
    pull(sink, window.joins ? joined(payload) : payload, Infinity, window.own, recipient);
  } else if (payload.kind === 'trailed') {
    pump(sink, payload.content, window, recipient);
  } else {
    pace(sink, payload, recipient).catch(() => sink.destroy());
  }
}

function pull(
  sink: Writable,
  payload: Pulled | Streamed,
  length: number,
  window: number,
  recipient: Recipient,
): void {
  let left = length;
  let waiting = 0;
  const fill = (): void => {
    while (!sink.destroyed) {
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
      waiting += piece.length;
      // Node would have few small pieces wait; together they cost less.
      if (!sink.write(piece, 'latin1', sent) && waiting >= window) {
        waiting = 0;
        sink.once('drain', fill);
        return;
      }
    }
  };
  fill();
}

/** Pieces of text together, as long as they fit. */
function joined(payload: Streamed): Streamed {
  let next: Uint8Array | string | undefined;
  return {
    kind: 'streamed',
    next(size) {
      let text = '';
      for (;;) {
        next ??= payload.next(size);
        const fits = typeof next === 'string' && text.length + next.length <= size;
        if (text !== '' && !fits) return text;
        const piece = next;
        next = undefined;
        if (typeof piece !== 'string') return piece;
        text += piece;
      }
    },
  };
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
