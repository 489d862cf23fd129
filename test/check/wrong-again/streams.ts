import { breaking, breaks, onResponse, waiting, without, type WrongProxy } from '../_wrong.ts';

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
  breaking('cancels requests only before the response', { lateGone: 'after-response' }, CANCEL),
  breaking(
    'cancels requests only after the response has begun',
    { lateGone: 'before-response' },
    {
      'cancel/close-waiting': 'fail',
      'cancel/reset-waiting': 'fail',
      'cancel/rst-stream-waiting': 'fail',
    },
  ),
  breaking('cancels requests after 3 s', { lateGone: 3000 }, CANCEL),
  breaking(
    'forwards only the first piece of a response as it arrives',
    { holdsResponse: later },
    PIECES,
  ),
  breaking(
    'forwards two pieces of a response at once',
    { holdsResponse: (at) => at % 2 === 0 },
    PIECES,
  ),
  breaking(
    'forwards pieces of a response in pairs after the first',
    { holdsResponse: (at) => at % 2 === 1 },
    PIECES,
  ),
  breaks('forwards only the first piece of a request as it arrives', 'streaming/upload', {
    holdsRequest: later,
  }),
  breaks('forwards two pieces of a request at once', 'streaming/upload', {
    holdsRequest: (at) => at % 2 === 0,
  }),
  breaking(
    'makes 502 of a response that comes before the end of the request',
    onResponse((response, client) => {
      if (client.target.startsWith('/early')) {
        response.status = 502;
        response.fields = without(response.fields, 'content-type');
      }
    }),
    { 'streaming/early-response': 'fail' },
  ),
  breaking(
    'forwards an early response without content',
    onResponse((response, client) => {
      if (!client.target.startsWith('/early')) return;
      response.content = Buffer.alloc(0);
      response.framing = { length: 0 };
      response.fields = [...without(response.fields, 'content-length'), ['Content-Length', '0']];
    }),
    { 'streaming/early-response': 'fail' },
  ),
  waiting(
    'ends an early response only after the request',
    { endsAfterRequest: true },
    { 'streaming/early-response': 'fail' },
  ),
];
