import { sectionSize } from '../http/fields.ts';
import type { Exchange } from './exchange.ts';
import { addedToHead, heldByFault, type Fault } from './fault.ts';
import {
  LARGE_CONTENT,
  MIN_COUNTED_SIZE,
  MemoryReservation,
  type MemoryBudget,
} from './memory-budget.ts';
import {
  heldBytes,
  isWhole,
  isWithTrailers,
  splitIntoPieces,
  trailersOf,
  type Payload,
} from './payload.ts';

interface Reserved {
  /** In pieces if it is large and already in memory. */
  readonly payload: Payload;
  /** Whether the header section, with the trailers, has to be sent by `sendLarge`. */
  readonly isHeadLarge: boolean;
}

/**
 * Reserves the memory that a response occupies until it has been sent.
 *
 * @throws Problem overloaded
 */
export function reserveResponse(
  memory: MemoryBudget,
  exchange: Exchange,
  fields: readonly string[],
  payload: Payload,
  fault: Fault | undefined,
): Reserved {
  const head = headSize(fields, payload, fault);
  const isHeadLarge = head > MIN_COUNTED_SIZE;
  const isSent = exchange.method !== 'HEAD' || fault !== undefined;
  const held = isSent ? heldBytes(payload) : 0;
  const bytes =
    held +
    (isHeadLarge ? head : 0) +
    (fault ? heldByFault(fault, exchange.stream?.session.maxWindow ?? 0) : 0);
  if (bytes > MIN_COUNTED_SIZE) new MemoryReservation(memory, exchange).add(bytes);
  const isInMemory = isWhole(payload) || isWithTrailers(payload);
  return {
    payload: isInMemory && held > LARGE_CONTENT ? splitIntoPieces(payload) : payload,
    isHeadLarge,
  };
}

/** The size of the header section and trailers of a response, in bytes (RFC 9113 6.5.2). */
function headSize(fields: readonly string[], payload: Payload, fault: Fault | undefined): number {
  const trailers = trailersOf(payload);
  return (
    sectionSize(fields) + (trailers ? sectionSize(trailers) : 0) + (fault ? addedToHead(fault) : 0)
  );
}
