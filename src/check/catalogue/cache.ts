import { setTimeout as pause } from 'node:timers/promises';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valueOf, valuesOf, type FieldLine } from '../message.ts';
import { LIFETIME, statusOf, unseenNumber } from '../origin.ts';
import type { Session } from '../session.ts';
import {
  CACHE,
  ifStored,
  notReused,
  request,
  reused,
  STORABLE,
  twice,
  withFields,
  type Reply,
  type Request,
} from './cache-reply.ts';
import { cookieLines } from './cookie.ts';
import { rangeContent } from './range.ts';
import { answeredByTarget } from './received.ts';

/** Milliseconds: a little more than a lifetime of one second, so that a cache that adds another second is found. */
const STALE_AFTER = 1200;

interface StaleReply {
  /** The last request that the origin has answered. */
  readonly first: Reply;
  /** The reply to a request after the response of `first` has become stale. */
  readonly reply: Reply;
}

/**
 * Requests again what was fresh for a second and is stale now. A second attempt is made, because a cache that counts
 * whole seconds, and reuses in the last one too, reuses only in a part of each second.
 */
async function staleReply(session: Session, directives: string): Promise<StaleReply> {
  const target = withFields(session, `Cache-Control=${directives}`);
  const first = await request(session, target);
  if (first.arrived.length === 0) return { first, reply: first };
  await pause(STALE_AFTER);
  const second = await request(session, target, {}, [first]);
  if (second.isReused) return { first, reply: second };
  await pause(STALE_AFTER);
  return { first: second, reply: await request(session, target, {}, [first, second]) };
}

/** Requests for parts of a representation and for all of it, in this order. */
const PARTS = ['bytes=0-99', 'bytes=100-199', undefined, 'bytes=100-199'] as const;

/** Judges whether each of `PARTS` is answered by what it asks for. @param query after a key */
async function judgePartial(session: Session, query: string): Promise<Verdict> {
  // Longer than each part, and unseen by a cache that ignores the query.
  const length = 1000 + unseenNumber();
  const whole = rangeContent(length);
  const target = `/range/${length}?key=${session.newTag()}${query}`;
  let before: Reply | undefined;
  for (const range of PARTS) {
    const fields: FieldLine[] = range === undefined ? [] : [['Range', range]];
    const reply = await request(session, target, { fields });
    if (!before && reply.arrived.length === 0) return answeredByTarget(reply);
    const { transfer } = reply;
    const { status, content = Buffer.alloc(0), fields: received = [] } = transfer.response ?? {};
    const [, first, last] =
      /^bytes (\d+)-(\d+)\//.exec(valueOf(received, 'content-range') ?? '') ?? [];
    const part = whole.subarray(Number(first), Number(last) + 1);
    // Range may be ignored (RFC 9110 14.2).
    const isWhole = status === 200 && content.equals(whole);
    const isPart = status === 206 && `bytes=${first}-${last}` === range && content.equals(part);
    if (!isWhole && !isPart) {
      const wanted = range === undefined ? `200, ${length} bytes` : `206 with ${range}`;
      const found = `${outcomeOf(transfer)}, ${content.length} bytes`;
      return fail(wanted, found, ...(before ? [before.transfer] : []), transfer);
    }
    before ??= reply;
  }
  return pass();
}

/** Statuses that are not heuristically cacheable (RFC 9110 15.1). */
const ERRORS = [500, 503, 504];

const LANGUAGE: readonly FieldLine[] = [['Accept-Language', 'de']];
const language = (value: string): Request => ({ fields: [['Accept-Language', value]] });
const authorized = (value: string): Request => ({ fields: [['Authorization', value]] });

/** What a shared cache stores and reuses (RFC 9111), if there is one. */
export const cacheChecks = topic(CACHE, [
  notReused({
    id: 'cache/no-store',
    section: 'RFC 9111 5.2.2.5',
    rule: 'A response with no-store is not reused.',
    risk: 'security',
    query: 'Cache-Control=max-age=60,%20no-store',
  }),
  notReused({
    id: 'cache/private',
    section: 'RFC 9111 5.2.2.7',
    rule: 'A response with private is not reused by a shared cache.',
    risk: 'security',
    query: 'Cache-Control=max-age=60,%20private',
  }),
  notReused({
    id: 'cache/no-cache',
    section: 'RFC 9111 5.2.2.4',
    rule: 'A response with no-cache is not reused without validation.',
    query: 'Cache-Control=max-age=60,%20no-cache',
  }),
  notReused({
    id: 'cache/s-maxage',
    section: 'RFC 9111 5.2.2.10',
    rule: 's-maxage overrides max-age for a shared cache.',
    query: 'Cache-Control=max-age=60,%20s-maxage=0',
  }),
  notReused({
    id: 'cache/must-revalidate',
    section: 'RFC 9111 5.2.2.2',
    rule: 'A stale response with must-revalidate is not reused without validation.',
    query: 'Cache-Control=public,%20max-age=0,%20must-revalidate',
  }),
  notReused({
    id: 'cache/expires',
    section: 'RFC 9111 5.3',
    rule: 'A response with Expires: 0 is not reused without validation.',
    query: 'Expires=0',
  }),
  notReused({
    id: 'cache/age-received',
    section: 'RFC 9111 4.2.3',
    rule: 'A response that arrives with an Age beyond its lifetime is not reused without validation.',
    query: 'Cache-Control=max-age=60&Age=120',
  }),
  notReused({
    id: 'cache/authorization',
    section: 'RFC 9111 3.5',
    rule: 'A response to a request with Authorization is not reused unless the response allows it.',
    risk: 'security',
    makeTarget: (session) => session.unique(`/range/${unseenNumber()}?max_age=${LIFETIME}`),
    others: [
      [' for the same Authorization', authorized('Bearer check-first')],
      [' for another Authorization', authorized('Bearer check-second')],
      [' for a request without Authorization', {}],
    ],
    firstMessage: authorized('Bearer check-first'),
  }),
  notReused({
    id: 'cache/vary',
    section: 'RFC 9111 4.1',
    rule: 'A response with Vary is reused only for requests with the same values of the listed fields, in one line or two.',
    query: `${STORABLE}&Vary=X-Check-Vary&Vary=Accept-Language`,
    others: [
      // Each differs in one field from the one before: a cache may keep a single response for a URL.
      [' for another Accept-Language', language('en')],
      [' for a request without Accept-Language', {}],
      [' for another X-Check-Vary', { fields: [['X-Check-Vary', 'other']] }],
    ],
    firstMessage: { fields: LANGUAGE },
  }),
  notReused({
    id: 'cache/vary-star',
    section: 'RFC 9111 4.1',
    rule: 'A response with Vary: * is not reused.',
    query: `${STORABLE}&Vary=*`,
  }),
  notReused({
    id: 'cache/vary-list-star',
    section: 'RFC 9111 4.1',
    rule: 'A response whose Vary lists * among other fields is not reused.',
    query: `${STORABLE}&Vary=Accept-Language,%20*`,
  }),
  {
    id: 'cache/partial',
    section: 'RFC 9111 3.3',
    rule: 'A partial response, with a lifetime or without, is reused neither as a complete one nor for another range.',
    async run(session) {
      const verdicts = await Promise.all([
        judgePartial(session, `&max_age=${LIFETIME}`),
        judgePartial(session, ''),
      ]);
      return verdicts.find(({ outcome }) => outcome !== 'pass') ?? pass();
    },
  },
  {
    id: 'cache/head',
    rule: 'The response to HEAD is not reused for GET without the content.',
    async run(session) {
      const length = unseenNumber();
      const target = `/range/${length}?max_age=${LIFETIME}&key=${session.newTag()}`;
      const head = await request(session, target, { method: 'HEAD' });
      if (head.arrived.length === 0) return answeredByTarget(head);
      const { transfer } = await request(session, target);
      const { status, content } = transfer.response ?? {};
      return status === 200 && content?.equals(rangeContent(length)) === true
        ? pass()
        : fail(
            `200, ${length} bytes`,
            `${outcomeOf(transfer)}, ${content?.length ?? 0} bytes`,
            head.transfer,
            transfer,
          );
    },
  },
  {
    id: 'cache/error',
    section: 'RFC 9111 3',
    rule: 'An error response without explicit freshness is not reused.',
    async run(session) {
      const own: string[] = [];
      for (const status of ERRORS) {
        const target = `/status/${status}?key=${session.newTag()}`;
        const first = await request(session, target);
        const second = await request(session, target, {}, [first]);
        // A target that answers every request with an error of its own did not reuse one of the origin.
        const isOrigins = statusOf(second.transfer.response)?.status === status;
        if (second.isReused && isOrigins) return reused(` (${status})`, second);
        if (second.arrived.length === 0) own.push(outcomeOf(second.transfer));
      }
      return own.length < ERRORS.length
        ? pass()
        : notApplicable(`the target responds itself: ${own.join(', ')}`);
    },
  },
  ifStored({
    id: 'cache/age',
    section: 'RFC 9111 5.1',
    rule: 'A reused response has Age, in seconds.',
    risk: 'interop',
    query: STORABLE,
    judge: ({ second: { transfer } }) => {
      const age = valuesOf(transfer.response?.fields ?? [], 'age').join(', ');
      if (!/^\d+$/.test(age)) return fail('Age in seconds', age || 'no Age', transfer);
      // An older response is stale. Such an Age is wrong, because the origin sent the response just now.
      return Number(age) <= LIFETIME
        ? pass(age)
        : fail(`at most ${LIFETIME} s, the lifetime of the response`, `Age: ${age}`, transfer);
    },
  }),
  twice({
    id: 'cache/set-cookie',
    section: 'RFC 9111 7.3',
    rule: 'Whether a response with Set-Cookie is reused for other clients.',
    level: 'info',
    risk: 'security',
    query: `${STORABLE}&Set-Cookie=check=1`,
    judge: ({ second }) => {
      if (!second.isReused)
        return second.arrived.length > 0 ? pass('not reused') : answeredByTarget(second);
      const [cookie] = cookieLines(second.transfer, 'check');
      const words = cookie === undefined ? 'without Set-Cookie' : 'with Set-Cookie';
      return differs(words, second.transfer);
    },
  }),
  {
    id: 'cache/stale',
    section: 'RFC 9111 4.2.4',
    rule: 'Whether a stale response is reused.',
    level: 'info',
    phase: 'timed',
    async run(session) {
      const { first, reply } = await staleReply(session, 'public,%20max-age=1');
      if (reply.isReused)
        return differs(
          'after its lifetime of 1 s',
          (reply.source ?? first).transfer,
          reply.transfer,
        );
      return reply.arrived.length > 0 ? pass('not reused') : answeredByTarget(reply);
    },
  },
  {
    id: 'cache/must-revalidate-stale',
    remedy: {
      advice: 'Serve no stale responses.',
      directives: { varnish: [['vcl_backend_response', 'set beresp.grace = 0s;']] },
    },
    section: 'RFC 9111 5.2.2.2',
    rule: 'A response with must-revalidate that has become stale is not reused without validation.',
    phase: 'timed',
    async run(session) {
      const directives = 'public,%20max-age=1,%20must-revalidate';
      const { reply } = await staleReply(session, directives);
      if (reply.isReused) return reused(' after its lifetime of 1 s', reply);
      return reply.arrived.length > 0 ? pass() : answeredByTarget(reply);
    },
  },
  twice({
    id: 'cache/reuse',
    rule: 'A fresh response is reused.',
    level: 'quality',
    risk: 'latency',
    needs: ['journal'],
    profiles: ['cdn'],
    query: STORABLE,
    judge: ({ first, second }) => {
      if (second.isReused) return pass();
      if (second.arrived.length === 0) return answeredByTarget(second);
      const found = 'two requests reach the origin';
      return fail('the stored response', found, first.transfer, second.transfer);
    },
  }),
]);
