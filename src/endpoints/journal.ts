import { clientNetworkOf } from '../server/forwarding.ts';
import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { decimal, described, int, matching, oneOf, optional } from '../server/params.ts';
import { textPages, type TimedStream } from '../server/payload.ts';
import { json, prettyJson, reply } from '../server/reply.ts';
import { serialize } from '../server/request-cost.ts';
import {
  JOURNAL_KEY,
  journalSchema,
  type JournalEntry,
  type JournalView,
} from '../telemetry/journal/entry.ts';
import type { Journal } from '../telemetry/journal/journal.ts';

/** Seconds that a reader waits. */
const DEFAULT_WAIT = 10;
const MAX_WAIT = 60;
const MAX_COUNT = 1_000_000;
/** Bytes that a response of several pages may keep in memory: a page that is being sent, and one that is queued. */
const HELD = 64 * 1024;

/** The key of a group of requests. */
export const journalKey = {
  ...matching(JOURNAL_KEY, 'is not a token of at most 128 characters', {
    description:
      'A token of at most 128 characters, best a random one: all requests with the same key are counted together.',
    examples: ['d41d8cd9'],
  }),
  isRandom: true,
};

/** @param maxDuration maximum wait in seconds */
export function journalEndpoint(journal: Journal, maxDuration: number): Endpoint {
  const maxWait = Math.min(MAX_WAIT, maxDuration);
  return endpoint({
    id: 'journal',
    methods: ['GET', 'DELETE'],
    path: '/journal/{key}',
    group: 'operations',
    ownOriginOnly: true,
    summary:
      'Lists the requests with the key in `X-Wirebin-Journal` or at /retry/{key}; DELETE forgets them.',
    params: { key: journalKey },
    query: {
      wait: described('Waits for this many entries.', optional(int({ min: 0, max: MAX_COUNT }), 0)),
      until: described(
        'Whether `wait` counts all entries or those with an outcome.',
        optional(oneOf(['begun', 'ended']), 'begun'),
      ),
      timeout: described(
        'The longest wait, in seconds.',
        optional(decimal({ min: 0, max: maxWait }), Math.min(DEFAULT_WAIT, maxWait)),
      ),
      after: described(
        'Skips this many entries, those left out included.',
        optional(int({ min: 0, max: MAX_COUNT }), 0),
      ),
      limit: described(
        'The largest number of entries.',
        optional(int({ min: 1, max: MAX_COUNT }), MAX_COUNT),
      ),
    },
    curl:
      "curl -sS -o /dev/null -H 'X-Wirebin-Journal: a2' localhost:8080/get && " +
      'curl -sS localhost:8080/journal/a2',
    responses: {
      200: jsonResponse('The entries, before DELETE. An unknown key has none.', journalSchema, {
        'Cache-Control': '`no-store`',
      }),
      503: problemResponse('Too many readers, or the service is shutting down.'),
    },
    async handle({ request, params: { key }, query }) {
      const { wait: count, until, timeout, after, limit } = query;
      const goal = { key, count, ended: until === 'ended' };
      if (count > 0) {
        await journal.wait(goal, timeout * 1000, clientNetworkOf(request), request.signal);
      }
      const read = async (from: number, most: number): Promise<JournalView> => {
        // Outside of the job, because it waits for clients.
        await journal.settle(key);
        const page = await serialize(request, () => journal.read(key, from, most));
        const isLast = page.next === undefined || page.entries.length >= most;
        if (isLast && request.method === 'DELETE') await journal.forget(key);
        return page;
      };
      const first = await read(after, limit);
      const fields = ['Cache-Control', 'no-store'];
      if (first.next === undefined || first.entries.length >= limit) return json(first, { fields });
      return reply('application/json', remainingPages(first, limit, read), { fields });
    },
  });
}

/** A payload of JSON in several pages. Each is read when the previous one has been sent. */
function remainingPages(
  { next, ...first }: JournalView,
  limit: number,
  read: (after: number, limit: number) => Promise<JournalView>,
): TimedStream {
  let after = next;
  let left = limit - first.entries.length;
  let isComplete = false;
  const pages = textPages(prettyJson(first).slice(0, -END.length), async (put) => {
    if (isComplete) return false;
    if (after !== undefined && left > 0) {
      const page = await read(after, left);
      after = page.next;
      left -= page.entries.length;
      put(page.entries.map(furtherEntry).join(''));
    } else {
      isComplete = true;
      put(after === undefined ? END : `\n  ],\n  "next": ${after}\n}\n`);
    }
    return true;
  });
  return { ...pages, held: HELD };
}

/** JSON text after the last entry. */
const END = '\n  ]\n}\n';

function furtherEntry(entry: JournalEntry): string {
  return `,\n    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`;
}
