import { topic, type TopicCheck } from '../check.ts';
import { NEEDS } from '../front.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { listOf, outcomeOf, responseField, valueOf, type Transfer } from '../message.ts';
import { isFromOrigin, rawTarget, receivedOf } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import { continueTime, EXPECTATION } from './expect.ts';
import { afterFault, metOften } from './fault.ts';
import { answeredByTarget, withoutEcho } from './received.ts';
import { rawRequest } from './refusal.ts';

const INTERIM = {
  section: 'RFC 9110 15.2',
  level: 'must',
  risk: 'interop',
  needs: ['interim-origin'],
  isPrompt: true,
} as const;

/** The beginning of an interim response. */
const EARLY = 'HTTP/1.1 103 Early Hints\r\n';
/** The final response, sent after interim ones. It announces that the origin closes, so no other request follows it. */
const FINAL = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const MANY = 300;
/** Attempts with many interim responses: HAProxy 2.6 fails in one of four, if they fill its buffer at once. */
const MANY_ATTEMPTS = 32;

/**
 * Seconds after an interim response. Without it, the next response may be in the same segment or in another, by chance,
 * and a target that reads both at once may handle them otherwise.
 */
const APART = 0.25;

/** @param interval seconds after each interim response */
const targetWith = (codes: string, interval = APART): string =>
  `/informational/${codes}?interval=${interval}&link=%3C/check.css%3E`;

/** The outcome in words. On HTTP/2, malformed before the final header section can only mean early content. */
function interimOutcome(transfer: Transfer, { front }: Session): string {
  const { response, interim, ending } = transfer;
  const last = interim.at(-1);
  return front === 'h2' && last && !response && ending === 'malformed'
    ? `${last.status}, then content in place of the final header section`
    : outcomeOf(transfer);
}

/** A check that interim responses do not prevent the final one, which comes later or at once. */
function finalArrives(id: `interim/${string}`, codes: string, what: string): TopicCheck {
  return {
    id,
    rule: `The client receives the final response after ${what}.`,
    observes: 'echo',
    async run(session) {
      const meet = async (target: string): Promise<Verdict> => {
        const echo = await session.echo({ target });
        const { response, ending } = echo.transfer;
        if (echo.received && ending === 'complete') return pass();
        // Such as 503 for some seconds after another fault, by a target that holds the origin to be down.
        const mayBeOther = (response?.status ?? 0) >= 500 && session.met.has('journal');
        if (mayBeOther && !(await session.hasArrived(echo.transfer))) return answeredByTarget(echo);
        const isWhole = ending === 'complete' && response && response.status < 400;
        const found = isWhole ? withoutEcho(echo) : interimOutcome(echo.transfer, session);
        return fail('the final response of the origin', found, echo.transfer);
      };
      const later = await meet(targetWith(codes));
      if (later.outcome !== 'pass') return later;
      return metOften(
        () => meet(targetWith(codes, 0)),
        ({ outcome }) => outcome !== 'pass',
      );
    },
  };
}

const EARLY_HINTS: Remedy = {
  advice: 'Have 103 (Early Hints) forwarded.',
  directives: { apache: [['', 'H2EarlyHints on']] },
};

/**
 * A check that interim responses are forwarded.
 *
 * RFC 9110 15.2 requires it of proxies: "A proxy MUST forward 1xx responses unless the proxy itself requested the
 * generation of the 1xx response." But a proxy is chosen by the client (3.7), and what is checked here is a gateway,
 * which the client takes for the origin. Requirements bind the role that they name (2.2), and towards the origin a
 * gateway has those of a user agent (3.7), which may ignore interim responses (15.2). So dropping them does not break
 * the RFC, but users expect hints and progress to arrive: the level is `quality`. Other checks are for 100 (Continue),
 * which the target may have requested itself (`expect/continue`), and for HTTP/1.0 clients, which must not receive any
 * (`interim/http10`).
 */
function isForwarded(of: `interim/${string}`, codes: string, what: string): TopicCheck {
  return {
    id: `${of}-forwarded` as const,
    rule: `The client receives ${what} from the origin.`,
    level: 'quality',
    // Other codes are forwarded by default.
    ...(codes.includes('103') && { remedy: EARLY_HINTS }),
    after: [of],
    async run(session) {
      const transfer = await session.send({ target: targetWith(codes) });
      const found = transfer.interim.map(({ status }) => status).join(',');
      return expectSame(codes, found || 'no interim response', transfer);
    },
  };
}

const INTERIM_RESPONSES = [
  ['interim/103', '103', '103 (Early Hints)'],
  ['interim/102', '102', '102 (Processing)'],
  ['interim/several', '103,103,102', 'several interim responses'],
  ['interim/unregistered', '199', 'an interim response with an unregistered status code'],
] as const;

/**
 * Sizes of content that come at once after an interim response, in KiB, and how often each is asked for. HAProxy 2.6
 * loses a part of one in three to twenty of such responses, and of all if it has HTTP/1.1 in front and HTTP/2 behind.
 */
const SIZES = [16, 100] as const;
const CONTENT_ATTEMPTS = 24;

async function contentArrives(session: Session): Promise<Verdict> {
  let number = 0;
  const meet = async (): Promise<Verdict> => {
    const size = SIZES[number++ % SIZES.length] ?? 0;
    const target = `/respond?informational=103&content=alphabet:${size}k`;
    const transfer = await session.send({ target });
    const { response, ending } = transfer;
    if (response?.status === 404) return notApplicable('the origin has no /respond');
    const expected = Buffer.alloc(size * KiB, 'abcdefghijklmnopqrstuvwxyz');
    if (ending === 'complete' && response?.content.equals(expected) === true) return pass();
    const isOther = ending === 'complete' && response?.status === 200;
    const found = isOther
      ? `${response.content.length} bytes, not those of the origin`
      : interimOutcome(transfer, session);
    return fail(`${expected.length} bytes of content`, found, transfer);
  };
  const attempts = SIZES.length * CONTENT_ATTEMPTS;
  return metOften(meet, ({ outcome }) => outcome !== 'pass', attempts);
}

/** Interim responses (RFC 9110 15.2, RFC 8297). */
export const interimChecks = topic(INTERIM, [
  ...INTERIM_RESPONSES.map(([id, codes, what]) => finalArrives(id, codes, what)),
  ...INTERIM_RESPONSES.map(([id, codes, what]) => isForwarded(id, codes, what)),
  {
    id: 'interim/103-joined',
    rule: 'The client receives 103 (Early Hints) from the origin if the final response is in the same segment.',
    level: 'quality',
    needs: ['http1-origin', 'raw'],
    after: ['interim/103-forwarded'],
    async run(session) {
      const target = rawTarget(`${EARLY}\r\n${FINAL}`);
      const meet = async (): Promise<Verdict> => {
        const transfer = await session.send({ target });
        if (transfer.response?.status !== 200)
          return fail('103, then 200', outcomeOf(transfer), transfer);
        const hasEarly = transfer.interim.some(({ status }) => status === 103);
        return hasEarly ? pass() : fail('103, then 200', '200 alone', transfer);
      };
      return metOften(meet, ({ outcome }) => outcome !== 'pass');
    },
  },
  {
    id: 'interim/103-content',
    rule: 'The content of a response that comes at once after 103 (Early Hints) arrives whole.',
    risk: 'data-loss',
    after: ['interim/103'],
    run: contentArrives,
  },
  {
    id: 'interim/103-link',
    section: 'RFC 8297 2',
    rule: 'The fields of a 103 (Early Hints) response are forwarded with it, and not with the final response.',
    after: ['interim/103-forwarded'],
    async run(session) {
      const transfer = await session.send({ target: targetWith('103') });
      const early = transfer.interim.find(({ status }) => status === 103);
      if (!early) return notApplicable(`103 is not forwarded: ${outcomeOf(transfer)}`);
      const late =
        responseField(transfer, 'link') === undefined ? '' : ', and with the final response';
      const found = `${valueOf(early.fields, 'link') ?? 'no Link'}${late}`;
      return expectSame('</check.css>', found, transfer);
    },
  },
  {
    id: 'interim/http10',
    rule: 'An HTTP/1.0 client receives no interim response.',
    fronts: ['http/1.1'],
    async run(session) {
      const target = session.unique(targetWith('103'));
      const tag = session.newTag();
      const request = rawRequest(session, tag, { target, version: 'HTTP/1.0' });
      const transfer = await session.raw(request);
      if (transfer.interim.length > 0) return fail('no 1xx', '1xx', transfer);
      if (receivedOf(transfer, tag)?.version === 'HTTP/1.0')
        return notApplicable(NEEDS['interim-origin'].missing);
      return isFromOrigin(transfer)
        ? pass()
        : notApplicable(`the target does not serve HTTP/1.0: ${outcomeOf(transfer)}`);
    },
  },
  {
    id: 'interim/second-continue',
    rule: 'A second 100 (Continue) of the origin is not taken for the final response.',
    risk: 'data-loss',
    after: ['interim/several'],
    async run(session) {
      const client = await session.open();
      const target = '/informational/100,100';
      const message = { method: 'POST', target, content: 'content', fields: [EXPECTATION] };
      const expectFor = continueTime(session);
      const { transfer, received } = await session.echoOn(client, message, { expectFor });
      if (transfer.response?.status === 417) return differs('417', transfer);
      // A target may refuse Expect after 100 (Continue) of its own: then the origin has sent none.
      if (!received && !(await session.hasObserved('arrival')))
        return answeredByTarget({ transfer });
      if (!received) return fail('the final response', outcomeOf(transfer), transfer);
      if (!transfer.isReusable) return pass('the connection is closed');
      const next = await session.echoOn(client);
      const { response, ending } = next.transfer;
      if (!response && ending === 'closed') return pass('the connection is closed');
      return next.received
        ? pass()
        : fail(
            'the response to the next request on the connection',
            withoutEcho(next),
            transfer,
            next.transfer,
          );
    },
  },
  {
    id: 'interim/103-hop',
    section: 'RFC 9110 7.6.1',
    rule: 'Fields listed in Connection of a 103 (Early Hints) response are removed, and Connection itself.',
    risk: 'security',
    needs: ['gateway', 'http1-origin', 'raw'],
    after: ['interim/103-forwarded'],
    async run(session) {
      const hints =
        'Connection: X-Check-Hop, Keep-Alive\r\nKeep-Alive: timeout=5\r\nX-Check-Hop: 1';
      const target = rawTarget(`${EARLY}${hints}\r\n\r\n${FINAL}`);
      const meet = async (): Promise<Verdict> => {
        const transfer = await session.send({ target });
        const early = transfer.interim.find(({ status }) => status === 103);
        if (!early) return notApplicable(`103 is not forwarded: ${outcomeOf(transfer)}`);
        const left = ['X-Check-Hop', 'Keep-Alive'].filter(
          (name) => valueOf(early.fields, name) !== undefined,
        );
        if (listOf(early.fields, 'connection').includes('x-check-hop')) left.push('Connection');
        return left.length === 0
          ? pass()
          : fail('removed', `${left.join(', ')} forwarded`, transfer);
      };
      return metOften(meet, ({ outcome }) => outcome !== 'not-applicable');
    },
  },
  afterFault({
    id: 'interim/101-unrequested',
    section: 'RFC 9110 7.8',
    rule: '101 (Switching Protocols) of the origin is not forwarded to a client that has sent no Upgrade.',
    risk: 'security',
    needs: ['gateway', 'http1-origin', 'raw'],
    target: rawTarget(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: check\r\n\r\n${FINAL}`,
    ),
    judge: (transfer) => {
      const statuses = [...transfer.interim, transfer.response].map((each) => each?.status);
      return statuses.includes(101)
        ? fail('no 101', '101 was forwarded', transfer)
        : pass(outcomeOf(transfer));
    },
  }),
  {
    id: 'interim/many',
    rule: `What becomes of ${MANY} interim responses before the final one.`,
    level: 'info',
    needs: ['http1-origin', 'raw'],
    isDestructive: true,
    async run(session) {
      const content = `HTTP/1.1 102 Processing\r\n\r\n`.repeat(MANY) + FINAL;
      const meet = async (): Promise<Verdict> => {
        const transfer = await session.send({ method: 'POST', target: '/raw', content });
        const { response, interim, ending } = transfer;
        return response?.status === 200 && ending === 'complete'
          ? pass(`${interim.length} forwarded`)
          : differs(`${outcomeOf(transfer)} after ${interim.length}`, transfer);
      };
      return metOften(meet, ({ outcome }) => outcome !== 'pass', MANY_ATTEMPTS);
    },
  },
]);
