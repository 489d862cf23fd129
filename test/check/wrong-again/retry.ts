import { differs, wrong, type WrongProxy } from '../_wrong.ts';
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
  wrong('sends POST again as GET', POST, {
    retries: oncePost,
    changesRetry: (request) => {
      request.method = 'GET';
      request.content = undefined;
      request.framing = 'none';
    },
  }),
  wrong('sends POST again without content', POST, {
    retries: oncePost,
    replays: () => Buffer.alloc(0),
  }),
  wrong('sends POST again without the fields of the client', POST, {
    retries: oncePost,
    changesRetry: (request) => {
      request.fields = [];
    },
  }),
  wrong('responds to POST, and sends it again later', POST, {
    repeatsLater: ({ method }) => method === 'POST',
  }),
  wrong('sends POST again after three failures', POST, {
    retries: ({ method }, failure, attempt) =>
      method === 'POST' && (failure === 503 || failure === 'closed') && attempt <= 3,
  }),
  wrong(
    'responds to GET, and sends it again later',
    differs('retry/get-503', 'retry/get-close', 'retry/get-reset'),
    { repeatsLater: ({ method }) => method === 'GET' },
  ),
  wrong('drops the last byte of content that it sends again', 'retry/content', {
    retries: once,
    replays: (content) => content.subarray(0, -1),
  }),
  wrong('sends zeros in place of content again', 'retry/content', {
    retries: once,
    replays: (content) => Buffer.alloc(content.length),
  }),
  wrong('sends again the first 4 KiB of content', 'retry/content', {
    retries: once,
    replays: (content) => content.subarray(0, 4096),
  }),
  wrong(
    'sends again the first 64 KiB of content',
    { 'retry/content': 'fail', 'retry/content-size': 'differs' },
    { retries: once, replays: (content) => content.subarray(0, 65_536) },
  ),
  wrong('has content twice in what it sends again', 'retry/content', {
    retries: once,
    replays: (content) => Buffer.concat([content, content]),
  }),
  wrong(
    'changes one byte of content above 8 KiB that it sends again',
    differs('retry/content-size'),
    {
      retries: once,
      replays: (content) => {
        const copy = Buffer.from(content);
        if (copy.length > 8192) copy[8192] = 33;
        return copy;
      },
    },
  ),
  wrongLeg(
    'sends what the origin refuses again with zeros for content',
    'goaway/post-unprocessed',
    { replays: (content) => Buffer.alloc(content.length) },
  ),
];
