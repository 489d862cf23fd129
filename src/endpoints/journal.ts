import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { decimal, described, int, matching, oneOf, optional } from '../server/params.ts';
import { json } from '../server/reply.ts';
import { JOURNAL_KEY, journalSchema } from '../telemetry/journal/entry.ts';
import type { Journal } from '../telemetry/journal/journal.ts';

/** Seconds. */
const DEFAULT_WAIT = 10;
const MAX_WAIT = 60;
const MAX_COUNT = 1_000_000;

/** The key of requests that belong together. */
export const journalKey = matching(JOURNAL_KEY, 'is not a token of at most 128 characters', {
  description: 'A token of at most 128 characters.',
  examples: ['d41d8cd9'],
});

/** @param maxDuration in seconds */
export function journalEndpoint(journal: Journal, maxDuration: number): Endpoint {
  const maxWait = Math.min(MAX_WAIT, maxDuration);
  return endpoint({
    id: 'journal',
    methods: ['GET', 'DELETE'],
    path: '/journal/{key}',
    group: 'operations',
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
    async handle({ request, params: { key }, query: { wait: count, until, timeout } }) {
      const goal = { key, count, ended: until === 'ended' };
      if (count > 0) await journal.wait(goal, timeout * 1000, request.signal);
      const view = await journal.read(key);
      if (request.method === 'DELETE') await journal.forget(key);
      return json(view, { fields: ['Cache-Control', 'no-store'] });
    },
  });
}
