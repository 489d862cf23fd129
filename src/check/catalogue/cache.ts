import { setTimeout as pause } from 'node:timers/promises';
import {
  differs,
  expectSame,
  fail,
  notApplicable,
  pass,
  type Check,
  type FamilyRule,
  type Verdict,
} from '../check.ts';
import { outcomeOf, responseField, type RequestMessage, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';

const CACHE = {
  level: 'must',
  risk: 'data-loss',
  section: 'RFC 9111 4',
  needs: ['cache', 'journal'],
} as const;

/** Fields that allow any cache to reuse a response. */
const STORABLE = 'Cache-Control=public,%20max-age=60';

/** A target of whose responses the query sets the fields, and that no cache has seen. */
const withFields = (session: Session, query: string): string =>
  `/response-headers?${query}&X-Check-Key=${session.newTag()}`;

type Request = Partial<RequestMessage>;

/** What the origin sends with one response only. */
const idOf = (transfer: Transfer): string | undefined => responseField(transfer, 'x-request-id');

interface Reply {
  readonly transfer: Transfer;
  /** Whether it came from a cache: the origin has not sent it for this request. */
  readonly isReused: boolean;
}

/** @param first the response before */
async function request(
  session: Session,
  target: string,
  message: Request = {},
  first?: Reply,
): Promise<Reply> {
  const tag = session.newTag();
  const transfer = await session.send(tagged(tag, { target, ...message }));
  const { status = 0 } = transfer.response ?? {};
  const arrived = await session.arrived(tag);
  // A cache may send what it has stored, and fetch another response at the same time (RFC 5861 3).
  const id = idOf(transfer);
  const isOld = id !== undefined && first !== undefined && id === idOf(first.transfer);
  return { transfer, isReused: status < 400 && (arrived.length === 0 || isOld) };
}

/** A check of two requests with the same target, of which the second follows the first. */
function twice(
  rule: FamilyRule,
  query: string,
  judge: (
    second: Reply,
    first: Reply,
    session: Session,
    target: string,
  ) => Verdict | Promise<Verdict>,
  messages: readonly [first: Request, second: Request] = [{}, {}],
): Check {
  return {
    ...CACHE,
    ...rule,
    observes: 'arrival',
    async run(session) {
      const target = withFields(session, query);
      const first = await request(session, target, messages[0]);
      const second = await request(session, target, messages[1], first);
      return judge(second, first, session, target);
    },
  };
}

/** A check that the response to the first request is not that to the second. */
const notReused = (
  rule: FamilyRule,
  query: string,
  ...messages: readonly [first: Request, second: Request] | readonly []
): Check =>
  twice(
    rule,
    query,
    (second, first) =>
      second.isReused
        ? fail(
            'the second request reaches the origin',
            'the stored response is reused',
            first.transfer,
            second.transfer,
          )
        : pass(),
    messages.length === 0 ? undefined : messages,
  );

/** What comes 1.5 s after a response has become stale, which was fresh for a second. */
async function staleReply(session: Session, directives: string): Promise<Reply> {
  const target = withFields(session, `Cache-Control=${directives}`);
  const first = await request(session, target);
  await pause(2500);
  return request(session, target, {}, first);
}

const NOT_STORED = notApplicable('the cache does not store the response');

const languages = ['de', 'en'].map((language) => ({
  fields: [['Accept-Language', language] as const],
}));
const [german = {}, english = {}] = languages;

/** What a shared cache does (RFC 9111), if there is one. */
export const cacheChecks: readonly Check[] = [
  notReused(
    {
      id: 'cache/no-store',
      section: 'RFC 9111 5.2.2.5',
      rule: 'A response with no-store is not reused.',
      risk: 'security',
    },
    'Cache-Control=max-age=60,%20no-store',
  ),
  notReused(
    {
      id: 'cache/private',
      section: 'RFC 9111 5.2.2.7',
      rule: 'A response with private is not reused by a shared cache.',
      risk: 'security',
    },
    'Cache-Control=max-age=60,%20private',
  ),
  notReused(
    {
      id: 'cache/no-cache',
      section: 'RFC 9111 5.2.2.4',
      rule: 'A response with no-cache is not reused without validation.',
    },
    'Cache-Control=max-age=60,%20no-cache',
  ),
  notReused(
    {
      id: 'cache/s-maxage',
      section: 'RFC 9111 5.2.2.10',
      rule: 's-maxage overrides max-age for a shared cache.',
    },
    'Cache-Control=max-age=60,%20s-maxage=0',
  ),
  notReused(
    {
      id: 'cache/must-revalidate',
      section: 'RFC 9111 5.2.2.2',
      rule: 'A stale response with must-revalidate is not reused without validation.',
    },
    'Cache-Control=public,%20max-age=0,%20must-revalidate',
  ),
  notReused(
    {
      id: 'cache/expires',
      section: 'RFC 9111 5.3',
      rule: 'A response with Expires: 0 is not reused without validation.',
    },
    'Expires=0',
  ),
  notReused(
    {
      id: 'cache/authorization',
      section: 'RFC 9111 3.5',
      rule: 'A response to a request with Authorization is not reused unless the response allows it.',
      risk: 'security',
    },
    'Cache-Control=max-age=60',
    { fields: [['Authorization', 'Bearer check-first']] },
    { fields: [['Authorization', 'Bearer check-second']] },
  ),
  notReused(
    {
      id: 'cache/vary',
      section: 'RFC 9111 4.1',
      rule: 'A response with Vary is reused only for requests with the same values of the listed fields.',
    },
    `${STORABLE}&Vary=Accept-Language`,
    german,
    english,
  ),
  notReused(
    {
      id: 'cache/vary-star',
      section: 'RFC 9111 4.1',
      rule: 'A response with Vary: * is not reused.',
    },
    `${STORABLE}&Vary=*`,
  ),
  notReused(
    {
      id: 'cache/unsafe-method',
      rule: 'A request with an unsafe method is forwarded to the origin.',
    },
    STORABLE,
    {},
    { method: 'POST', content: 'content' },
  ),
  notReused(
    {
      id: 'cache/key-host',
      section: 'RFC 9111 2',
      rule: 'A response is not reused for another host.',
      risk: 'security',
    },
    STORABLE,
    {},
    { authority: 'other.check.example' },
  ),
  {
    ...CACHE,
    id: 'cache/key-query',
    section: 'RFC 9111 2',
    rule: 'A response is not reused for another query.',
    observes: 'arrival',
    async run(session) {
      const target = withFields(session, STORABLE);
      const first = await request(session, target);
      const second = await request(session, `${target}-other`);
      return second.isReused
        ? fail('another response', 'the stored one', first.transfer, second.transfer)
        : pass();
    },
  },
  {
    ...CACHE,
    id: 'cache/partial',
    section: 'RFC 9111 3.3',
    rule: 'A partial response is not reused as a complete one.',
    observes: 'arrival',
    async run(session) {
      const target = `/range/1000?key=${session.newTag()}`;
      const first = await request(session, target, { fields: [['Range', 'bytes=0-99']] });
      const { transfer } = await request(session, target);
      const { status, content } = transfer.response ?? {};
      return expectSame(
        '200, 1000 bytes',
        `${status ?? transfer.ending}, ${content?.length ?? 0} bytes`,
        first.transfer,
        transfer,
      );
    },
  },
  {
    ...CACHE,
    id: 'cache/error',
    section: 'RFC 9111 3',
    rule: 'An error response without explicit freshness is not reused.',
    observes: 'arrival',
    async run(session) {
      const target = `/status/500?key=${session.newTag()}`;
      const first = await session.send({ target });
      const tag = session.newTag();
      const second = await session.send(tagged(tag, { target }));
      if (second.response?.status !== 500)
        return pass(`${outcomeOf(second)} from the target itself`);
      return (await session.arrived(tag)).length > 0
        ? pass()
        : fail('the second request reaches the origin', 'not received', first, second);
    },
  },
  twice(
    {
      id: 'cache/age',
      rule: 'A reused response has Age.',
      risk: 'interop',
    },
    STORABLE,
    ({ isReused, transfer }) => {
      if (!isReused) return NOT_STORED;
      const age = responseField(transfer, 'age');
      return age !== undefined && /^\d+$/.test(age)
        ? pass(age)
        : fail('Age in seconds', age ?? 'no Age', transfer);
    },
  ),
  twice(
    {
      id: 'cache/invalidation',
      section: 'RFC 9111 4.4',
      rule: 'A successful unsafe request invalidates the stored response for its URI.',
    },
    STORABLE,
    async ({ isReused }, _first, session, target) => {
      if (!isReused) return NOT_STORED;
      const unsafe = await request(session, target, { method: 'POST', content: 'content' });
      const after = await request(session, target);
      return after.isReused
        ? fail(
            'the next request reaches the origin',
            'the stored response is reused',
            unsafe.transfer,
            after.transfer,
          )
        : pass();
    },
  ),
  twice(
    {
      id: 'cache/set-cookie',
      section: 'RFC 9111 7.3',
      rule: 'Whether a response with Set-Cookie is reused for other clients.',
      level: 'info',
      risk: 'security',
    },
    `${STORABLE}&Set-Cookie=check=1`,
    ({ isReused, transfer }) => {
      if (!isReused) return pass('not reused');
      const cookie = responseField(transfer, 'set-cookie');
      return differs(cookie === undefined ? 'without Set-Cookie' : 'with Set-Cookie', transfer);
    },
  ),
  twice(
    {
      id: 'cache/no-cache-request',
      section: 'RFC 9111 5.2.1.4',
      rule: 'Whether Cache-Control: no-cache in a request forces validation.',
      level: 'info',
      risk: 'interop',
    },
    STORABLE,
    ({ isReused, transfer }) =>
      isReused ? differs('reused without validation', transfer) : pass('validated'),
    [{}, { fields: [['Cache-Control', 'no-cache']] }],
  ),
  twice(
    {
      id: 'cache/not-modified',
      section: 'RFC 9111 4.3.2',
      rule: 'If-None-Match with the ETag of a stored response is answered with 304.',
      level: 'should',
      risk: 'latency',
    },
    `${STORABLE}&ETag=%22check%22`,
    ({ isReused, transfer }) => {
      if (!isReused) return NOT_STORED;
      const status = transfer.response?.status;
      return status === 304 ? pass() : fail('304', String(status), transfer);
    },
    [{}, { fields: [['If-None-Match', '"check"']] }],
  ),
  {
    ...CACHE,
    id: 'cache/stale',
    section: 'RFC 9111 4.2.4',
    rule: 'Whether a stale response is reused.',
    level: 'info',
    phase: 'timed',
    observes: 'arrival',
    async run(session) {
      const { isReused, transfer } = await staleReply(session, 'public,%20max-age=1');
      return isReused ? differs('1.5 s after it was fresh', transfer) : pass('not reused');
    },
  },
  {
    ...CACHE,
    id: 'cache/must-revalidate-stale',
    section: 'RFC 9111 5.2.2.2',
    rule: 'A response with must-revalidate that has become stale is not reused without validation.',
    phase: 'timed',
    observes: 'arrival',
    async run(session) {
      const directives = 'public,%20max-age=1,%20must-revalidate';
      const { isReused, transfer } = await staleReply(session, directives);
      const found = 'the stored response is reused 1.5 s after it was fresh';
      return isReused ? fail('a response of the origin', found, transfer) : pass();
    },
  },
  twice(
    {
      id: 'cache/reuse',
      rule: 'A fresh response is reused.',
      level: 'quality',
      risk: 'latency',
      needs: ['journal'],
      profiles: ['cdn'],
    },
    STORABLE,
    (second, first) =>
      second.isReused
        ? pass()
        : fail(
            'the stored response',
            'two requests reach the origin',
            first.transfer,
            second.transfer,
          ),
  ),
];
