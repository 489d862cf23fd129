import { pause } from '../http/pause.ts';
import { eventOf } from './tap-event.ts';
import { fits, type TapFilter } from './tap-filter.ts';
import type { TapRing } from './tap-ring.ts';

export interface TapReader {
  readonly filter: TapFilter;
  /** The number of the first record that is wanted. */
  readonly from: number;
  /** Seconds until the end; without it, that of the service or of the client. */
  readonly duration: number | undefined;
  /** Whether secrets are shown. */
  readonly secrets: boolean;
  /** How a record is named in `id`, from which a client goes on. */
  readonly idOf: (number: number) => string;
  /** How many readers there are now. */
  readonly readers: () => number;
}

/** Milliseconds without an event until a comment says that the connection lives. */
const HEARTBEAT = 15_000;
/** Milliseconds between two looks at the ring, ... */
const TURN = 25;
/** ... and those that all readers together may take to make events of what they find. */
const BUDGET = 0.5;
/** Characters that are sent at a time, and one event more. */
const ENOUGH = 256 * 1024;

/**
 * The records as server-sent events (WHATWG HTML 9.2), in pieces, as the client takes them. It reads
 * from the ring what is there when it comes by: a client that takes little, or a service that has
 * no time for it, loses what is gone by then, and is told from which number to which. Requests never
 * wait: making events takes a fiftieth of the time at the most, and sending them hardly more.
 */
export async function* events(
  ring: TapRing,
  { filter, from, duration = Infinity, secrets, idOf, readers }: TapReader,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const end = performance.now() + duration * 1000;
  let at = from;
  /** The first record that is no longer wanted. */
  let last = Infinity;
  let sentAt = performance.now();
  // The answer's head goes with its first octets.
  yield ':\n\n';
  for (;;) {
    let text = '';
    if (last === Infinity && (ring.ended || performance.now() >= end)) last = ring.next;
    const { oldest } = ring;
    if (at < oldest) {
      text = lost(idOf(at), idOf(oldest - 1), oldest - at);
      at = oldest;
    }
    const stop = performance.now() + BUDGET / readers();
    const next = Math.min(ring.next, last);
    while (at < next && text.length < ENOUGH && performance.now() < stop) {
      const record = ring.at(at);
      if (record && fits(record, filter)) {
        text += message(record.kind, eventOf(record, secrets), idOf(at));
      }
      at++;
    }
    const now = performance.now();
    const over = at >= last;
    if (over) text += ending(ring.ended ? 'draining' : 'duration');
    else if (text === '' && now >= sentAt + HEARTBEAT) text = ':\n\n';
    if (text !== '') {
      yield text;
      sentAt = performance.now();
    }
    if (over) return;
    // While that was on its way there may have been news.
    if (at === ring.next) await ring.news(Math.min(sentAt + HEARTBEAT, end) - now, gone);
    await pause(TURN / 1000, gone);
  }
}

/** One event; the id is that of the last one a client need not be sent again. */
function message(name: string, data: object, id?: string): string {
  const line = id === undefined ? '' : `id: ${id}\n`;
  return `${line}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function ending(reason: string): string {
  return message('end', { kind: 'end', reason });
}

function lost(first: string, last: string, count: number): string {
  return message('lost', { kind: 'lost', count, first, last }, last);
}
