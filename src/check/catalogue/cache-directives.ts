import { setTimeout as pause } from 'node:timers/promises';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { Unjudged } from '../unjudged.ts';
import { outcomeOf, responseField, type Transfer } from '../message.ts';
import { rawTarget, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { CACHE, request, reused, STORABLE, twice, withFields, type Reply } from './cache-reply.ts';
import { answeredByTarget } from './received.ts';

/** The verdict, as a fact, on whether a response was reused. */
function reuseVerdict(reply: Reply): Verdict {
  if (reply.isReused) return differs('reused', reply.transfer);
  return reply.arrived.length > 0 ? pass('not reused') : answeredByTarget(reply);
}

/** A response field that a cache directive lists, such as `no-cache="X-Check-Listed"`. */
const LISTED = 'X-Check-Listed';

/**
 * A check that a field which a directive lists is not in a reused response. A cache may reuse the response without the
 * field, and it may take the directive for one without a list.
 */
const withoutListed = ({
  directive,
  ...rule
}: FamilyRule & { readonly directive: string }): TopicCheck =>
  twice({
    risk: 'security',
    ...rule,
    query: `Cache-Control=public,%20max-age=60,%20${directive}=%22${LISTED}%22&${LISTED}=first`,
    judge: ({ first, second }) => {
      const value = responseField(second.transfer, LISTED);
      if (second.isReused && value === undefined) return pass(`reused without ${LISTED}`);
      if (!second.isReused) return reuseVerdict(second);
      const found = `reused with ${LISTED}: ${value}`;
      return fail(`no ${LISTED}`, found, first.transfer, second.transfer);
    },
  });

const FACT = { level: 'info', risk: 'interop' } as const;

/** Milliseconds after which a response that was fresh for a second is stale also for a cache that counts whole seconds. */
const STALE = 2100;

interface Stored {
  readonly target: string;
  readonly first: Reply;
}

/** Has the cache store a response. @returns undefined if the response is not reused */
async function storeResponse(session: Session, authority: string): Promise<Stored | undefined> {
  const target = withFields(session, STORABLE);
  const first = await request(session, target, { authority });
  const second = await request(session, target, { authority }, [first]);
  return second.isReused ? { target, first } : undefined;
}

/** Number of stale responses that are requested while the origin is closed, and milliseconds between the requests. */
const GONE = { count: 6, interval: 30 } as const;
/** Seconds that the origin gives its open requests before it closes. */
const DRAIN_TIMEOUT = 1;

/**
 * Requests each stale response once while the origin is closed. The origin may still answer the first ones, which makes
 * those responses fresh again.
 *
 * @returns the replies to requests that did not reach the origin, and what was stored
 */
async function whileGone(
  session: Session,
  directives: string,
): Promise<(readonly [Reply, Reply])[]> {
  const stale: Stored[] = [];
  for (let number = 0; number < GONE.count; number++) {
    const target = withFields(session, `Cache-Control=${directives}`);
    const first = await request(session, target);
    if (first.arrived.length > 0) stale.push({ target, first });
  }
  if (stale.length === 0) return [];
  await pause(STALE);
  const drain = await session.target.drain(DRAIN_TIMEOUT, session.time);
  if (drain.response?.status !== 202)
    throw new Unjudged(`the origin does not drain: ${outcomeOf(drain)}`);
  const sent: (readonly [Reply, string, Transfer])[] = [];
  for (const { target, first } of stale) {
    const tag = session.newTag();
    sent.push([first, tag, await session.send(tagged(tag, { target }))]);
    await pause(GONE.interval);
  }
  await session.target.isReady(session.time);
  const replies: (readonly [Reply, Reply])[] = [];
  for (const [first, tag, transfer] of sent) {
    const arrived = await session.arrived(tag);
    const [before, after] = [first.transfer, transfer].map(({ response }) => response?.content);
    const isReused = before !== undefined && after !== undefined && before.equals(after);
    if (arrived.length === 0) {
      const source = isReused ? first : undefined;
      replies.push([first, { transfer, arrived, isReused, source }]);
    }
  }
  return replies;
}

const GONE_CHECK = {
  needs: [...CACHE.needs, 'control'],
  phase: 'alone',
} as const;
const NOT_GONE = notApplicable('no response of the origin is stale while it is gone');

const INVALIDATING = ['Location', 'Content-Location'] as const;

/**
 * A check that a successful POST invalidates the stored response of the URI that its response names in a field. A
 * second stored response, which is not named, shows that the cache did not remove it for another reason.
 */
function invalidates({
  field,
  authorityOf,
  judge,
  ...rule
}: FamilyRule & {
  readonly field: (typeof INVALIDATING)[number];
  readonly authorityOf: (session: Session) => string;
  readonly judge: (isInvalidated: boolean, evidence: readonly Transfer[]) => Verdict;
}): TopicCheck {
  return {
    section: 'RFC 9111 4.4',
    ...rule,
    async run(session) {
      const authority = authorityOf(session);
      const named = await storeResponse(session, authority);
      const other = await storeResponse(session, authority);
      if (!named || !other) return notApplicable('the cache does not store the responses');
      const scheme = session.target.isSecure ? 'https' : 'http';
      const uri = `${scheme}://${authority}${named.target}`;
      const { transfer } = await request(
        session,
        withFields(session, `${field}=${encodeURIComponent(uri)}`),
        { method: 'POST', content: 'content' },
      );
      if (responseField(transfer, field) !== uri)
        return notApplicable(`the response to POST has not ${field}: ${uri}`);
      const after = await request(session, named.target, { authority }, [named.first]);
      const kept = await request(session, other.target, { authority }, [other.first]);
      if (!kept.isReused) return notApplicable('the cache has removed other responses, too');
      return after.isReused || after.arrived.length > 0
        ? judge(!after.isReused, [transfer, after.transfer])
        : answeredByTarget(after);
    },
  };
}

const OTHER = 'other.check.example';

/** Checks of invalidation: an unsafe request whose response names another URI in Location or Content-Location. */
const invalidationChecks: readonly TopicCheck[] = INVALIDATING.flatMap((field) => [
  invalidates({
    ...FACT,
    id: `cache/invalidation-${field.toLowerCase()}`,
    rule: `Whether a successful unsafe request invalidates what its response names in ${field}.`,
    field,
    authorityOf: ({ target }) => target.authority,
    judge: (isInvalidated, evidence) =>
      isInvalidated ? differs('invalidated', ...evidence) : pass('not invalidated'),
  }),
  invalidates({
    id: `cache/invalidation-${field.toLowerCase()}-other`,
    rule: `What the response to an unsafe request names in ${field} is not invalidated if it has another origin.`,
    risk: 'security',
    field,
    authorityOf: () => OTHER,
    judge: (isInvalidated, evidence) =>
      isInvalidated
        ? fail('the stored response is reused', 'it is invalidated', ...evidence)
        : pass(),
  }),
]);

/** Directives of requests and responses (RFC 9111 5.2, RFC 5861, RFC 9213). */
export const cacheDirectiveChecks = topic(CACHE, [
  withoutListed({
    id: 'cache/private-field',
    section: 'RFC 9111 5.2.2.7',
    rule: 'A field that private lists is not in a response that a shared cache reuses.',
    directive: 'private',
  }),
  withoutListed({
    id: 'cache/no-cache-field',
    section: 'RFC 9111 5.2.2.4',
    rule: 'A field that no-cache lists is not in a response that is reused without validation.',
    directive: 'no-cache',
  }),
  twice({
    ...FACT,
    id: 'cache/min-fresh',
    section: 'RFC 9111 5.2.1.3',
    rule: 'Whether a response is reused that is not fresh for as long as min-fresh of the request asks for.',
    query: STORABLE,
    judge: ({ second }) => reuseVerdict(second),
    secondMessage: { fields: [['Cache-Control', 'min-fresh=600']] },
  }),
  twice({
    ...FACT,
    id: 'cache/cdn-cache-control',
    section: 'RFC 9213 2',
    rule: 'Whether max-age of CDN-Cache-Control overrides no-store of Cache-Control.',
    query: 'Cache-Control=no-store&CDN-Cache-Control=max-age=60',
    judge: ({ second }) => reuseVerdict(second),
  }),
  {
    ...FACT,
    id: 'cache/only-if-cached',
    section: 'RFC 9111 5.2.1.7',
    rule: 'Whether a request with only-if-cached for which nothing is stored is answered with 504.',
    observes: 'target',
    async run(session) {
      const tag = session.newTag();
      const fields = [['Cache-Control', 'only-if-cached'] as const];
      const target = withFields(session, STORABLE);
      const transfer = await session.send(tagged(tag, { target, fields }));
      if ((await session.arrived(tag)).length > 0) return differs('forwarded', transfer);
      return transfer.response?.status === 504 ? pass('504') : answeredByTarget({ transfer });
    },
  },
  {
    ...FACT,
    id: 'cache/must-understand',
    section: 'RFC 9111 5.2.2.3',
    // There is no rule for every cache: one that does not know the directive ignores it (RFC 9111 5.2.3).
    rule: 'Whether a response with must-understand and an unregistered status is reused.',
    needs: [...CACHE.needs, 'raw', 'http1-origin'],
    async run(session) {
      const lines = ['Cache-Control: public, max-age=60, must-understand', 'Content-Length: 5'];
      const bytes = ['HTTP/1.1 299 -', ...lines, '', 'check'].join('\r\n');
      const target = session.unique(rawTarget(bytes));
      const first = await request(session, target);
      return reuseVerdict(await request(session, target, {}, [first]));
    },
  },
  ...invalidationChecks,
  {
    ...FACT,
    id: 'cache/stale-while-revalidate',
    section: 'RFC 5861 3',
    rule: 'Whether a stale response with stale-while-revalidate is reused.',
    phase: 'timed',
    async run(session) {
      const directives = 'public,%20max-age=1,%20stale-while-revalidate=60';
      const target = withFields(session, `Cache-Control=${directives}`);
      const first = await request(session, target);
      await pause(STALE);
      return reuseVerdict(await request(session, target, {}, [first]));
    },
  },
  {
    id: 'cache/freshened',
    section: 'RFC 9111 4.3.4',
    rule: 'The fields of a 304 response update those of the stored response that it validates.',
    phase: 'timed',
    async run(session) {
      const target = session.unique('/range/16?max_age=1');
      const first = await request(session, target);
      await pause(STALE);
      const second = await request(session, target, {}, [first]);
      if (!second.arrived.some(({ response }) => response?.status === 304))
        return notApplicable('the cache does not validate what is stale');
      const third = await request(session, target, {}, [first, second]);
      // X-Wirebin-Process ends with the journal key of its request: in the 304 response that of the validation, in the
      // stored response that of the first request.
      const [before, after] = [first, third].map(({ transfer }) =>
        responseField(transfer, 'X-Wirebin-Process'),
      );
      if (before === undefined || after === undefined)
        return notApplicable('the responses have no X-Wirebin-Process');
      return before === after
        ? fail(
            'X-Wirebin-Process of the 304 response',
            `that of the stored response: ${before}`,
            ...[first, second, third].map(({ transfer }) => transfer),
          )
        : pass();
    },
  },
  {
    ...GONE_CHECK,
    id: 'cache/must-revalidate-gone',
    section: 'RFC 9111 5.2.2.2',
    rule: 'While the origin is gone, a stale response with must-revalidate is not reused.',
    async run(session) {
      const replies = await whileGone(session, 'public,%20max-age=1,%20must-revalidate');
      const found = replies.find(([, { isReused }]) => isReused);
      if (found) return reused(' while the origin is gone', found[1]);
      const [, last] = replies.at(-1) ?? [];
      return last ? pass(outcomeOf(last.transfer)) : NOT_GONE;
    },
  },
  {
    ...FACT,
    ...GONE_CHECK,
    id: 'cache/stale-if-error',
    section: 'RFC 5861 4',
    rule: 'Whether a stale response with stale-if-error is reused while the origin is gone.',
    async run(session) {
      const replies = await whileGone(session, 'public,%20max-age=1,%20stale-if-error=60');
      const [, found] = replies.find(([, { isReused }]) => isReused) ?? [];
      const [, last] = replies.at(-1) ?? [];
      if (found) return differs('reused', found.transfer);
      return last ? pass(outcomeOf(last.transfer)) : NOT_GONE;
    },
  },
]);
