import { arrayOf, COUNT, shape, TEXT, type Infer } from '../../server/schema.ts';
import type { TapEvent } from './event-schema.ts';
import { eventOf } from './event.ts';
import { matchesFilter, type TapFilter } from './filter.ts';
import type { TapRing } from './ring.ts';

const batchEventSchema = shape({
  number: COUNT,
  // The serialized event. The reader adds an id.
  text: TEXT,
});

/** Events read from one ring. Plain data, which can be sent between processes. */
export const batchSchema = shape({
  // Identifies the process in event ids: record numbers are unique within a process only.
  idPrefix: TEXT,
  // Number of the first record that was asked for.
  from: COUNT,
  // Number of the record after the last one read.
  next: COUNT,
  // Number of the record after the last one in the ring.
  end: COUNT,
  events: arrayOf(batchEventSchema),
});
export type Batch = Infer<typeof batchSchema>;

export interface ReadOptions {
  readonly idPrefix: string;
  readonly from: number;
  readonly filter: TapFilter;
  /** Whether to include secrets. */
  readonly secrets: boolean;
  /** The worker number, if there are several. */
  readonly worker: number | undefined;
  /** Maximum duration of the read in milliseconds. */
  readonly budget: number;
}

/** Characters of a batch. Its last event may exceed them. */
const MAX_BATCH_LENGTH = 256 * 1024;

/** Reads matching events within the budget. Overwritten records are reported by a `lost` event. */
export function readRing(ring: TapRing, options: ReadOptions): Batch {
  const { idPrefix, from, filter, secrets, worker, budget } = options;
  const deadline = performance.now() + budget;
  const events: Infer<typeof batchEventSchema>[] = [];
  const { next: end, oldest } = ring;
  let at = from;
  let length = 0;
  if (at < oldest) {
    const [first, last] = [`${idPrefix}-${at}`, `${idPrefix}-${oldest - 1}`];
    const count = oldest - at;
    const text = serializeEvent({ kind: 'lost', worker, count, first, last });
    events.push({ number: oldest - 1, text });
    at = oldest;
  }
  for (; at < end && length < MAX_BATCH_LENGTH && performance.now() < deadline; at++) {
    const record = ring.at(at);
    if (!record || !matchesFilter(record, filter)) continue;
    const text = serializeEvent(eventOf(record, secrets, worker));
    length += text.length;
    events.push({ number: at, text });
  }
  return { idPrefix, from, next: at, end, events };
}

/** Serializes a server-sent event (WHATWG HTML 9.2) without an id. */
export function serializeEvent(event: TapEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
