import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import type { FamilyRule, TopicCheck } from '../check.ts';
import { notApplicable, pass, type Finding, type Verdict } from '../verdict.ts';
import { responseField, type RequestMessage, type Transfer } from '../message.ts';
import { LIFETIME, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { answeredByTarget } from './received.ts';

export const CACHE = {
  level: 'must',
  risk: 'data-loss',
  section: 'RFC 9111 4',
  needs: ['cache', 'journal'],
} as const;

/** Query of `/response-headers` for a response that any cache may reuse. */
export const STORABLE = `Cache-Control=public,%20max-age=${LIFETIME}`;

/** A unique target, which no cache has seen unless it ignores the query, whose response has the fields of the query. */
export const withFields = (session: Session, query: string): string =>
  `/response-headers?${query}&X-Check-Key=${session.newTag()}`;

export type Request = Partial<RequestMessage>;

export interface Reply {
  readonly transfer: Transfer;
  /** Journal entries of the request; empty if it did not reach the origin. */
  readonly arrived: readonly JournalEntry[];
  /** Whether the response is that of an earlier request. */
  readonly isReused: boolean;
  /** The earlier reply that was reused. */
  readonly source: Reply | undefined;
}

/** The unique id that the origin gives each response. */
const idOf = (transfer: Transfer): string | undefined => responseField(transfer, 'x-request-id');

/** Sends a request, and finds out whether its response was reused. @param earlier replies to previous requests */
export async function request(
  session: Session,
  target: string,
  message: Request = {},
  earlier: readonly Reply[] = [],
): Promise<Reply> {
  const tag = session.newTag();
  const transfer = await session.send(tagged(tag, { target, ...message }));
  const arrived = await session.arrived(tag);
  // A reply whose request did not reach the origin may itself be a reused one.
  const answered = earlier.filter((other) => other.arrived.length > 0);
  // A cache may send a stored response and revalidate meanwhile (RFC 5861 3): arrival does not rule out reuse.
  const id = idOf(transfer);
  const source =
    answered.find((other) => id !== undefined && id === idOf(other.transfer)) ??
    answered.find((other) => arrived.length === 0 && hasSameContent(transfer, other.transfer));
  return { transfer, arrived, isReused: source !== undefined, source };
}

function hasSameContent({ response: one }: Transfer, { response: other }: Transfer): boolean {
  return one !== undefined && other !== undefined && one.content.equals(other.content);
}

/** The finding that a response was reused, with what it was the response to, or another exchange that shows why not. */
export const reused = (words: string, reply: Reply, before = reply.source): Finding => ({
  outcome: 'fail',
  expected: 'a response of the origin to this request',
  found: `the stored response is reused${words}`,
  evidence: [...(before ? [before.transfer] : []), reply.transfer],
});

/** A request after the first one, and what the finding calls it. */
export type Another = readonly [
  words: string,
  message: Request | ((session: Session, target: string) => Request),
];

/** A check that the response to the first request, or to one of the others, is not reused for those that follow. */
export const notReused = ({
  query = '',
  makeTarget = (session) => withFields(session, query),
  others = [['', {}]],
  firstMessage = {},
  ...rule
}: FamilyRule & {
  readonly query?: string;
  /** Default: a target whose response has the fields of the query. */
  readonly makeTarget?: (session: Session) => string;
  readonly others?: readonly Another[];
  readonly firstMessage?: Request;
}): TopicCheck => ({
  ...rule,
  async run(session) {
    const target = makeTarget(session);
    const first = await request(session, target, firstMessage);
    if (first.arrived.length === 0) return answeredByTarget(first);
    const replies = [first];
    for (const [words, message] of others) {
      const other = typeof message === 'function' ? message(session, target) : message;
      const reply = await request(session, target, other, replies);
      if (reply.isReused) return reused(words, reply);
      replies.push(reply);
    }
    const isJudged = replies.slice(1).some(({ arrived }) => arrived.length > 0);
    return isJudged ? pass() : answeredByTarget(replies.at(-1) ?? first);
  },
});

/** Two requests with the same target. The origin has answered the first one. */
export interface Pair {
  readonly session: Session;
  readonly target: string;
  readonly first: Reply;
  readonly second: Reply;
}

/** A check that sends two requests with the same target. */
export const twice = ({
  query,
  judge,
  secondMessage = {},
  ...rule
}: FamilyRule & {
  readonly query: string;
  readonly judge: (pair: Pair) => Verdict | Promise<Verdict>;
  readonly secondMessage?: Request;
}): TopicCheck => ({
  ...rule,
  async run(session) {
    const target = withFields(session, query);
    const first = await request(session, target);
    if (first.arrived.length === 0) return answeredByTarget(first);
    const second = await request(session, target, secondMessage, [first]);
    return judge({ session, target, first, second });
  },
});

/** As `twice()`, but not applicable if the cache does not reuse the response. */
export const ifStored = ({
  query,
  judge,
  ...rule
}: FamilyRule & {
  readonly query: string;
  readonly judge: (pair: Pair) => Verdict | Promise<Verdict>;
}): TopicCheck =>
  twice({
    ...rule,
    query,
    judge: (pair) =>
      pair.second.isReused ? judge(pair) : notApplicable('the cache does not store the response'),
  });
