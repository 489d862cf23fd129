import { pause } from './pause.ts';
import { streamedPieces, type Paced, type Pulled, type Streamed } from './payload.ts';

/**
 * Spreads things over a duration: the first is due at once, the last when it is over, the others in
 * even steps between them. Timers count in milliseconds and a client may be slow, so that several
 * may be due together.
 *
 * @param seconds from the first to the last
 * @param gone ends it, with an AbortError
 * @param jitter 0 to 1: the most that the time between two neighbours is off, as a part of a step;
 * the duration stays what it is
 * @returns how many are due by now, each time that there are more
 */
export async function* spread(
  count: number,
  seconds: number,
  gone: AbortSignal,
  jitter = 0,
): AsyncGenerator<number> {
  const start = performance.now();
  const step = count > 1 ? (seconds * 1000) / (count - 1) : 0;
  let due = 0;
  let next = 0;
  while (due < count) {
    await pause((start + next - performance.now()) / 1000, gone);
    const now = performance.now() - start;
    // A timer may be early.
    if (next > now) continue;
    while (due < count && next <= now) {
      due++;
      const isLast = due === count - 1;
      next = (due + (isLast ? 0 : jitter * (Math.random() - 0.5))) * step;
    }
    yield due;
  }
}

/** Pieces made one by one, spread as above; what is due at once goes as fast as the client takes it. */
export function spreadPieces(
  count: number,
  seconds: number,
  jitter: number,
  piece: (at: number) => Uint8Array | string,
): Paced | Streamed {
  if (seconds === 0 || count < 2) return streamedPieces(count, piece);
  return {
    kind: 'paced',
    async *chunks(gone) {
      let sent = 0;
      for await (const due of spread(count, seconds, gone, jitter)) {
        for (; sent < due; sent++) yield piece(sent);
      }
    },
  };
}

/** Octets asked of a payload at a time, where many pieces are due together. */
const MOST = 64 * 1024;

/**
 * The same octets in pieces, spread over a duration. Each piece takes its time first, so that one
 * alone comes when the duration is over.
 *
 * @param size octets of a piece
 */
export function spreadOctets(payload: Pulled, size: number, seconds: number): Paced {
  const { length } = payload;
  return {
    kind: 'paced',
    length,
    async *chunks(gone) {
      let left = length;
      for await (const due of spread(Math.ceil(length / size) + 1, seconds, gone)) {
        const later = Math.max(0, length - (due - 1) * size);
        while (left > later) {
          const chunk = payload.next(Math.min(MOST, left - later));
          if (chunk === undefined) return;
          left -= chunk.length;
          yield chunk;
        }
      }
    },
  };
}
