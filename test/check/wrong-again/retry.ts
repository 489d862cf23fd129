import { breaking, breaks, type WrongProxy } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { wrongLeg } from '../_wrong-leg.ts';

const once: Deviation['retries'] = (_request, failure, attempt) =>
  attempt === 1 && (failure === 503 || failure === 'closed');
const oncePost: Deviation['retries'] = (request, failure, attempt) =>
  request.method === 'POST' && attempt === 1 && (failure === 503 || failure === 'closed');
const POST = {
  'retry/post-503': 'fail',
  'retry/post-close': 'fail',
  'retry/post-reset': 'fail',
} as const;

/** Gateways that send requests again that they must not, or not as they were. */
export const wrongRetries: readonly WrongProxy[] = [
  breaking(
    'sends POST again as GET',
    {
      retries: oncePost,
      changesRetry: (request) => {
        request.method = 'GET';
        request.content = undefined;
        request.framing = 'none';
      },
    },
    POST,
  ),
  breaking(
    'sends POST again without content',
    { retries: oncePost, replays: () => Buffer.alloc(0) },
    POST,
  ),
  breaking(
    'sends POST again without the fields of the client',
    {
      retries: oncePost,
      changesRetry: (request) => {
        request.fields = [];
      },
    },
    POST,
  ),
  breaking(
    'responds to POST, and sends it again later',
    { repeatsLater: ({ method }) => method === 'POST' },
    POST,
  ),
  breaking(
    'sends POST again after three failures',
    {
      retries: ({ method }, failure, attempt) =>
        method === 'POST' && (failure === 503 || failure === 'closed') && attempt <= 3,
    },
    POST,
  ),
  breaking(
    'responds to GET, and sends it again later',
    { repeatsLater: ({ method }) => method === 'GET' },
    { 'retry/get-503': 'differs', 'retry/get-close': 'differs', 'retry/get-reset': 'differs' },
  ),
  breaks('drops the last byte of content that it sends again', 'retry/content', {
    retries: once,
    replays: (content) => content.subarray(0, -1),
  }),
  breaks('sends zeros in place of content again', 'retry/content', {
    retries: once,
    replays: (content) => Buffer.alloc(content.length),
  }),
  breaks('sends again the first 4 KiB of content', 'retry/content', {
    retries: once,
    replays: (content) => content.subarray(0, 4096),
  }),
  breaking(
    'sends again the first 64 KiB of content',
    { retries: once, replays: (content) => content.subarray(0, 65_536) },
    { 'retry/content': 'fail', 'retry/content-size': 'differs' },
  ),
  breaks('has content twice in what it sends again', 'retry/content', {
    retries: once,
    replays: (content) => Buffer.concat([content, content]),
  }),
  breaking(
    'changes one byte of content above 8 KiB that it sends again',
    {
      retries: once,
      replays: (content) => {
        const copy = Buffer.from(content);
        if (copy.length > 8192) copy[8192] = 33;
        return copy;
      },
    },
    { 'retry/content-size': 'differs' },
  ),
  {
    ...wrongLeg(
      'sends what the origin refuses again with zeros for content',
      { replays: (content) => Buffer.alloc(content.length) },
      { 'goaway/post-unprocessed': 'fail' },
    ),
    breaksOthers: true,
  },
];
