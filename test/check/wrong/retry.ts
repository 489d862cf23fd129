import type { ClientRequest } from '../_gateway-messages.ts';
import { wrong, type WrongProxy } from '../_wrong.ts';

const isRetried = ({ target }: ClientRequest): boolean => target.startsWith('/retry/');
const BROKEN = { 'retry/post-close': 'fail', 'retry/post-reset': 'fail' } as const;

/** Gateways that send requests again. */
export const wrongRetries: readonly WrongProxy[] = [
  wrong(
    'sends POST again after 503',
    {
      retries: (request, failure, attempt) =>
        isRetried(request) && request.method === 'POST' && failure === 503 && attempt < 3,
    },
    { 'retry/post-503': 'fail' },
  ),
  wrong(
    'sends POST again after a broken connection',
    {
      retries: (request, failure, attempt) =>
        isRetried(request) && request.method === 'POST' && failure === 'closed' && attempt < 3,
    },
    BROKEN,
  ),
  wrong(
    'sends GET again after 503',
    {
      retries: (request, failure, attempt) =>
        isRetried(request) && request.method === 'GET' && failure === 503 && attempt < 3,
    },
    { 'retry/get-503': 'differs' },
  ),
  wrong(
    'sends GET again after a broken connection',
    {
      retries: (request, failure, attempt) =>
        isRetried(request) && request.method === 'GET' && failure === 'closed' && attempt < 3,
    },
    { 'retry/get-close': 'differs', 'retry/get-reset': 'differs' },
  ),
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
