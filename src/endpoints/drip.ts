import { endpoint } from '../http/endpoint.ts';
import { decimal, int, optional } from '../http/params.ts';
import { pause } from '../http/pause.ts';
import type { Paced } from '../http/payload.ts';
import { empty, reply } from '../http/reply.ts';

const OCTETS = 'application/octet-stream';

/**
 * Asterisks in even steps, the first at once and the last when the duration is over.
 *
 * @param duration in seconds
 */
function asterisks(count: number, duration: number): Paced {
  return {
    kind: 'paced',
    async *chunks(gone) {
      const start = performance.now();
      const step = count > 1 ? (duration * 1000) / (count - 1) : 0;
      for (let sent = 0; sent < count;) {
        const elapsed = performance.now() - start;
        // Timers count in milliseconds, and a client may be slow: what is due by now goes together.
        const due = step > 0 ? Math.min(count, Math.floor(elapsed / step) + 1) : count;
        if (due > sent) yield '*'.repeat(due - sent);
        sent = due;
        if (sent < count) await pause((start + sent * step - performance.now()) / 1000, gone);
      }
    },
  };
}

const anyStatus = {
  description: 'The status that `code` asks for, 200 by itself; 204, 205 and 304 have no content.',
  content: [OCTETS],
};

export const drip = endpoint({
  id: 'drip',
  methods: 'any',
  path: '/drip',
  group: 'timing',
  summary: 'Asterisks, spread evenly over a duration.',
  params: {},
  query: {
    numbytes: optional(int({ min: 0, max: 10_000 }), 10),
    duration: optional(decimal({ min: 0, max: 300 }), 2),
    code: optional(int({ min: 200, max: 599 }), 200),
    delay: optional(decimal({ min: 0, max: 300 }), 0),
  },
  exampleQuery: 'numbytes=5&duration=0.5',
  responses: {
    '2XX': anyStatus,
    '3XX': anyStatus,
    '4XX': anyStatus,
    '5XX': anyStatus,
  },
  async handle({ request, query: { numbytes, duration, code, delay } }) {
    // The header section waits too: on HTTP/1.1 it goes with the first octet.
    await pause(delay, request.gone);
    if (code === 204 || code === 205 || code === 304) return empty(code);
    return reply(OCTETS, asterisks(numbytes, duration), { status: code });
  },
});
