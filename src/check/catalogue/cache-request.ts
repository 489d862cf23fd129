import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { outcomeOf, responseField, type FieldLine, type Transfer } from '../message.ts';
import { cachedPath, hostsOf, LIFETIME, tagged } from '../origin.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
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
import { answeredByTarget } from './received.ts';

const CONTENT = 'content';

/**
 * Requests with unsafe methods. POST is last, because it invalidates what is stored, and is sent twice, because the
 * response to a POST does not answer another POST (RFC 9110 9.3.3). The origin refuses the other methods here.
 */
const UNSAFE: readonly Request[] = [
  { method: 'DELETE' },
  { method: 'PATCH', content: CONTENT },
  { method: 'PUT', content: CONTENT },
  { method: 'POST', content: CONTENT },
  { method: 'POST', content: CONTENT },
];

/** What arrived at the origin in place of the request; undefined if it arrived unchanged. */
function otherThan({ method, content = '' }: Request, { arrived }: Reply): string | undefined {
  const other = arrived.find(
    (entry) =>
      entry.method !== method ||
      (entry.content.complete && entry.content.octets !== content.length),
  );
  return other && `${other.method} with ${other.content.octets} bytes of content`;
}

const validated = (etag: string): Request => ({ fields: [['If-None-Match', etag]] });

/** The opaque part of an entity tag: If-None-Match ignores the `W/` (RFC 9110 8.8.3.2). */
const opaque = (etag: string | undefined): string | undefined => etag?.replace(/^W\//, '');

const OTHER_HOST = 'other.check.example';

/** As the check, but a finding is a fact if the target sends the origin the same Host whatever host is requested. */
const unlessOneSite = (check: TopicCheck): TopicCheck => ({
  ...check,
  async run(session) {
    const verdict = await check.run(session);
    if (verdict.outcome !== 'fail') return verdict;
    const hosts = new Set<string>();
    for (const authority of [session.target.authority, OTHER_HOST]) {
      const { received } = await session.echo({ authority });
      if (!received) return verdict;
      hosts.add(hostsOf(received).join());
    }
    if (hosts.size > 1) return verdict;
    const found = `one site for all hosts: the origin receives ${Array.from(hosts).join()}`;
    return differs(found, ...verdict.evidence);
  },
});

/** Any path has a response that caches may reuse for a time; the description is no part of the cache key. */
const FRESH: Request = {
  fields: [['X-Wirebin-Respond', `header=Cache-Control: public, max-age=${LIFETIME}&body=fresh`]],
};

const typed = (type: string): readonly FieldLine[] => [
  ...(FRESH.fields ?? []),
  ['Content-Type', type],
];

/** A query whose response caches may reuse for a time. */
const QUERY: Request = { method: 'QUERY', content: CONTENT, fields: typed('text/plain') };

/** Other paths than `/a/B`, which caches confuse with it. */
const PATHS: readonly (readonly [words: string, change: (target: string) => string])[] = [
  ['a path with //', (target) => target.replace('/a/B', '//a/B')],
  ['a path with %2F', (target) => target.replace('/a/B', '/a%2FB')],
  ['a path in another case', (target) => target.replace('/a/B', '/a/b')],
];

/** As the check, but a finding is a fact if the target sends the origin one path for all. */
const unlessOnePath = (check: TopicCheck): TopicCheck => ({
  ...check,
  async run(session) {
    const verdict = await check.run(session);
    if (verdict.outcome !== 'fail') return verdict;
    for (const [, change] of PATHS) {
      const path = change(`/anything/${session.newTag()}/a/B`);
      const { received } = await session.echo({ target: path });
      if (received?.path === path) return verdict;
    }
    return differs('the origin receives one path for all', ...verdict.evidence);
  },
});

/** What a shared cache does with requests (RFC 9111 2, 4 and 5.2.1). */
export const cacheRequestChecks = topic(CACHE, [
  {
    id: 'cache/unsafe-method',
    rule: 'A request with an unsafe method is forwarded to the origin.',
    async run(session) {
      const target = withFields(session, STORABLE);
      const first = await request(session, target);
      if (first.arrived.length === 0) return answeredByTarget(first);
      const replies = [first];
      for (const message of UNSAFE) {
        const reply = await request(session, target, message, replies);
        if (reply.isReused) return reused(` for ${message.method}`, reply);
        const other = otherThan(message, reply);
        const expected = `${message.method} with ${message.content?.length ?? 0} bytes of content`;
        if (other !== undefined)
          return fail(expected, `the origin receives ${other}`, reply.transfer);
        replies.push(reply);
      }
      const isJudged = replies.slice(1).some(({ arrived }) => arrived.length > 0);
      return isJudged ? pass() : answeredByTarget(replies.at(-1) ?? first);
    },
  },
  unlessOneSite(
    notReused({
      id: 'cache/key-host',
      section: 'RFC 9111 2',
      rule: 'A response is not reused for another host or port, unless the origin receives the same host for all.',
      risk: 'security',
      query: STORABLE,
      others: [
        [' for another host', { authority: OTHER_HOST }],
        [
          ' for another port',
          ({ target: { authority } }) => ({ authority: `${authority.replace(/:\d+$/, '')}:1` }),
        ],
      ],
    }),
  ),
  notReused({
    id: 'cache/key-query',
    section: 'RFC 9111 2',
    rule: 'A response is not reused for another query.',
    risk: 'security',
    makeTarget: (session) => `${cachedPath()}?X-Check-Case=a&X-Check-Key=${session.newTag()}`,
    others: [
      [' for another query', (_session, target) => ({ target: `${target}-other` })],
      [
        ' for a query in another case',
        (_session, target) => ({ target: target.replace('X-Check-Case=a', 'X-Check-Case=A') }),
      ],
    ],
  }),
  unlessOnePath(
    notReused({
      id: 'cache/key-path',
      section: 'RFC 9111 2',
      rule: 'A response is not reused for another path: with //, %2F or another case, unless the origin receives the same.',
      risk: 'security',
      makeTarget: (session) => `/anything/${session.newTag()}/a/B`,
      firstMessage: FRESH,
      others: PATHS.map(([words, change]) => [
        ` for ${words}`,
        (_session, target) => ({ ...FRESH, target: change(target) }),
      ]),
    }),
  ),
  notReused({
    id: 'cache/key-method',
    section: 'RFC 9111 2',
    // Not HEAD: a cache may forward it as GET, and then has a response to GET (RFC 9110 9.3.2).
    rule: 'A response to GET is not reused for OPTIONS or QUERY.',
    risk: 'security',
    makeTarget: (session) => `/anything/${session.newTag()}`,
    firstMessage: FRESH,
    others: [
      [' for OPTIONS', { ...FRESH, method: 'OPTIONS' }],
      [' for QUERY', QUERY],
    ],
  }),
  notReused({
    id: 'cache/key-content',
    // "The cache key for a QUERY request MUST incorporate the request content and related metadata"; the content has a
    // media type, since servers have to reject a QUERY without (2).
    section: 'RFC 10008 2.7',
    rule: 'A response to QUERY is not reused for QUERY with other content or another Content-Type, or for GET.',
    risk: 'security',
    makeTarget: (session) => `/anything/${session.newTag()}`,
    firstMessage: QUERY,
    others: [
      [' to QUERY with other content', { ...QUERY, content: `other ${CONTENT}` }],
      [' to QUERY with another Content-Type', { ...QUERY, fields: typed('text/x-check') }],
      [' to QUERY for GET', FRESH],
    ],
  }),
  ifStored({
    id: 'cache/invalidation',
    section: 'RFC 9111 4.4',
    rule: 'A successful unsafe request invalidates the stored response for its URI.',
    query: STORABLE,
    judge: async ({ session, target, first, second }) => {
      const unsafe = await request(session, target, { method: 'POST', content: CONTENT });
      const after = await request(session, target, {}, [first, second]);
      return after.isReused ? reused(' after POST', after, unsafe) : pass();
    },
  }),
  twice({
    id: 'cache/no-cache-request',
    section: 'RFC 9111 5.2.1.4',
    rule: 'Whether Cache-Control: no-cache in a request forces validation.',
    level: 'info',
    risk: 'interop',
    query: STORABLE,
    judge: ({ second }) => {
      if (second.isReused) return differs('reused without validation', second.transfer);
      return second.arrived.length === 0 ? answeredByTarget(second) : pass('validated');
    },
    secondMessage: { fields: [['Cache-Control', 'no-cache']] },
  }),
  ifStored({
    id: 'cache/not-modified',
    section: 'RFC 9111 4.3.2',
    rule: 'If-None-Match with the ETag of a stored response is answered with 304, which has that ETag.',
    level: 'should',
    risk: 'latency',
    query: `${STORABLE}&ETag=%22check%22`,
    judge: async ({ session, target, second }) => {
      const etag = responseField(second.transfer, 'etag');
      if (etag === undefined) return notApplicable('the stored response has no ETag');
      const { arrived, transfer } = await request(session, target, validated(etag));
      if (arrived.length > 0) return notApplicable('the cache forwards conditional requests');
      if (transfer.response?.status !== 304) return fail('304', outcomeOf(transfer), transfer);
      const found = responseField(transfer, 'etag');
      return opaque(found) === opaque(etag)
        ? pass()
        : fail(`ETag: ${etag} (RFC 9110 15.4.5)`, found ?? 'no ETag', second.transfer, transfer);
    },
  }),
]);

/** Seconds by which the origin delays both responses, so that the requests overlap. */
const DELAY = 0.2;

/** A check that two concurrent requests for one URL each get a response of the origin (RFC 9111 4). */
function notCollapsed({
  name,
  values,
  ...rule
}: FamilyRule & { readonly name: string; readonly values: readonly [string, string] }): Check {
  return {
    section: 'RFC 9111 4',
    level: 'must',
    risk: 'security',
    needs: ['gateway', 'journal'],
    ...rule,
    async run(session) {
      const target = session.unique(`/delay/${DELAY}`);
      const send = async (value: string): Promise<() => Promise<readonly [Transfer, boolean]>> => {
        const tag = session.newTag();
        const client = await session.open();
        const message = tagged(tag, { target, fields: [[name, value] satisfies FieldLine] });
        return async () => {
          const transfer = await session.sendOn(client, message);
          return [transfer, (await session.arrived(tag)).length > 0];
        };
      };
      // Both connections are open before the first request is sent.
      const ready = [await send(values[0]), await send(values[1])];
      const replies = await Promise.all(ready.map((go) => go()));
      const transfers = replies.map(([transfer]) => transfer);
      const words = transfers.map(outcomeOf).join(', ');
      // If no request reached the origin, the target has answered by itself.
      if (replies.every(([, hasArrived]) => !hasArrived))
        return notApplicable(`the requests do not reach the origin: ${words}`);
      const isReused = replies.some(
        ([{ response }, hasArrived]) =>
          response !== undefined && response.status < 400 && !hasArrived,
      );
      return isReused
        ? fail('both requests reach the origin', 'one response for both', ...transfers)
        : pass(words);
    },
  };
}

/** Checks of concurrent requests for one URL. A cache may answer them with one response only if that may be reused. */
export const collapsingChecks: readonly Check[] = [
  notCollapsed({
    id: 'cache/collapsed-authorization',
    section: 'RFC 9111 3.5',
    rule: 'Concurrent requests with different Authorization are not answered by one response.',
    name: 'Authorization',
    values: ['Bearer check-first', 'Bearer check-second'],
  }),
  notCollapsed({
    id: 'cache/collapsed-cookie',
    rule: 'Concurrent requests with different cookies are not answered by one response without freshness.',
    level: 'quality',
    name: 'Cookie',
    values: ['session=check-first', 'session=check-second'],
  }),
];
