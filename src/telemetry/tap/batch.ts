import { eventOf } from './event.ts';
import { fits, type TapFilter } from './filter.ts';
import type { TapRing } from './ring.ts';

/** What a reader finds who comes by a ring. Plain data, that can be sent between processes. */
export interface Batch {
  /** Names the process in the ids of its events: numbers are its own. */
  readonly origin: string;
  /** The number of the first record that was wanted. */
  readonly from: number;
  /** Behind the last that was looked at, ... */
  readonly next: number;
  /** ... and behind the last that there was. */
  readonly end: number;
  readonly found: readonly Found[];
}

/** An event as it is sent, but for its id: that is for the reader to say. */
export interface Found {
  readonly number: number;
  readonly message: string;
}

export interface BatchRequest {
  readonly origin: string;
  readonly from: number;
  readonly filter: TapFilter;
  /** Whether secrets are shown. */
  readonly secrets: boolean;
  /** The number of this process where it is one of several. */
  readonly worker: number | undefined;
  /** Milliseconds that it may take. */
  readonly budget: number;
}

/** Characters that are looked for at a time, and one event more. */
const ENOUGH = 256 * 1024;

/** Makes events of what fits, as far as there is time; of what is gone, one that says how much. */
export function readBatch(ring: TapRing, looking: BatchRequest): Batch {
  const { origin, from, filter, secrets, worker, budget } = looking;
  const stop = performance.now() + budget;
  const found: Found[] = [];
  const { next: end, oldest } = ring;
  let at = from;
  let characters = 0;
  if (at < oldest) {
    const [first, last] = [`${origin}-${at}`, `${origin}-${oldest - 1}`];
    const lost = { kind: 'lost', worker, count: oldest - at, first, last };
    found.push({ number: oldest - 1, message: messageOf(lost) });
    at = oldest;
  }
  for (; at < end && characters < ENOUGH && performance.now() < stop; at++) {
    const record = ring.at(at);
    if (!record || !fits(record, filter)) continue;
    const message = messageOf(eventOf(record, secrets, worker));
    characters += message.length;
    found.push({ number: at, message });
  }
  return { origin, from, next: at, end, found };
}

/** A server-sent event (WHATWG HTML 9.2), but for its id. */
export function messageOf(
  event: { readonly kind: string } & Readonly<Record<string, unknown>>,
): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
