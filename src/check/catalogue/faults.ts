import {
  differs,
  expectSame,
  fail,
  notApplicable,
  pass,
  type Check,
  type Verdict,
} from '../check.ts';
import type { Transfer } from '../message.ts';
import { parseObject, TAG } from '../origin.ts';
import type { Session } from '../session.ts';
import type { Rule } from './forwarded.ts';

const TRUNCATION = {
  section: 'RFC 9112 8',
  level: 'must',
  risk: 'data-loss',
  needs: ['faults'],
} as const;

/** Whether a client can tell that a response is not whole. */
function isIncomplete({ ending }: Transfer): boolean {
  return ending !== 'complete';
}

const UNAVAILABLE = 'the protocol of the origin does not have the fault';

/** Whether the origin has answered that it cannot make the fault. */
function isUnavailable({ response }: Transfer): boolean {
  const type = response?.status === 400 && parseObject(response.content.toString())?.['type'];
  return type === '/problems/fault-unavailable';
}

/** A check that a response which the origin does not finish is not finished for the client either. */
function truncationIsTold(rule: Pick<Rule, 'id' | 'rule'> & Partial<Rule>, target: string): Check {
  return {
    ...TRUNCATION,
    ...rule,
    async run(session) {
      const transfer = await session.send({ target });
      const { response } = transfer;
      if (isUnavailable(transfer)) return notApplicable(UNAVAILABLE);
      if (!response || isIncomplete(transfer)) return pass(transfer.ending);
      if (response.status >= 500) return pass(`${response.status} in its place`);
      const found = `a complete ${response.status} with ${response.content.length} bytes`;
      return fail('an incomplete response, or an error', found, transfer);
    },
  };
}

/** Responses that the origin does not finish (RFC 9112 8, RFC 9113 8.1). */
export const truncationChecks: readonly Check[] = [
  truncationIsTold(
    {
      id: 'truncation/content-length',
      rule: 'Less content than Content-Length says is an incomplete message, for the client too.',
      needs: ['faults', 'http1-origin'],
    },
    '/fault/close?length=10000&after=5000&framing=length',
  ),
  truncationIsTold(
    {
      id: 'truncation/chunked',
      rule: 'Chunked content without its last chunk is incomplete, for the client too.',
      needs: ['faults', 'http1-origin'],
    },
    '/fault/close?length=10000&after=5000&framing=chunked',
  ),
  truncationIsTold(
    {
      id: 'truncation/chunked-end',
      rule: 'All content without the last chunk is still incomplete.',
      needs: ['faults', 'http1-origin'],
    },
    '/fault/close?length=10000&at=end&framing=chunked',
  ),
  truncationIsTold(
    {
      id: 'truncation/reset',
      rule: 'Content that ends with RST is incomplete, for the client too.',
      needs: ['faults'],
    },
    '/fault/reset?length=10000&after=5000',
  ),
  truncationIsTold(
    {
      id: 'truncation/rst-stream',
      section: 'RFC 9113 8.1',
      rule: 'Content that ends with RST_STREAM is incomplete, for the client too.',
      needs: ['faults', 'h2-origin'],
    },
    '/fault/rst-stream?length=10000&after=5000&code=INTERNAL_ERROR',
  ),
  truncationIsTold(
    {
      id: 'truncation/connection',
      section: 'RFC 9113 8.1',
      rule: 'Content that ends with the HTTP/2 connection is incomplete, for the client too.',
      needs: ['faults', 'h2-origin'],
    },
    '/fault/close?length=10000&after=5000',
  ),
  truncationIsTold(
    {
      id: 'truncation/data-short',
      section: 'RFC 9113 8.1.1',
      rule: 'Less DATA than content-length says makes the response malformed.',
      needs: ['faults', 'h2-origin'],
    },
    '/fault/content-length?declared=10000&sent=5000',
  ),
];

const ORIGIN = {
  section: 'RFC 9112 6.3',
  level: 'must',
  risk: 'security',
  needs: ['faults', 'http1-origin', 'gateway'],
} as const;

/** A check that a malformed response is not forwarded as if it were a good one. */
function malformedIsRefused(
  rule: Pick<Rule, 'id' | 'rule'> & Partial<Rule>,
  target: string,
  isSafe: (transfer: Transfer) => boolean = () => false,
): Check {
  return {
    ...ORIGIN,
    ...rule,
    async run(session) {
      const transfer = await session.send({ target });
      const { response, ending } = transfer;
      if (isUnavailable(transfer)) return notApplicable(UNAVAILABLE);
      if (!response || ending !== 'complete') return pass(ending);
      if (response.status >= 500) return pass(String(response.status));
      if (isSafe(transfer)) return pass('forwarded in a safe form');
      return fail('502, or an incomplete response', `a complete ${response.status}`, transfer);
    },
  };
}

/** A check that says what becomes of a response. */
function whatBecomes(rule: Pick<Rule, 'id' | 'rule'> & Partial<Rule>, target: string): Check {
  return {
    ...ORIGIN,
    level: 'info',
    risk: 'interop',
    ...rule,
    async run(session) {
      const transfer = await session.send({ target });
      const { response, ending } = transfer;
      if (isUnavailable(transfer)) return notApplicable(UNAVAILABLE);
      return response && ending === 'complete' && response.status < 500
        ? pass(`forwarded with ${response.status}`)
        : differs(response ? `${response.status}, ${ending}` : ending, transfer);
    },
  };
}

/** What the intermediary makes of an origin that breaks the rules. */
export const originChecks: readonly Check[] = [
  malformedIsRefused(
    {
      id: 'origin/length-and-chunked',
      section: 'RFC 9112 6.3',
      rule: 'A response with Content-Length and chunked is refused, or forwarded without Content-Length.',
    },
    '/fault/head?how=length-and-chunked&length=26',
    ({ response }) => {
      const names = response?.fields.map(([name]) => name.toLowerCase()) ?? [];
      const hasBoth = names.includes('content-length') && names.includes('transfer-encoding');
      // RFC 9112 6.3: Transfer-Encoding overrides Content-Length, which would take chunk sizes for content.
      return !hasBoth && response?.content.toString() === 'abcdefghijklmnopqrstuvwxyz';
    },
  ),
  malformedIsRefused(
    {
      id: 'origin/two-lengths',
      section: 'RFC 9112 6.3',
      rule: 'A response with two different values of Content-Length is answered with 502.',
    },
    '/fault/head?how=two-lengths',
  ),
  malformedIsRefused(
    {
      id: 'origin/space-before-colon',
      section: 'RFC 9112 5.1',
      rule: 'White space before the colon is removed from a response, or the response is refused.',
    },
    '/fault/head?how=space-before-colon',
    ({ response }) => response?.fields.every(([name]) => !/\s$/.test(name)) ?? false,
  ),
  malformedIsRefused(
    {
      id: 'origin/obs-fold',
      section: 'RFC 9112 5.2',
      rule: 'A folded field in a response is refused, or its fold is replaced by spaces.',
    },
    '/fault/head?how=obs-fold',
    ({ received }) => !/\r?\n[ \t]/.test(received.split(/\r?\n\r?\n/)[0] ?? ''),
  ),
  malformedIsRefused(
    {
      id: 'origin/nul',
      section: 'RFC 9110 5.5',
      rule: 'A NUL in a field value is refused or replaced by a space.',
    },
    '/fault/head?how=nul',
    ({ received }) => !received.includes('\0'),
  ),
  malformedIsRefused(
    {
      id: 'origin/no-colon',
      section: 'RFC 9112 5',
      rule: 'A line without a colon in the header section of a response is not forwarded as a field.',
    },
    '/fault/head?how=no-colon',
    ({ response }) => response?.fields.every(([, value]) => value !== '') ?? false,
  ),
  malformedIsRefused(
    {
      id: 'origin/chunk-size',
      section: 'RFC 9112 7.1',
      rule: 'A chunk size that is no number ends the response with an error.',
    },
    '/fault/chunk?how=bad-size',
  ),
  malformedIsRefused(
    {
      id: 'origin/chunk-overflow',
      section: 'RFC 9112 7.1',
      rule: 'A chunk size that overflows ends the response with an error.',
    },
    '/fault/chunk?how=overflow',
  ),
  malformedIsRefused(
    {
      id: 'origin/garbage',
      section: 'RFC 9112 4',
      rule: 'Bytes that are no response are answered with 502.',
      risk: 'interop',
    },
    '/fault/garbage',
  ),
  malformedIsRefused(
    {
      id: 'origin/no-status',
      section: 'RFC 9112 4',
      rule: 'A status line without a status is answered with 502.',
      risk: 'interop',
    },
    '/fault/head?how=no-status',
  ),
  whatBecomes(
    {
      id: 'origin/bare-lf',
      section: 'RFC 9112 2.2',
      rule: 'What becomes of a response whose lines end in LF alone.',
    },
    '/fault/head?how=bare-lf',
  ),
  whatBecomes(
    {
      id: 'origin/bad-version',
      section: 'RFC 9112 2.3',
      rule: 'What becomes of a response with another version.',
    },
    '/fault/head?how=bad-version',
  ),
  whatBecomes(
    {
      id: 'origin/many-fields',
      section: 'RFC 9110 5.4',
      rule: 'What becomes of a response with 200 fields.',
    },
    '/fault/head?how=count&fields=200',
  ),
  whatBecomes(
    {
      id: 'origin/large-head',
      section: 'RFC 9110 5.4',
      rule: 'What becomes of a response with a header section of 20 KB.',
    },
    '/fault/head?how=size&bytes=20000',
  ),
  {
    ...ORIGIN,
    id: 'origin/no-response',
    section: 'RFC 9110 15.6.3',
    rule: 'An origin that closes without a response gives 502.',
    risk: 'interop',
    needs: ['faults', 'gateway'],
    run: (session) => gatewayStatus(session, '/fault/close?at=start', 502),
  },
  {
    ...ORIGIN,
    id: 'origin/reset',
    section: 'RFC 9110 15.6.3',
    rule: 'An origin that resets the connection gives 502.',
    risk: 'interop',
    needs: ['faults', 'gateway'],
    run: (session) => gatewayStatus(session, '/fault/reset?at=start', 502),
  },
];

async function gatewayStatus(session: Session, target: string, expected: number): Promise<Verdict> {
  const transfer = await session.send({ method: 'POST', target, content: 'content' });
  const { response, ending } = transfer;
  if (!response) return differs(ending, transfer);
  return response.status === expected
    ? pass(String(expected))
    : differs(`${response.status} in place of ${expected}`, transfer);
}

const RETRY = {
  section: 'RFC 9110 9.2.2',
  level: 'must',
  risk: 'data-loss',
  needs: ['journal', 'faults', 'gateway'],
} as const;

const KINDS = ['503', 'close', 'reset'] as const;
type RetryKind = (typeof KINDS)[number];

/** The number of requests that reach the origin when it fails once. */
async function attempts(
  session: Session,
  method: string,
  kind: string,
): Promise<[number, Transfer]> {
  const tag = session.newTag();
  const content = method === 'GET' ? undefined : 'content';
  const transfer = await session.send({
    method,
    target: `/retry/${tag}?fail=1&with=${kind}`,
    fields: [[TAG, tag]],
    ...(content !== undefined && { content }),
  });
  return [(await session.arrived(tag)).length, transfer];
}

function postIsNotRepeated(kind: RetryKind): Check {
  return {
    ...RETRY,
    id: `retry/post-${kind}`,
    rule: `POST, which is not idempotent, is not repeated by itself after ${kind}.`,
    async run(session) {
      const [count, transfer] = await attempts(session, 'POST', kind);
      return expectSame('1 attempt', `${count} ${count === 1 ? 'attempt' : 'attempts'}`, transfer);
    },
  };
}

function howOftenGet(kind: RetryKind): Check {
  return {
    ...RETRY,
    id: `retry/get-${kind}`,
    rule: `How often GET is sent when the origin fails once by ${kind}.`,
    level: 'info',
    risk: 'latency',
    async run(session) {
      const [count, transfer] = await attempts(session, 'GET', kind);
      const status = transfer.response?.status ?? transfer.ending;
      return count === 1
        ? pass(`1 attempt, ${status}`)
        : differs(`${count} attempts, ${status}`, transfer);
    },
  };
}

/** Which requests are repeated, proved by the journal of the origin (RFC 9110 9.2.2). */
export const retryChecks: readonly Check[] = [
  ...KINDS.map(postIsNotRepeated),
  ...KINDS.map(howOftenGet),
  {
    ...RETRY,
    id: 'retry/refused-stream',
    section: 'RFC 9113 8.7',
    rule: 'A request that the origin refuses by REFUSED_STREAM was not processed, and may be repeated.',
    level: 'info',
    risk: 'latency',
    needs: [...RETRY.needs, 'h2-origin'],
    async run(session) {
      const tag = session.newTag();
      const target = '/fault/rst-stream?code=REFUSED_STREAM&at=start';
      const transfer = await session.send({ target, fields: [[TAG, tag]] });
      const count = (await session.arrived(tag)).length;
      return count === 1 ? pass('1 attempt') : differs(`${count} attempts`, transfer);
    },
  },
];
