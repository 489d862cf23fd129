import { setImmediate as nextIteration } from 'node:timers/promises';
import { withFields, type Reply } from './reply.ts';
import type { Request } from './request.ts';

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

/** Rounds milliseconds to microseconds, which removes floating-point noise. */
export function toMicrosecond(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Milliseconds since `start`, to the microsecond. @param start from performance.now() */
export function millisecondsSince(start: number): number {
  return toMicrosecond(performance.now() - start);
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
