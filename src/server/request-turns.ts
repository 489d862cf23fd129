import { arrivals } from '../net/arrivals.ts';
import { smallRequests, turns, type TurnBudget } from '../net/turn-budget.ts';
import { textLength } from '../http/fields.ts';
import type { Exchange } from './exchange.ts';
import { MIN_COUNTED_SIZE } from './memory-budget.ts';

/** Names and values of fields, characters of them and of a target, above which a request takes long. */
const MAX_SMALL_FIELDS = 256;
const MAX_SMALL_SECTION = 4096;
const MAX_SMALL_TARGET = 2048;

/**
 * The budget that a request has to wait for, since it is used up; undefined if it is served at once. What takes
 * little does not wait for what takes long, except on its own connection: many clients with one large request
 * each would hold up all others.
 *
 * @param contentLength bytes that the handler gets
 */
export function usedBudget(exchange: Exchange, contentLength: number): TurnBudget | undefined {
  const { connection, receivedAt } = exchange;
  // Those of a connection are handled in order.
  if (smallRequests.isUsedBy(connection)) return smallRequests;
  if (takesLong(exchange, contentLength)) return turns.isUsed() ? turns : undefined;
  if (turns.isUsedBy(connection)) return turns;
  return arrivals.areRecent(receivedAt) && smallRequests.isUsed() ? smallRequests : undefined;
}

/** Whether it takes long to handle a request. @param contentLength bytes of its content */
export function takesLong(
  { fields, rawTarget }: Pick<Exchange, 'fields' | 'rawTarget'>,
  contentLength: number,
): boolean {
  return (
    fields.length > MAX_SMALL_FIELDS ||
    textLength(fields) > MAX_SMALL_SECTION ||
    rawTarget.length > MAX_SMALL_TARGET ||
    contentLength > MIN_COUNTED_SIZE
  );
}
