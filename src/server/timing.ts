import { setImmediate as nextIteration } from 'node:timers/promises';
import { takeParameter, type Target } from '../http/target.ts';
import { flag } from './params.ts';
import { withFields, type Reply } from './reply.ts';
import type { Request } from './request.ts';

const SERVER_TIMING = 'server-timing';
const SERVER_TIMING_PART = /^server-timing(?:=|$)/;

/** Whether the client asks for Server-Timing. @throws Problem if the parameter is not a flag, or is repeated */
export function wantsServerTiming(exchange: { target: Target | undefined }): boolean {
  const value = takeParameter(exchange, SERVER_TIMING, SERVER_TIMING_PART);
  return value !== undefined && flag.parse(value, SERVER_TIMING);
}

/** Times of a request for Server-Timing. Created when the header section is complete. */
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
   * Adds Server-Timing (W3C Server Timing). `content` and `out` are in milliseconds after the header section; `content`
   * is missing while content is still arriving.
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

/** Milliseconds since `start`, rounded to microseconds. @param start from performance.now() */
export function millisecondsSince(start: number): number {
  return toMicrosecond(performance.now() - start);
}

/** A `performance.now()` time in ISO 8601. */
export function wallClock(time: number): string {
  // Read the monotonic clock first: if the process is suspended between the two, the result is too late, not too early.
  const elapsed = performance.now() - time;
  return new Date(Date.now() - elapsed).toISOString();
}

/**
 * Waits for one full iteration of the event loop.
 *
 * @returns its duration in milliseconds, which shows how long due work has taken
 */
export async function loopDelay(): Promise<number> {
  const start = performance.now();
  // The first await only ends the current iteration, before timers and I/O.
  await nextIteration();
  await nextIteration();
  return toMicrosecond(performance.now() - start);
}
