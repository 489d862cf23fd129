import { hasNoContent } from '../http/status.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, duration, int, optional } from '../server/params.ts';
import { delayed } from '../server/pause.ts';
import { pullSource, repeatable, type Payload } from '../server/payload.ts';
import { BYTES_TYPE, empty, reply } from '../server/reply.ts';
import { Schedule, paceBytes } from '../server/pace.ts';

/** All responses are slices of this buffer. */
const ASTERISKS = Buffer.alloc(64 * 1024, '*');

/**
 * Asterisks, sent over a duration.
 *
 * @param seconds from the first to the last
 * @param length value of Content-Length; undefined sends no Content-Length
 */
export function asterisks(count: number, seconds: number, length?: number): Payload {
  const all = repeatable(() => pullSource(count, (size) => ASTERISKS.subarray(0, size), true));
  if (seconds > 0) {
    const paced = paceBytes(all, new Schedule(count, seconds), (due) => due);
    return length === undefined ? paced : { ...paced, length };
  }
  return length === undefined ? { kind: 'streamed', next: (size) => all.next(size) } : all;
}

const noContent = { description: 'The status in `code`, 200 by default.' };
const anyStatus = { ...noContent, content: [BYTES_TYPE] };

/** @param max maximum of the duration and of the delay, in seconds */
export function drip(max: number): Endpoint {
  return endpoint({
    methods: 'any',
    path: '/drip',
    group: 'timing',
    summary: 'Sends asterisks one by one, spread evenly over a duration.',
    query: {
      numbytes: described('Number of bytes.', optional(int({ min: 0, max: 10_000 }), 10)),
      duration: described(
        'Time between the first and the last byte.',
        optional(duration(max), Math.min(2, max)),
      ),
      code: described('Status code.', optional(int({ min: 200, max: 599 }), 200)),
      delay: described('Initial delay.', optional(duration(max), 0)),
    },
    exampleQuery: 'numbytes=5&duration=0.5',
    responses: {
      '2XX': anyStatus,
      '3XX': anyStatus,
      '4XX': anyStatus,
      '5XX': anyStatus,
      204: noContent,
      205: noContent,
      304: noContent,
    },
    handle: ({ request, query: { numbytes, duration: seconds, code, delay } }) =>
      // The delay includes the header section: HTTP/1.1 sends it with the first byte.
      delayed(delay, request, () => {
        if (hasNoContent(code)) return empty(code);
        return reply(BYTES_TYPE, asterisks(numbytes, seconds), { status: code });
      }),
  });
}
