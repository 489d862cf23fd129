import { setImmediate as nextIteration } from 'node:timers/promises';
import { takeParameter, type Target } from '../http/target.ts';
import { toMicrosecond } from './duration.ts';
import { flag } from './params.ts';
import { withFields, type Reply } from './reply.ts';
import type { Request } from './request.ts';

const PARAMETER = /^server-timing(?:=|$)/;

/** The times of a request that Server-Timing shows. Created when its header section is complete. */
export class RequestTiming {
  readonly #request: Request;
  #contentEndedAt: number | undefined;

  constructor(request: Request) {
    this.#request = request;
    if (request.hasBody) {
      request.body.once('end', () => {
        this.#contentEndedAt = performance.now();
      });
    }
  }

  /**
   * Adds Server-Timing (W3C Server Timing). `content` and `out` are milliseconds since the header section
   * was complete; content that is still arriving has none.
   */
  async addTo(reply: Reply): Promise<Reply> {
    const { receivedAt } = this.#request;
    const loop = await loopDelay();
    const since = (time: number): number => toMicrosecond(time - receivedAt);
    const metrics = [
      `head;desc="${wallClock(receivedAt)}"`,
      ...(this.#contentEndedAt === undefined ? [] : [`content;dur=${since(this.#contentEndedAt)}`]),
      `loop;dur=${loop}`,
      `out;dur=${since(performance.now())}`,
    ];
    return withFields(reply, ['Server-Timing', metrics.join(', ')]);
  }
}

/** @param time from performance.now() */
export function wallClock(time: number): string {
  // First, so that a process that is held up between the clocks does not tell a time before the request was sent.
  const elapsed = performance.now() - time;
  return new Date(Date.now() - elapsed).toISOString();
}

/**
 * Waits until the event loop has come round once.
 *
 * @returns the milliseconds that the work which was due has taken
 */
export async function loopDelay(): Promise<number> {
  const start = performance.now();
  // The first ends this iteration: after it come timers and I/O.
  await nextIteration();
  await nextIteration();
  return toMicrosecond(performance.now() - start);
}

/**
 * Whether the query has `server-timing`, which is removed from the parameters that endpoints see.
 *
 * @throws Problem if it is no flag, or repeated
 */
export function takeServerTiming(exchange: { target: Target | undefined }): boolean {
  const value = takeParameter(exchange, 'server-timing', PARAMETER);
  return value !== undefined && flag.parse(value, 'server-timing');
}
