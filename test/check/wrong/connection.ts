import {
  breaks,
  changingStatus,
  fails,
  onRequest,
  silent,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

/** Gateways that keep, close or share connections wrongly, or hold content back. */
export const wrongConnections: readonly WrongProxy[] = [
  wrong(
    'sends the fields of one client to another',
    (() => {
      const seen: (readonly [string, string])[] = [];
      return onRequest((request) => {
        request.fields.push(...seen);
        if (seen.length === 0)
          seen.push(...request.fields.filter(([name]) => /^x-check-client$/i.test(name)));
      });
    })(),
    { 'connection/fields-of-others': 'fail' },
  ),
  wrong('chunks content for HTTP/1.0', { chunksForHttp10: true }, { 'connection/http10': 'fail' }),
  wrong(
    'closes after each response',
    { keepsAlive: () => false },
    {
      'connection/persistent': 'differs',
      'connection/pipelining': 'differs',
      'connection/origin-closes': 'differs',
      'upgrade/prior-knowledge': 'not-applicable',
    },
  ),
  wrong(
    'holds responses back',
    { waitsForResponse: () => true },
    {
      'streaming/response': 'differs',
      'streaming/response-length': 'differs',
      'streaming/events': 'differs',
      'streaming/head': 'differs',
    },
  ),
  silent(
    'keeps connections in spite of close',
    { keepsAlive: ({ version }) => version === '1.1' },
    { 'connection/close': 'fail' },
  ),
  breaks('forwards an HTTP/2 preface', 'upgrade/prior-knowledge', { forwardsPreface: true }),
  breaks('refuses requests in pieces', 'connection/split-head', { refusesSplitHead: true }),
  fails('refuses an empty line before a request', 'connection/empty-lines', {
    readHead: (text) => (text === '\r\n' ? 'broken\r\n\r\n' : text),
  }),
  wrong(
    'continues with the origin after the client has disconnected',
    { ignoresGone: true },
    {
      'cancel/close': 'differs',
      'cancel/reset': 'differs',
      'cancel/rst-stream': 'differs',
      'cancel/close-waiting': 'differs',
      'cancel/reset-waiting': 'differs',
      'cancel/rst-stream-waiting': 'differs',
    },
  ),
  wrong(
    'waits for uploads',
    { waitsForRequest: ({ target }) => /^\/(?:upload|early)/.test(target) },
    { 'streaming/upload': 'differs', 'streaming/early-response': 'differs' },
  ),
  wrong(
    'holds responses with a length back',
    { waitsForResponse: ({ framing }) => typeof framing === 'object' && framing.length === 1000 },
    { 'streaming/response-length': 'differs' },
  ),
  wrong('makes 413 a 502', changingStatus(413, 502), { 'streaming/early-response': 'fail' }),
];
