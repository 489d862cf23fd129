import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
import { outcomeOf, responseField } from '../message.ts';
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
        if (reply.isReused) return reused(` for ${message.method}`, first, reply);
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
  notReused({
    id: 'cache/key-host',
    section: 'RFC 9111 2',
    rule: 'A response is not reused for another host or port.',
    risk: 'security',
    query: STORABLE,
    others: [
      [' for another host', { authority: 'other.check.example' }],
      [
        ' for another port',
        ({ target: { authority } }) => ({ authority: `${authority.replace(/:\d+$/, '')}:1` }),
      ],
    ],
  }),
  notReused({
    id: 'cache/key-query',
    section: 'RFC 9111 2',
    rule: 'A response is not reused for another query.',
    query: `${STORABLE}&X-Check-Case=a`,
    others: [
      [' for another query', (_session, target) => ({ target: `${target}-other` })],
      [
        ' for a query in another case',
        (_session, target) => ({ target: target.replace('X-Check-Case=a', 'X-Check-Case=A') }),
      ],
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
      return after.isReused ? reused(' after POST', unsafe, after) : pass();
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
