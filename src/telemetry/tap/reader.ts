import { pause } from '../../server/pause.ts';
import type { TapFilter } from './filter.ts';
import { messageOf, type Batch } from './batch.ts';

/** Where events come from: the ring of this process, or those of several. */
export interface TapSource {
  /** Whether readers are to be sent home. */
  readonly ended: boolean;
  /**
   * What there is in each ring.
   *
   * @param after the id of the last event that is known; without one, only what comes from now on
   */
  look(after: string | undefined, filter: TapFilter): Promise<readonly Batch[]> | readonly Batch[];
  /** Waits until there may be more than these have found, as TapRing does. */
  news(looks: readonly Batch[], patience: number, signal: AbortSignal): Promise<void>;
}

/** What a reader asks for. */
export interface TapRequest {
  readonly filter: TapFilter;
  /** The id of the last event that is known; undefined to begin with the next event. */
  readonly lastEventId: string | undefined;
  /** Seconds until the end; without it, that of the service or of the client. */
  readonly duration: number | undefined;
}

/** Milliseconds without an event until a comment says that the connection lives. */
const HEARTBEAT = 15_000;
/** Milliseconds between two looks. */
export const TURN = 25;
/** Places in an id: workers that have died are forgotten only when there are so many. */
const MOST_PLACES = 256;

/**
 * The records as server-sent events (WHATWG HTML 9.2), in pieces, as the client takes them. It looks
 * for what is there when it comes by: a client that takes little, or a service that has no time for
 * it, loses what is gone by then, and is told from which number to which. Requests never wait.
 *
 * The id of an event names the place in each ring, so that a client can go on from it wherever its
 * next connection leads.
 */
export async function* events(
  source: TapSource,
  { filter, lastEventId, duration = Infinity }: TapRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const timeUp = performance.now() + duration * 1000;
  const places = new Cursors();
  /** By ring, behind the last record that is wanted. */
  let ends: ReadonlyMap<string, number> | undefined;
  let sentAt = performance.now();
  if (lastEventId === undefined) places.begin(await source.look(undefined, filter));
  let after = lastEventId ?? places.id;
  // The answer's head goes with its first bytes.
  yield ':\n\n';
  for (;;) {
    const isEnding = source.ended || performance.now() >= timeUp;
    const looks = await source.look(after, filter);
    if (isEnding) ends ??= new Map(looks.map(({ origin, end }) => [origin, end]));
    const over = ends && looks.every(({ origin, next }) => next >= (ends?.get(origin) ?? 0));
    let text = places.passing(looks);
    after = places.id;
    const now = performance.now();
    if (over) {
      const reason = source.ended ? 'draining' : 'duration';
      text += messageOf({ kind: 'end', reason });
    } else if (text === '' && now >= sentAt + HEARTBEAT) text = ':\n\n';
    if (text !== '') {
      yield text;
      sentAt = performance.now();
    }
    if (over) return;
    // While that was on its way there may have been news.
    await source.news(looks, Math.min(sentAt + HEARTBEAT, timeUp) - now, signal);
    await pause(TURN / 1000, signal);
  }
}

/** How far a reader has come in each ring. */
class Cursors {
  /** The numbers of the last records that are known, by origin; that not heard of longest is first. */
  readonly #last = new Map<string, number>();

  /** Names the places, for the client to come back with. */
  get id(): string {
    return Array.from(this.#last, ([origin, number]) => `${origin}-${number}`).join();
  }

  begin(looks: readonly Batch[]): void {
    for (const { origin, from } of looks) {
      this.#last.delete(origin);
      this.#last.set(origin, from - 1);
    }
    for (const origin of this.#last.keys()) {
      if (this.#last.size > MOST_PLACES) this.#last.delete(origin);
    }
  }

  /** Goes on to where they end. @returns their events, each with its id */
  passing(looks: readonly Batch[]): string {
    this.begin(looks);
    let text = '';
    for (const { origin, found, next } of looks) {
      for (const { number, message } of found) {
        this.#last.set(origin, number);
        text += `id: ${this.id}\n${message}`;
      }
      this.#last.set(origin, next - 1);
    }
    return text;
  }
}
