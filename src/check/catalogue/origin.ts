import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { listOf, outcomeOf, type Transfer } from '../message.ts';
import { Http1Client } from '../client/http1-client.ts';
import { rawTarget } from '../origin.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { PROMPT } from './bounds.ts';
import { afterFault, faultOf, throughOf } from './fault.ts';
import { withoutEcho } from './received.ts';

const ORIGIN = {
  section: 'RFC 9112 6.3',
  level: 'must',
  risk: 'security',
  needs: ['faults', 'http1-origin', 'gateway'],
  isPrompt: true,
} as const;

/** Bytes of content: more than a gateway buffers before it forwards the header section, so it cannot answer 502. */
const LONG = 300_000;

/** Whether the client received something without a status line, as in HTTP/0.9, which has no header section. */
function isNoResponse({ response, received }: Transfer): boolean {
  return !response && /^(?!HTTP\/\d\.\d \d{3}|SETTINGS)[^\n]*\n/.test(received);
}

/** Whether an error has ended the response, so that the client knows that it is incomplete. */
const isAborted = ({ ending }: Transfer): boolean =>
  ending === 'reset' || ending === 'closed' || ending === 'goaway';

const REFUSED = '502, or an incomplete response';

/** A check that a malformed response is not forwarded as if it were a good one. */
function malformedIsRefused({
  target,
  judgeComplete = () => undefined,
  judgeIncomplete = ({ ending }) => pass(ending),
  ...rule
}: FamilyRule & {
  readonly target: Parameters<typeof afterFault>[0]['target'];
  readonly judgeComplete?: (transfer: Transfer) => Verdict | undefined;
  readonly judgeIncomplete?: (transfer: Transfer) => Verdict;
}): TopicCheck {
  return afterFault({
    ...rule,
    target,
    judge: (transfer) => {
      const { response, ending } = transfer;
      if (isNoResponse(transfer) || (ending === 'malformed' && !response?.content.length)) {
        return fail(REFUSED, `the malformed response${throughOf(transfer)}`, transfer);
      }
      // RFC 9110 15: values outside 100 to 599 are invalid.
      if (response && response.status < 100 && !isAborted(transfer)) {
        const status = String(response.status).padStart(3, '0');
        return fail(REFUSED, `a response with the status ${status}`, transfer);
      }
      if (response && response.status >= 500) return pass(String(response.status));
      if (!response) return pass(ending);
      if (ending !== 'complete') return judgeIncomplete(transfer);
      const found = `a complete ${response.status} with ${response.content.length} bytes${throughOf(transfer)}`;
      return judgeComplete(transfer) ?? fail(REFUSED, found, transfer);
    },
  });
}

/** Makes a judge that passes a response that is forwarded in a safe form. */
const ifSafe =
  (isSafe: (transfer: Transfer) => boolean) =>
  (transfer: Transfer): Verdict | undefined =>
    isSafe(transfer) ? pass('forwarded in a safe form') : undefined;

/**
 * Makes a judge that passes a malformed field that is forwarded in a safe form. A missing field passes, too: RFC 9110
 * does not allow it, but nothing malformed is forwarded (Go's HTTP/2 server drops values with NUL).
 */
const ifSafeValue =
  (isSafe: (value: string, transfer: Transfer) => boolean) =>
  (transfer: Transfer): Verdict | undefined => {
    const names = transfer.response?.fields.map(([name]) => name.toLowerCase()) ?? [];
    // A field whose name begins like this was made of the malformed one.
    if (!names.some((name) => name.startsWith('x-fault')))
      return differs('forwarded without the field', transfer);
    return isSafe(faultOf(transfer) ?? '', transfer) ? pass('forwarded in a safe form') : undefined;
  };

/**
 * The verdict on a response that is cut off after its header section. A proxy has to discard it (RFC 9112 6.3); the
 * client of a gateway at least knows that it is incomplete.
 */
const isDiscarded = (transfer: Transfer): Verdict =>
  differs(`the header section of the response, then ${transfer.ending}`, transfer);

/** The verdict on a malformed response that the target repaired. A recipient may do that (RFC 9110 2.4). */
const recovered = (transfer: Transfer): Verdict =>
  differs(`taken for a complete ${transfer.response?.status}`, transfer);

/** A check that reports, without a rule, how a malformed response is forwarded. */
function whatBecomes({
  target,
  lossOf = () => undefined,
  ...rule
}: FamilyRule & {
  readonly target: string;
  readonly lossOf?: (transfer: Transfer) => string | undefined;
}): TopicCheck {
  return afterFault({
    level: 'info',
    risk: 'interop',
    ...rule,
    target,
    judge: (transfer) => {
      const { response, ending } = transfer;
      if (!response || ending !== 'complete' || response.status >= 500)
        return differs(response ? `${response.status}, ${ending}` : ending, transfer);
      const loss = lossOf(transfer);
      return loss === undefined
        ? pass(`forwarded with ${response.status}`)
        : differs(`forwarded with ${response.status}, ${loss}`, transfer);
    },
  });
}

/** A check that the target answers 502 if the origin does not respond. It sends POST, which is not retried. */
function gatewayFails(id: `origin/${string}`, rule: string, target: string): TopicCheck {
  return {
    id,
    section: 'RFC 9110 15.6.3',
    rule,
    risk: 'interop',
    needs: ['faults', 'gateway'],
    async run(session) {
      const transfer = await session.send({ method: 'POST', target, content: 'content' });
      const { response, ending } = transfer;
      if (!response) return differs(ending, transfer);
      const { status } = response;
      if (status < 400) return fail('502', `${status}, as if the origin had responded`, transfer);
      return status === 502 ? pass('502') : differs(`${status} in place of 502`, transfer);
    },
  };
}

/** A raw response with 26 bytes in one chunk, and a Content-Length of 10. */
const CHUNKED_26 = rawTarget(
  'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n' +
    '1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n',
);

const FIELD_COUNT = 200;

/** How many of the fields of the response were lost: their values are numbers, the last field has the highest. */
function lostFields({ response }: Transfer): string | undefined {
  const numbers = listOf(response?.fields ?? [], 'x-fault').map(Number);
  const lost = FIELD_COUNT - Math.min(FIELD_COUNT, ...numbers) - numbers.length;
  if (numbers.length === 0) return 'without those of the fault';
  return lost === 0 ? undefined : `without ${lost} of them`;
}

/** Checks of what the intermediary makes of malformed responses of the origin. */
export const originChecks = topic(ORIGIN, [
  malformedIsRefused({
    id: 'origin/length-and-chunked',
    rule: 'A response with Content-Length and chunked is refused, or forwarded without Content-Length.',
    // Content-Length of the fault is that of the content. In a raw response it can be wrong.
    target: ({ met }) =>
      met.has('raw') ? CHUNKED_26 : '/fault/head?how=length-and-chunked&length=26',
    judgeComplete: ifSafe(({ response }) => {
      const names = response?.fields.map(([name]) => name.toLowerCase()) ?? [];
      const hasBoth = names.includes('content-length') && names.includes('transfer-encoding');
      // RFC 9112 6.3: Transfer-Encoding overrides Content-Length. By Content-Length, chunk sizes would be content.
      return !hasBoth && response?.content.toString() === 'abcdefghijklmnopqrstuvwxyz';
    }),
  }),
  malformedIsRefused({
    id: 'origin/two-lengths',
    rule: 'A response with two different Content-Length values is answered with 502.',
    target: '/fault/head?how=two-lengths',
    judgeIncomplete: isDiscarded,
  }),
  ...[
    ['origin/two-lengths-first', [2, 5]] as const,
    ['origin/two-lengths-last', [5, 2]] as const,
  ].map(([id, lengths]) =>
    malformedIsRefused({
      id,
      rule: `A response with Content-Length: ${lengths.join(', then ')} and 5 bytes is answered with 502.`,
      needs: ['raw', 'http1-origin', 'gateway'],
      target: rawTarget(
        `HTTP/1.1 200 OK\r\n${lengths.map((length) => `Content-Length: ${length}\r\n`).join('')}\r\nbytes`,
      ),
      judgeIncomplete: isDiscarded,
    }),
  ),
  malformedIsRefused({
    id: 'origin/space-before-colon',
    section: 'RFC 9112 5.1',
    rule: 'Whitespace before the colon in a response field is removed, or the response is refused.',
    target: '/fault/head?how=space-before-colon',
    judgeComplete: ifSafeValue(
      (value, { received }) =>
        value === 'space' &&
        // Searches the received bytes, because parsed field names have no whitespace.
        !/^[^\s:]+[ \t]+:/m.test(received.split(/\r?\n\r?\n/)[0] ?? ''),
    ),
  }),
  malformedIsRefused({
    id: 'origin/obs-fold',
    section: 'RFC 9112 5.2',
    rule: 'An obsolete line fold in a response is replaced by spaces, or the response is refused.',
    target: '/fault/head?how=obs-fold',
    judgeComplete: ifSafeValue((value) => /^folded +onto the next line$/.test(value)),
  }),
  malformedIsRefused({
    id: 'origin/nul',
    section: 'RFC 9110 5.5',
    rule: 'A NUL in a response field value is replaced by a space, or the response is refused.',
    target: '/fault/head?how=nul',
    judgeComplete: ifSafeValue((value) => value === 'a b'),
  }),
  malformedIsRefused({
    id: 'origin/no-colon',
    section: 'RFC 9112 5',
    rule: 'A response header line without a colon is not forwarded as a field.',
    level: 'quality',
    target: '/fault/head?how=no-colon',
    judgeComplete: ifSafe(
      ({ response }) =>
        response?.fields.every(([, value]) => value !== '' && !/X-Fault/i.test(value)) ?? false,
    ),
  }),
  malformedIsRefused({
    id: 'origin/chunk-size',
    section: 'RFC 9112 7.1',
    risk: 'data-loss',
    rule: 'An invalid chunk size ends the response with an error.',
    target: `/fault/chunk?how=bad-size&length=${LONG}`,
  }),
  malformedIsRefused({
    id: 'origin/chunk-overflow',
    section: 'RFC 9112 7.1',
    risk: 'data-loss',
    rule: 'A chunk size that overflows an integer ends the response with an error.',
    target: `/fault/chunk?how=overflow&length=${LONG}`,
  }),
  malformedIsRefused({
    id: 'origin/garbage',
    section: 'RFC 9110 2.2',
    rule: 'Bytes that are not an HTTP response are not forwarded as they are.',
    risk: 'interop',
    needs: ['raw', 'http1-origin', 'gateway'],
    target: rawTarget('no response\n'.repeat(3)),
    judgeComplete: recovered,
  }),
  malformedIsRefused({
    id: 'origin/no-status',
    section: 'RFC 9110 2.2',
    rule: 'A response without a status code is not forwarded as it is.',
    risk: 'interop',
    target: '/fault/head?how=no-status',
    judgeComplete: recovered,
  }),
  whatBecomes({
    id: 'origin/bare-lf',
    section: 'RFC 9112 2.2',
    rule: 'How a response with lines that end in a bare LF is handled.',
    target: '/fault/head?how=bare-lf',
  }),
  whatBecomes({
    id: 'origin/bad-version',
    section: 'RFC 9112 2.3',
    rule: 'How a response with an unknown HTTP version is handled.',
    target: '/fault/head?how=bad-version',
  }),
  whatBecomes({
    id: 'origin/many-fields',
    section: 'RFC 9110 5.4',
    rule: `How a response with ${FIELD_COUNT} fields is handled.`,
    target: `/fault/head?how=count&fields=${FIELD_COUNT}`,
    lossOf: lostFields,
  }),
  whatBecomes({
    id: 'origin/large-head',
    section: 'RFC 9110 5.4',
    rule: 'How a response with a 20 KB header section is handled.',
    target: '/fault/head?how=size&bytes=20000',
  }),
  gatewayFails(
    'origin/no-response',
    '502 is returned if the origin closes the connection without a response.',
    '/fault/close?at=start',
  ),
  gatewayFails(
    'origin/reset',
    '502 is returned if the origin resets the connection.',
    '/fault/reset?at=start',
  ),
]);

/** Number of requests that follow, one of which may get the extra bytes as its response. */
export const FOLLOWERS = 3;
/** The extra bytes after a response: a response that the origin sends to no other request. */
const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';

const isLonger = (...evidence: readonly Transfer[]): Verdict =>
  fail('a response that ends where it should', 'bytes after its end', ...evidence);

/**
 * A check that bytes which the origin sends after a response has ended are not taken for the response to another
 * request (RFC 9112 6.3). The origin keeps the connection, so that the target may use it again.
 */
function isDropped({
  head,
  method = 'GET',
  ...rule
}: FamilyRule & { readonly head: string; readonly method?: string }): Check {
  return {
    section: 'RFC 9112 6.3',
    level: 'must',
    risk: 'security',
    needs: ['raw', 'http1-origin', 'gateway'],
    isDestructive: true,
    ...rule,
    async run(session) {
      const target = `${rawTarget(`${head}\r\n\r\n${POISON}`)}&then=keep`;
      const client = await session.open();
      const first = await session.sendOn(client, { method, target });
      if (first.received.includes('poison')) return isLonger(first);
      for (let follower = 0; follower < FOLLOWERS; follower++) {
        const echo = await session.echo();
        if (echo.transfer.received.includes('poison'))
          return fail(
            'its own response',
            'bytes after that of another request',
            first,
            echo.transfer,
          );
        if (!echo.received)
          return fail('the next request is served', withoutEcho(echo), echo.transfer);
      }
      if (client instanceof Http1Client) {
        // A target that forwards bytes as they come may send these after the response.
        const late = await client.exchange(Buffer.alloc(0), 'GET', { time: PROMPT });
        if (late.received.includes('poison')) return isLonger(first, late);
      }
      return pass(outcomeOf(first));
    },
  };
}

const EMPTY = 'HTTP/1.1 200 OK\r\nContent-Length: 0';

/** Checks of bytes that follow a complete response of the origin, and of content where a response has none. */
export const leftoverChecks: readonly Check[] = [
  isDropped({
    id: 'origin/bytes-after',
    rule: 'Bytes after the end of a response are not taken for the response to another request.',
    head: EMPTY,
  }),
  isDropped({
    id: 'origin/204-with-content',
    section: 'RFC 9110 15.3.5',
    rule: '204 ends with its header section, also if bytes follow.',
    head: 'HTTP/1.1 204 No Content',
  }),
  isDropped({
    id: 'origin/304-with-content',
    section: 'RFC 9110 15.4.5',
    rule: '304 ends with its header section, also if bytes follow.',
    head: 'HTTP/1.1 304 Not Modified\r\nETag: "a"',
  }),
  isDropped({
    id: 'origin/head-with-content',
    section: 'RFC 9110 9.3.2',
    rule: 'A response to HEAD ends with its header section, also if bytes follow.',
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${POISON.length}`,
    method: 'HEAD',
  }),
  {
    id: 'response/error-content',
    section: 'RFC 9110 15.6',
    rule: 'The content of an error response of the origin is forwarded.',
    level: 'quality',
    risk: 'data-loss',
    needs: ['raw', 'http1-origin'],
    async run(session) {
      const content = 'the problem in words';
      const head = `HTTP/1.1 503 Service Unavailable\r\nContent-Length: ${content.length}`;
      const transfer = await session.send({ target: rawTarget(`${head}\r\n\r\n${content}`) });
      const { status } = transfer.response ?? {};
      if (status !== 503) return notApplicable(`503 is not forwarded: ${outcomeOf(transfer)}`);
      return expectSame(content, transfer.response?.content.toString() ?? '', transfer);
    },
  },
];
