import { Schedule } from '../../server/pace.ts';
import { pause } from '../../server/pause.ts';
import type { Repeatable, TimedStream } from '../../server/payload.ts';

/** When content is sent, and in which pieces. */
export interface PieceOptions {
  /** From the first piece to the last; 0 sends them as fast as the client reads. */
  readonly seconds: number;
  /** Seconds before the first piece. */
  readonly delay: number;
  /** Bytes of a piece; undefined if that does not matter. */
  readonly chunk: number | undefined;
  /** Whether an empty piece makes Node send the head before the delay. */
  readonly flushes: boolean;
}

const NOTHING = new Uint8Array(0);

/** The content in pieces of `chunk` bytes, each of which is sent before the next one is made. */
export function inPieces(
  source: Repeatable,
  { seconds, delay, chunk, flushes }: PieceOptions,
): Repeatable | TimedStream {
  if (seconds === 0 && delay === 0 && chunk === undefined) return source;
  const { length, held = 0 } = source;
  const unit = chunk ?? 1;
  const schedule = new Schedule(Math.ceil(length / unit), seconds);
  let isDelayed = delay > 0;
  let isFlushed = !flushes;
  let isAlone = false;
  let sent = 0;
  const due = (): number => Math.min(length, schedule.due() * unit) - sent;
  return {
    kind: 'timed',
    length,
    held,
    next(size) {
      if (!isFlushed) {
        isFlushed = true;
        return NOTHING;
      }
      if (isDelayed) return null;
      if (sent === length) return undefined;
      if (isAlone || due() === 0) return null;
      // A piece keeps its size, even if many responses have made the window smaller.
      const piece = source.next(Math.min(chunk ?? size, due()));
      sent += piece?.length ?? 0;
      isAlone = chunk !== undefined;
      return piece;
    },
    async wait(signal) {
      isAlone = false;
      if (isDelayed) {
        await pause(delay, signal);
        isDelayed = false;
      } else if (due() === 0) await schedule.wait(signal);
    },
  };
}
