import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, duration, int, optional } from '../server/params.ts';
import { delayed } from '../server/pause.ts';
import type { Payload, PullSource } from '../server/payload.ts';
import { empty, reply } from '../server/reply.ts';
import { Schedule, paceBytes } from '../server/pace.ts';

const BYTES = 'application/octet-stream';

/** Every response is made of views of this. */
const ASTERISKS = Buffer.alloc(64 * 1024, '*');

function asterisksAtOnce(count: number): PullSource {
  let left = count;
  return {
    kind: 'pulled',
    length: count,
    shared: true,
    next(size) {
      if (left === 0) return undefined;
      const piece = ASTERISKS.subarray(0, Math.min(size, left));
      left -= piece.length;
      return piece;
    },
  };
}

/**
 * @param seconds from the first to the last
 * @param length their number where that is to be said
 */
export function asterisks(count: number, seconds: number, length?: number): Payload {
  const all = asterisksAtOnce(count);
  if (seconds > 0) {
    const paced = paceBytes(all, new Schedule(count, seconds), (due) => due);
    return length === undefined ? paced : { ...paced, length };
  }
  return length === undefined ? { kind: 'streamed', next: (size) => all.next(size) } : all;
}

const noContent = { description: 'The status that `code` asks for, 200 by itself.' };
const anyStatus = { ...noContent, content: [BYTES] };

/** @param max of the duration and of the delay, in seconds */
export function drip(max: number): Endpoint {
  return endpoint({
    id: 'drip',
    methods: 'any',
    path: '/drip',
    group: 'timing',
    summary: 'Asterisks, spread evenly over a duration.',
    params: {},
    query: {
      numbytes: described('How many bytes.', optional(int({ min: 0, max: 10_000 }), 10)),
      duration: described(
        'Over how long they are spread.',
        optional(duration(max), Math.min(2, max)),
      ),
      code: described('The status.', optional(int({ min: 200, max: 599 }), 200)),
      delay: described('How long until the first.', optional(duration(max), 0)),
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
      // The header section waits too: on HTTP/1.1 it goes with the first byte.
      delayed(delay, request, () => {
        if (code === 204 || code === 205 || code === 304) return empty(code);
        return reply(BYTES, asterisks(numbytes, seconds), { status: code });
      }),
  });
}
