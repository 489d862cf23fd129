import type { Deviation } from '../_gateway-messages.ts';
import { wrong, type WrongProxy } from '../_wrong.ts';

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
  wrong('sends POST again after 503', retrying('POST', 503), { 'retry/post-503': 'fail' }),
  wrong('sends POST again after a broken connection', retrying('POST', 'closed'), BROKEN),
  wrong('sends GET again after 503', retrying('GET', 503), { 'retry/get-503': 'differs' }),
  wrong('sends GET again after a broken connection', retrying('GET', 'closed'), {
    'retry/get-close': 'differs',
    'retry/get-reset': 'differs',
  }),
  wrong(
    'sends PUT of at most 4 KiB again after 503',
    {
      retries: ({ method, framing }, failure, attempt) =>
        method === 'PUT' &&
        failure === 503 &&
        attempt < 3 &&
        typeof framing === 'object' &&
        framing.length <= 4096,
    },
    { 'retry/content-size': 'differs', 'retry/content': 'pass' },
  ),
  wrong(
    'sends PUT again with half of its content',
    {
      retries: ({ method }, failure, attempt) => method === 'PUT' && failure === 503 && attempt < 3,
      replays: (content) => content.subarray(0, content.length / 2),
    },
    { 'retry/content': 'fail', 'retry/content-size': 'differs' },
  ),
  wrong(
    'says that a request was not processed where the origin does not respond',
    { badGateway: 'refused-stream' },
    {
      'retry/processed': 'fail',
      'origin/no-response': 'differs',
      'origin/reset': 'differs',
    },
  ),
];
