import type { Deviation } from '../_gateway-messages.ts';
import { differs, wrong, type WrongProxy } from '../_wrong.ts';

/** Sends such requests of the checks again, twice at most. */
const retrying = (method: string, after: number | 'closed'): Deviation => ({
  retries: (request, failure, attempt) =>
    request.target.startsWith('/retry/') &&
    request.method === method &&
    failure === after &&
    attempt < 3,
});
const BROKEN = { 'retry/post-close': 'fail', 'retry/post-reset': 'fail' } as const;

/** Gateways that send requests again. */
export const wrongRetries: readonly WrongProxy[] = [
  wrong('sends POST again after 503', 'retry/post-503', retrying('POST', 503)),
  wrong('sends POST again after 502', 'retry/post-status', retrying('POST', 502)),
  wrong('sends POST again after 429', 'retry/post-status', retrying('POST', 429)),
  wrong('sends POST again after a broken connection', BROKEN, retrying('POST', 'closed')),
  wrong('sends GET again after 503', differs('retry/get-503'), retrying('GET', 503)),
  wrong(
    'sends GET again after a broken connection',
    differs('retry/get-close', 'retry/get-reset'),
    retrying('GET', 'closed'),
  ),
  wrong('sends QUERY again after 503', differs('retry/query'), retrying('QUERY', 503)),
  wrong(
    'sends PUT of at most 4 KiB again after 503',
    { 'retry/content-size': 'differs', 'retry/content': 'pass' },
    {
      retries: ({ method, framing }, failure, attempt) =>
        method === 'PUT' &&
        failure === 503 &&
        attempt < 3 &&
        typeof framing === 'object' &&
        framing.length <= 4096,
    },
  ),
  wrong(
    'sends PUT again with half of its content',
    { 'retry/content': 'fail', 'retry/content-size': 'differs' },
    {
      retries: ({ method }, failure, attempt) => method === 'PUT' && failure === 503 && attempt < 3,
      replays: (content) => content.subarray(0, content.length / 2),
    },
  ),
  wrong(
    'says that a request was not processed where the origin does not respond',
    {
      'retry/processed': 'fail',
      'origin/no-response': 'differs',
      'origin/reset': 'differs',
    },
    { badGateway: 'refused-stream' },
  ),
];
