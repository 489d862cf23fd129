import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { duration, int, optional } from '../http/params.ts';
import { delayed } from '../http/pause.ts';
import { streamedPieces, type Payload } from '../http/payload.ts';
import { empty, reply } from '../http/reply.ts';
import { spread } from '../http/spread.ts';

const OCTETS = 'application/octet-stream';

/** Octets that go in one piece when they are due at once. */
const AT_ONCE = 16 * 1024;

/**
 * @param seconds from the first to the last
 * @param length their number where that is to be said
 */
export function asterisks(count: number, seconds: number, length?: number): Payload {
  if (seconds === 0 && count <= AT_ONCE) {
    const all = '*'.repeat(count);
    return length === undefined ? streamedPieces(Math.min(1, count), () => all) : all;
  }
  return {
    kind: 'paced',
    ...(length !== undefined && { length }),
    async *chunks(gone) {
      let sent = 0;
      for await (const due of spread(count, seconds, gone)) {
        yield '*'.repeat(due - sent);
        sent = due;
      }
    },
  };
}

const noContent = { description: 'The status that `code` asks for, 200 by itself.' };
const anyStatus = { ...noContent, content: [OCTETS] };

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
      numbytes: optional(int({ min: 0, max: 10_000 }), 10),
      duration: optional(duration(max), Math.min(2, max)),
      code: optional(int({ min: 200, max: 599 }), 200),
      delay: optional(duration(max), 0),
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
      // The header section waits too: on HTTP/1.1 it goes with the first octet.
      delayed(delay, request, () => {
        if (code === 204 || code === 205 || code === 304) return empty(code);
        return reply(OCTETS, asterisks(numbytes, seconds), { status: code });
      }),
  });
}
