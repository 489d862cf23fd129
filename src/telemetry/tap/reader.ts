import { pause } from '../../server/pause.ts';
import type { TapFilter } from './filter.ts';
import { serializeEvent, type Batch } from './batch.ts';

/** Source of batches: from the ring of this process, or those of all workers. */
export interface TapSource {
  /** Whether the service is stopping. */
  readonly ended: boolean;
  /**
   * Reads a batch from each ring.
   *
   * @param after id of the last known event; if undefined, reading starts at the current end
   */
  readBatches(
    after: string | undefined,
    filter: TapFilter,
  ): Promise<readonly Batch[]> | readonly Batch[];
  /** Waits until there may be records after these batches, or until the timeout. @param timeout in milliseconds */
  waitForMore(batches: readonly Batch[], timeout: number, signal: AbortSignal): Promise<void>;
}

export interface TapReaderOptions {
  readonly filter: TapFilter;
  /** Id of the last event that the client knows; undefined to start with the next event. */
  readonly lastEventId: string | undefined;
  /** Seconds until the stream ends; undefined for no limit. */
  readonly duration: number | undefined;
}

/** Milliseconds without an event until a comment is sent to keep the connection alive. */
const HEARTBEAT = 15_000;
/** Minimum milliseconds between two reads. */
export const READ_INTERVAL = 25;
/** Maximum number of cursors in an event id. When there are more, the least recently updated ones are dropped. */
const MAX_CURSORS = 256;

/**
 * Streams records as server-sent events (WHATWG HTML 9.2). The stream reads the rings only as fast as
 * the client reads the stream. Requests never wait for a reader: records that are overwritten before
 * they are read are reported by a `lost` event with the first and last id.
 *
 * An event id contains a cursor for each ring, so a client can resume on any worker.
 */
export async function* eventStream(
  source: TapSource,
  { filter, lastEventId, duration = Infinity }: TapReaderOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const deadline = performance.now() + duration * 1000;
  const cursors = new Cursors();
  /** Where the stream ends: for each ring, the number after the last record to send. Undefined until it ends. */
  let ends: ReadonlyMap<string, number> | undefined;
  let sentAt = performance.now();
  if (lastEventId === undefined) cursors.update(await source.readBatches(undefined, filter));
  let after = lastEventId ?? cursors.id;
  // Node sends the response's header section with the first bytes of the body.
  yield ':\n\n';
  for (;;) {
    const isEnding = source.ended || performance.now() >= deadline;
    const batches = await source.readBatches(after, filter);
    if (isEnding) ends ??= new Map(batches.map(({ idPrefix, end }) => [idPrefix, end]));
    const isLast =
      ends && batches.every(({ idPrefix, next }) => next >= (ends?.get(idPrefix) ?? 0));
    let text = cursors.advance(batches);
    after = cursors.id;
    const now = performance.now();
    if (isLast) {
      const reason = source.ended ? 'draining' : 'duration';
      text += serializeEvent({ kind: 'end', reason });
    } else if (text === '' && now >= sentAt + HEARTBEAT) text = ':\n\n';
    if (text !== '') {
      yield text;
      sentAt = performance.now();
    }
    if (isLast) return;
    // Not negative, even if reading took longer than the deadline.
    const wait = Math.max(Math.min(sentAt + HEARTBEAT, deadline) - now, 0);
    await source.waitForMore(batches, wait, signal);
    await pause(READ_INTERVAL / 1000, signal);
  }
}

/** The reader's position in each ring. */
class Cursors {
  /** Number of the last known record of each process, least recently updated first. */
  readonly #last = new Map<string, number>();

  /** The event id, with which a client can resume. */
  get id(): string {
    return Array.from(this.#last, ([idPrefix, number]) => `${idPrefix}-${number}`).join();
  }

  /** Moves each cursor to the start of its batch. */
  update(batches: readonly Batch[]): void {
    for (const { idPrefix, from } of batches) {
      this.#last.delete(idPrefix);
      this.#last.set(idPrefix, from - 1);
    }
    for (const idPrefix of this.#last.keys()) {
      if (this.#last.size > MAX_CURSORS) this.#last.delete(idPrefix);
    }
  }

  /** Moves each cursor to the end of its batch. @returns the serialized events, each with its id */
  advance(batches: readonly Batch[]): string {
    this.update(batches);
    let output = '';
    for (const { idPrefix, events, next } of batches) {
      for (const { number, text } of events) {
        this.#last.set(idPrefix, number);
        output += `id: ${this.id}\n${text}`;
      }
      this.#last.set(idPrefix, next - 1);
    }
    return output;
  }
}
