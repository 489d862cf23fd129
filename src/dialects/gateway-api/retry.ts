import { faultReplies } from '../../endpoints/fault.ts';
import { journalKey } from '../../endpoints/journal.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { anyText, int, optional } from '../../server/params.ts';
import { delayed } from '../../server/pause.ts';
import { empty } from '../../server/reply.ts';
import type { Journal } from '../../telemetry/journal/journal.ts';
import { delayOf } from './endpoints.ts';

const NO_CONTENT = Buffer.alloc(0);

/**
 * Fails the first attempts of a `uuid`, then echoes. The journal counts attempts, because it is bounded.
 *
 * @param echo the endpoint of other paths
 * @param maxDelay as in `EchoOptions`
 */
export function retry(journal: Journal, echo: Endpoint, maxDelay: number | undefined): Endpoint {
  const faultReply = faultReplies(0);
  return endpoint({
    id: 'retry',
    methods: 'any',
    path: '/retry/*path',
    group: 'faults',
    summary:
      'Resets the connection of the first attempts, or responds with a status; then the echo.',
    params: { path: anyText('Any path, as sent.') },
    query: {
      uuid: journalKey,
      succeedAfter: int({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      responseCode: optional(int({ min: 200, max: 599 }), undefined),
    },
    additionalQuery: 'Echoed in `path`; `delayRetry=1.5s` delays failures, `delay=1.5s` the echo.',
    strictQuery: false,
    responses: echo.responses,
    async handle({ request, query: { uuid, succeedAfter, responseCode } }) {
      const seconds = delayOf(request, 'delayRetry', maxDelay);
      const attempt = await journal.attempt(request, uuid);
      if (attempt > succeedAfter) return echo.respond(request, [''], NO_CONTENT);
      return delayed(seconds, request, () =>
        responseCode === undefined
          ? faultReply('reset', request, [['at', 'start']])
          : empty(responseCode),
      );
    },
  });
}
