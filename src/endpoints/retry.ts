import { hasNoContent } from '../http/status.ts';
import { streamContent } from '../server/body.ts';
import { endpoint, jsonResponse, type Endpoint } from '../server/endpoint.ts';
import { FAULT_NAMES, FAULT_POINTS, type FaultName } from '../server/fault.ts';
import { described, int, oneOf, optional, required } from '../server/params.ts';
import { empty, json, type Reply } from '../server/reply.ts';
import { COUNT, objectSchema, TEXT } from '../server/schema.ts';
import type { Journal } from '../telemetry/journal/journal.ts';
import { faultReplies } from './fault.ts';
import { journalKey } from './journal.ts';

const schema = objectSchema('Retry', {
  key: TEXT,
  attempt: COUNT,
  status: COUNT,
});

const status = int({ min: 200, max: 599 });
const kind = oneOf(FAULT_NAMES);

/** Parameter: a status, or the last segment of a path below /fault. */
const failure = required<number | FaultName>(
  {
    type: 'string',
    description: 'How they fail: a status, or a fault below /fault.',
    examples: ['503', 'reset'],
  },
  (text, name) => (/^\d/.test(text) ? status : kind).parse(text, name),
);

function attemptReply(key: string, attempt: number, code: number): Reply {
  if (hasNoContent(code)) return empty(code);
  return json({ key, attempt, status: code }, { status: code });
}

/** Parameters for a GOAWAY after which clients may retry (RFC 9113 6.8). Other faults ignore them. */
const NOT_PROCESSED = [
  ['last', 'previous'],
  ['then', 'close'],
] as const;

/**
 * @param maxDuration maximum of durations of faults, in seconds
 * @param maxContent maximum content in bytes
 */
export function retry(journal: Journal, maxDuration: number, maxContent: number): Endpoint {
  const faultReply = faultReplies(maxDuration);
  return endpoint({
    methods: 'any',
    path: '/retry/{key}',
    group: 'faults',
    summary:
      'Fails the first attempts of the key, at once; later ones read the content first. /journal/{key} lists all of them.',
    params: { key: journalKey },
    query: {
      fail: described('How many attempts fail.', optional(int({ min: 0, max: 1000 }), 1)),
      with: optional(failure, 503),
      at: described('Where a fault occurs.', optional(oneOf(FAULT_POINTS), 'start')),
      then: described('The status of later attempts.', optional(status, 200)),
    },
    exampleQuery: 'fail=2&then=200',
    curl: "curl -sSi --retry 2 --retry-delay 1 'localhost:8080/retry/a1?fail=2'",
    content: 'streamed',
    responses: {
      200: jsonResponse('The number of the attempt.', schema),
    },
    async handle({ request, params: { key }, query: { fail, with: how, at, then } }) {
      const attempt = await journal.attempt(request, key);
      if (attempt > fail) {
        // A client may stop sending once it has the response (RFC 9113 8.1), so the content would seem to be cut.
        if (request.hasBody) await streamContent(request, maxContent, () => undefined);
        return attemptReply(key, attempt, then);
      }
      if (typeof how === 'number') return attemptReply(key, attempt, how);
      return faultReply(how, request, [['at', at], ...NOT_PROCESSED]);
    },
  });
}
