import { silent, without, wrong, type WrongProxy } from '../_wrong.ts';

const later = (at: number): boolean => at > 0;
const CANCEL = {
  'cancel/close': 'fail',
  'cancel/reset': 'fail',
  'cancel/rst-stream': 'fail',
} as const;

const PIECES = {
  'streaming/response': 'fail',
  'streaming/response-length': 'fail',
  'streaming/events': 'fail',
} as const;

/** Gateways that forward content late, or go on without a client. */
export const wrongStreams: readonly WrongProxy[] = [
  wrong('cancels requests only before the response', CANCEL, { lateGone: 'after-response' }),
  wrong('cancels requests until it has read the head of the response', CANCEL, {
    lateGone: 'after-response',
    readsLate: 150,
  }),
  wrong(
    'cancels requests only after the response has begun',
    ['cancel/close-waiting', 'cancel/reset-waiting', 'cancel/rst-stream-waiting'],
    { lateGone: 'before-response' },
  ),
  wrong('cancels requests after 3 s', CANCEL, { lateGone: 3000 }),
  wrong('forwards only the first piece of a response as it arrives', PIECES, {
    holdsResponse: later,
  }),
  wrong('forwards two pieces of a response at once', PIECES, {
    holdsResponse: (at) => at % 2 === 0,
  }),
  wrong('forwards pieces of a response in pairs after the first', PIECES, {
    holdsResponse: (at) => at % 2 === 1,
  }),
  wrong('forwards only the first piece of a request as it arrives', 'streaming/upload', {
    holdsRequest: later,
  }),
  wrong('forwards two pieces of a request at once', 'streaming/upload', {
    holdsRequest: (at) => at % 2 === 0,
  }),
  wrong(
    'makes 502 of a response that comes before the end of the request',
    'streaming/early-response',
    {
      response: (response, client) => {
        if (client.target.startsWith('/early')) {
          response.status = 502;
          response.fields = without(response.fields, 'content-type');
        }
      },
    },
  ),
  wrong('forwards an early response without content', 'streaming/early-response', {
    response: (response, client) => {
      if (!client.target.startsWith('/early')) return;
      response.content = Buffer.alloc(0);
      response.framing = { length: 0 };
      response.fields = [...without(response.fields, 'content-length'), ['Content-Length', '0']];
    },
  }),
  silent('ends an early response only after the request', 'streaming/early-response', {
    endsAfterRequest: true,
  }),
];
