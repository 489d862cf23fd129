import { valueOf, type FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { replaceContent } from '../_wrong-content.ts';
import {
  breaking,
  changingStatus,
  differs,
  onRequest,
  onResponse,
  silent,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';

/** Answers such a request of a connection, by its number, with the content that it has sent two responses before. */
function answeringAgain(wanted: number): Deviation {
  const sent = new Map<number, (Buffer | undefined)[]>();
  return {
    waitsForResponse: () => true,
    response: (response, { port }) => {
      const before = sent.get(port) ?? [];
      sent.set(port, [...before, response.content]);
      const content = before.length === wanted - 1 ? before.at(-2) : undefined;
      if (content) replaceContent(response, content);
    },
  };
}

/** Answers every so many-th request by the content of the response before, whoever has got that. */
function mixingUp(every: number): Deviation {
  let count = 0;
  let last: Buffer | undefined;
  return {
    waitsForResponse: ({ status }) => status === 200,
    response: (response) => {
      const { content, status } = response;
      if (status !== 200 || !content) return;
      if (++count % every === 0 && last) replaceContent(response, last);
      last = content;
    },
  };
}

/** From such a request of a connection on, sends what the response before had in a field, if this one has none. */
function repeatingField(wanted: number, field: string): Deviation {
  const sent = new Map<number, { count: number; last: readonly FieldLine[] }>();
  return onResponse((response, { port }) => {
    const { count, last } = sent.get(port) ?? { count: 0, last: [] };
    const own = response.fields.filter(([name]) => name.toLowerCase() === field);
    sent.set(port, { count: count + 1, last: own });
    if (own.length === 0 && count + 1 >= wanted) response.fields.push(...last);
  });
}

/** Sends the Authorization of a connection with later requests that have none. */
function keepingAuthorization(): Deviation {
  const known = new Map<number, string>();
  return onRequest((request, { port }) => {
    const own = valueOf(request.fields, 'authorization');
    if (own !== undefined) known.set(port, own);
    const kept = known.get(port);
    if (own === undefined && kept !== undefined) request.fields.push(['Authorization', kept]);
  });
}

/** Gateways that keep, close or share connections wrongly, or hold content back. */
export const wrongConnections: readonly WrongProxy[] = [
  {
    ...wrong('does not renew the window for uploads that are canceled', 'h2/canceled-uploads', {
      frames: { leaks: 'canceled' },
    }),
    isSilent: true,
  },
  wrong(
    'sends the fields of one client to another',
    'connection/fields-of-others',
    (() => {
      const seen: (readonly [string, string])[] = [];
      return onRequest((request) => {
        request.fields.push(...seen);
        if (seen.length === 0)
          seen.push(...request.fields.filter(([name]) => /^x-check-client$/i.test(name)));
      });
    })(),
  ),
  wrong('chunks content for HTTP/1.0', 'connection/http10', { chunksForHttp10: true }),
  wrong(
    'closes after each response',
    {
      'connection/persistent': 'differs',
      'connection/pipelining': 'differs',
      'connection/pipelining-later': 'differs',
      'connection/origin-closes': 'differs',
      'upgrade/prior-knowledge': 'not-applicable',
    },
    { keepsAlive: () => false },
  ),
  wrong(
    'closes after each response without Connection: close',
    {
      'http/1.1 connection/close-announced': 'fail',
      'connection/persistent': 'differs',
      'connection/pipelining': 'differs',
      'connection/pipelining-later': 'differs',
    },
    { closesSilently: 1 },
  ),
  wrong('closes without notice after 100 requests', 'http/1.1 connection/many-requests', {
    closesSilently: 100,
  }),
  wrong('closes without notice after 1,000 requests', 'http/1.1 connection/thousand-requests', {
    closesSilently: 1000,
  }),
  wrong(
    'answers the 21st request of a connection by the response to the one before the last',
    ['connection/own-responses', 'connection/many-requests', 'connection/thousand-requests'],
    answeringAgain(21),
  ),
  breaking(
    'answers every 25th request by the response to the one before, of any client',
    'connection/mixed-up',
    mixingUp(25),
  ),
  wrong(
    'sends the Set-Cookie of a response with the next one, from the 6th of a connection on',
    'connection/own-responses',
    repeatingField(6, 'set-cookie'),
  ),
  wrong(
    'sends the Authorization of a request with those that follow on its connection',
    'connection/own-responses',
    keepingAuthorization(),
  ),
  wrong(
    'holds responses back',
    differs(
      'streaming/response',
      'streaming/response-length',
      'streaming/events',
      'streaming/incremental-response',
      'streaming/head',
    ),
    { waitsForResponse: () => true },
  ),
  wrong(
    'holds the first piece of a response for 500 ms',
    differs(
      'streaming/response',
      'streaming/response-length',
      'streaming/events',
      'streaming/incremental-response',
    ),
    { holdsResponse: (at) => at === 0 && 500 },
  ),
  silent('loses what comes while it serves a request', 'connection/pipelining-later', {
    dropsPipelined: 'later',
  }),
  silent('keeps connections in spite of close', 'connection/close', {
    keepsAlive: ({ version }) => version === '1.1',
  }),
  breaking('forwards an HTTP/2 preface', 'upgrade/prior-knowledge', { forwardsPreface: true }),
  breaking('refuses requests in pieces', 'connection/split-head', { refusesSplitHead: true }),
  wrong('refuses an empty line before a request', 'connection/empty-lines', {
    readHead: (text) => (text === '\r\n' ? 'broken\r\n\r\n' : text),
  }),
  wrong(
    'continues with the origin after the client has disconnected',
    differs(
      'cancel/close',
      'cancel/reset',
      'cancel/rst-stream',
      'cancel/close-waiting',
      'cancel/reset-waiting',
      'cancel/rst-stream-waiting',
      'cancel/rst-stream-at-head',
    ),
    { ignoresGone: true },
  ),
  wrong(
    'does not see that a client cancels in the moment in which the response begins',
    differs('cancel/rst-stream-at-head'),
    { lateGone: 'as-response-begins' },
  ),
  wrong(
    'waits for uploads',
    differs('streaming/upload', 'streaming/incremental-upload', 'streaming/early-response'),
    {
      waitsForRequest: ({ target }) => /^\/(?:upload|early)/.test(target),
    },
  ),
  wrong('holds responses with a length back', differs('streaming/response-length'), {
    waitsForResponse: ({ framing }) => typeof framing === 'object' && framing.length === 1000,
  }),
  wrong('makes 413 a 502', 'streaming/early-response', changingStatus(413, 502)),
];
