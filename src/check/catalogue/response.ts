import { hasNoContent } from '../../http/status.ts';
import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { NEEDS } from '../front.ts';
import {
  listOf,
  outcomeOf,
  responseField,
  valueOf,
  valuesOf,
  type RequestMessage,
  type Transfer,
} from '../message.ts';
import { rawTarget, statusOf, tagsOf } from '../origin.ts';
import { LARGE_HEAD } from '../remedy.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { KiB } from './bounds.ts';
import { judgeNext } from './received.ts';

const RESPONSE = { section: 'RFC 9110 15', level: 'must', risk: 'interop' } as const;

/**
 * The verdict on a response, or `not-applicable` if the target made the response itself: then it does not show how
 * responses are forwarded.
 */
export async function ifForwarded(
  session: Session,
  transfer: Transfer,
  verdict: Verdict,
): Promise<Verdict> {
  // For a pass, the runner checks itself that the request reached the origin.
  if (verdict.outcome === 'pass' || (await session.hasArrived(transfer))) return verdict;
  return notApplicable(
    session.met.has('journal')
      ? `the request has not reached the origin: the target answered with ${outcomeOf(transfer)}`
      : NEEDS.journal.missing,
  );
}

interface Responding extends FamilyRule {
  readonly message: RequestMessage;
  readonly judge: (transfer: Transfer, session: Session) => Verdict | Promise<Verdict>;
}

/** A check of the response to one ordinary request. */
export function responds({ message, judge, ...rule }: Responding): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const transfer = await session.send(message);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      return ifForwarded(session, transfer, await judge(transfer, session));
    },
  };
}

/**
 * A check of a response that ends with its header section, whatever its fields say (RFC 9112 6.3). What comes after it, or
 * is missing because the target waits for content, shows in the next request on the connection.
 */
export function respondsWithoutContent({ message, judge, ...rule }: Responding): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const client = await session.open();
      const transfer = await session.sendOn(client, message);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      const verdict = await judge(transfer, session);
      if (verdict.outcome === 'not-applicable') return verdict;
      if (verdict.outcome === 'fail') return ifForwarded(session, transfer, verdict);
      const { length } = transfer.response.content;
      if (length > 0) {
        const found = fail('no content', counted(length, 'byte'), transfer);
        return ifForwarded(session, transfer, found);
      }
      if (transfer.ending !== 'complete') {
        const found = fail(
          'a response that ends with its header section',
          outcomeOf(transfer),
          transfer,
        );
        return ifForwarded(session, transfer, found);
      }
      const next = judgeNext(await session.echoOn(client), transfer);
      return next.outcome === 'pass' ? ifForwarded(session, transfer, verdict) : next;
    },
  };
}

/** Whether the response has the JSON content that the origin sends with this status, however it is formatted. */
export function hasOwnContent({ response }: Transfer): boolean {
  if (!response || hasNoContent(response.status)) return response?.content.length === 0;
  return statusOf(response)?.status === response.status;
}

/**
 * A check that a status comes back as the origin sent it, with its content. No RFC requires a gateway to keep the
 * content, but it is what explains an error to users.
 */
function statusReturns(
  status: number,
  level: Check['level'],
  rule: string,
  judgeFields: (transfer: Transfer, session: Session) => Verdict = () => pass(String(status)),
): TopicCheck {
  return responds({
    id: `response/status-${status}`,
    rule,
    level,
    message: { target: `/status/${status}` },
    judge: (transfer, session) => {
      const found = String(transfer.response?.status);
      if (found !== String(status)) return fail(String(status), found, transfer);
      if (hasOwnContent(transfer)) return judgeFields(transfer, session);
      const hasContent = transfer.response?.content.length !== 0;
      const other = `${found} with ${hasContent ? 'other' : 'no'} content`;
      return level === 'must'
        ? differs(other, transfer)
        : fail(`${status} with the content of the origin`, other, transfer);
    },
  });
}

/** Judges Location of a redirect. A gateway may make it absolute with its own authority. */
function judgeLocation(transfer: Transfer, { target }: Session): Verdict {
  const location = responseField(transfer, 'location');
  if (location === undefined) return differs('302 without Location', transfer);
  const own = new URL('/redirect/1', target.url);
  const below = `${target.prefix}${own.pathname}`;
  return [own.pathname, own.href, below, `${own.origin}${below}`].includes(location)
    ? pass('302')
    : differs(`302 with Location: ${location}`, transfer);
}

/** ETag of `/range/1000`. */
const ETAG = '"range-1000"';

/** Whether a Date is an IMF-fixdate, which senders must generate (RFC 9110 5.6.7). */
const isFixdate = (value: string): boolean => new Date(value).toUTCString() === value;

/** Values of repeated lines. */
const REPEATED = ['a', 'b', 'a', 'c'];

/** Fields of a response with many, of which one comes first, one in the middle and one last. */
const MANY = 60;
const manyFields = Array.from({ length: MANY }, (_, at) => `X-Check-${at}`);

/** Statuses and fields of responses (RFC 9110 8, 10, 13, 14 and 15). */
export const responseChecks = topic(RESPONSE, [
  statusReturns(201, 'must', '201 is forwarded.'),
  statusReturns(204, 'must', '204 is forwarded.'),
  statusReturns(299, 'quality', 'An unregistered success status is forwarded.'),
  statusReturns(302, 'must', 'A redirect is forwarded, not followed.', judgeLocation),
  statusReturns(418, 'must', '418 is forwarded.'),
  statusReturns(
    421,
    'quality',
    '421 is forwarded, or the request is retried on another connection.',
  ),
  statusReturns(425, 'quality', '425 is forwarded.'),
  statusReturns(451, 'quality', '451 is forwarded.'),
  statusReturns(500, 'quality', '500 is forwarded.'),
  statusReturns(503, 'quality', '503 is forwarded.'),
  statusReturns(599, 'quality', 'An unregistered error status is forwarded.'),
  respondsWithoutContent({
    id: 'response/204-without-content',
    section: 'RFC 9110 15.3.5',
    rule: '204 has no content and no Content-Length.',
    message: { target: '/status/204' },
    judge: (transfer) => {
      const length = responseField(transfer, 'content-length');
      return length === undefined
        ? pass()
        : fail(
            '204 without Content-Length (RFC 9110 8.6)',
            `${transfer.response?.status} with Content-Length: ${length}`,
            transfer,
          );
    },
  }),
  responds({
    id: 'response/fields',
    section: 'RFC 9110 5.1',
    rule: 'An unknown response field is forwarded.',
    // As for request fields: see field.ts.
    level: 'quality',
    message: { target: '/response-headers?X-Check-Response=a%20b&X_Check_Under=c' },
    judge: (transfer) => {
      const fields = transfer.response?.fields ?? [];
      const found = valuesOf(fields, 'x-check-response').join();
      if (found !== 'a b') return fail('a b', found, transfer);
      // Many targets drop names with underscores, which CGI and its successors take for hyphens.
      return valuesOf(fields, 'x_check_under').join() === 'c'
        ? pass(found)
        : differs('without a field whose name has underscores', transfer);
    },
  }),
  responds({
    id: 'response/obs-text',
    section: 'RFC 9110 5.5',
    rule: 'Bytes above 0x7F in a response field value are forwarded unchanged.',
    level: 'should',
    message: { target: '/response-headers?X-Check-Text=caf%C3%A9' },
    judge: (transfer) =>
      expectSame(
        'caf\u00c3\u00a9',
        responseField(transfer, 'x-check-text') ?? `${transfer.response?.status} without it`,
        transfer,
      ),
  }),
  responds({
    id: 'response/repeated',
    section: 'RFC 9110 5.3',
    rule: `${REPEATED.length} response field lines of one name, two of them equal, all arrive, in their order.`,
    message: {
      target: `/response-headers?${REPEATED.map((value) => `X-Check-Repeated=${value}`).join('&')}`,
    },
    judge: (transfer) =>
      expectSame(
        REPEATED.join(', '),
        listOf(transfer.response?.fields ?? [], 'x-check-repeated').join(', '),
        transfer,
      ),
  }),
  responds({
    id: 'response/many-fields',
    section: 'RFC 9110 5.1',
    rule: `${MANY} fields of a response are all forwarded, the first, those between and the last.`,
    level: 'quality',
    risk: 'data-loss',
    message: { target: `/response-headers?${manyFields.map((name) => `${name}=x`).join('&')}` },
    judge: (transfer) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 200) return differs(`${status} in place of the fields`, transfer);
      const lost = manyFields.filter((name) => valueOf(fields, name) !== 'x');
      return expectSame(
        'all fields',
        lost.length === 0 ? 'all fields' : `without ${lost.join(', ')}`,
        transfer,
      );
    },
  }),
  responds({
    id: 'response/long-field',
    remedy: LARGE_HEAD,
    section: 'RFC 9110 5.4',
    rule: 'A response field of 7 KiB is forwarded.',
    level: 'quality',
    message: { target: `/response-headers?X-Check-Long=${'x'.repeat(7 * KiB)}` },
    judge: (transfer) => {
      const length = responseField(transfer, 'x-check-long')?.length;
      return length === 7 * KiB
        ? pass()
        : differs(`${transfer.response?.status} without the field`, transfer);
    },
  }),
  responds({
    id: 'response/date',
    section: 'RFC 9110 6.6.1',
    rule: 'A forwarded response has exactly one Date, in the format IMF-fixdate (RFC 9110 5.6.7).',
    message: { target: '/response-headers?Date=Tue,%2015%20Nov%201994%2008:12:31%20GMT' },
    judge: (transfer) => {
      const dates = valuesOf(transfer.response?.fields ?? [], 'date');
      return dates.length === 1 && dates.every(isFixdate)
        ? pass(dates.join())
        : fail('one Date in IMF-fixdate', dates.join(' | ') || 'none', transfer);
    },
  }),
  responds({
    id: 'response/date-added',
    remedy: {
      advice: 'Add Date to responses without it.',
      directives: {
        haproxy: [
          [
            'frontend',
            'http-response set-header Date %[date,http_date] unless { res.hdr(date) -m found }',
          ],
        ],
      },
    },
    section: 'RFC 9110 6.6.1',
    rule: 'A response that comes without Date is forwarded with Date.',
    needs: ['gateway', 'http1-origin', 'raw'],
    message: { target: rawTarget('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') },
    judge: (transfer) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 200) return differs(String(status), transfer);
      const date = valueOf(fields, 'date');
      if (date === undefined) return fail('Date', 'no Date', transfer);
      return isFixdate(date) ? pass(date) : fail('Date in IMF-fixdate', `Date: ${date}`, transfer);
    },
  }),
  responds({
    id: 'response/etag',
    section: 'RFC 9110 8.8.3',
    rule: 'The strong ETag of unmodified content is kept.',
    level: 'quality',
    message: { target: '/range/1000' },
    judge: (transfer) => {
      const etag = responseField(transfer, 'etag');
      return etag === ETAG ? pass(etag) : differs(etag ?? 'no ETag', transfer);
    },
  }),
  respondsWithoutContent({
    id: 'response/not-modified',
    section: 'RFC 9110 13.1.2',
    rule: 'If-None-Match is forwarded, and the 304 response has the ETag, and no Content-Length but that of a 200 response.',
    message: { target: '/range/1000', fields: [['If-None-Match', ETAG]] },
    judge: async (transfer, session) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 304) return fail('304', String(status), transfer);
      const etag = valueOf(fields, 'etag');
      if (etag === undefined) return fail('ETag (RFC 9110 15.4.5)', 'none', transfer);
      const lengths = valuesOf(fields, 'content-length').join(', ');
      const isOwn = etag === ETAG && ['', '1000'].includes(lengths);
      if (isOwn) return pass();
      // RFC 9110 15.4.5 and 8.6: a 304 response has the ETag, and may have the length, that a 200 response would have.
      const whole = await session.send({ target: '/range/1000' });
      const expected = responseField(whole, 'etag') ?? 'none';
      if (etag !== expected) return fail(`ETag ${expected}, as with 200`, etag, transfer, whole);
      const length = String(whole.response?.content.length);
      return lengths === '' || lengths === length
        ? pass(etag)
        : fail(
            `no Content-Length, or ${length}, as with 200`,
            `Content-Length: ${lengths}`,
            transfer,
            whole,
          );
    },
  }),
  respondsWithoutContent({
    id: 'response/not-modified-length',
    section: 'RFC 9110 8.6',
    rule: '304 with the Content-Length that 200 would have ends with its header section, and the next response is not taken for its content.',
    risk: 'data-loss',
    needs: ['gateway', 'journal', 'http1-origin', 'raw'],
    message: {
      target: `${rawTarget(`HTTP/1.1 304 Not Modified\r\nETag: ${ETAG}\r\nContent-Length: 1000\r\n\r\n`)}&then=keep`,
      fields: [['If-None-Match', ETAG]],
    },
    judge: async (transfer, session) => {
      // A cache that requests the whole response did not ask for a 304.
      const [tag = ''] = tagsOf(transfer);
      const [entry] = await session.arrived(tag);
      if (valueOf(entry?.raw_headers ?? [], 'if-none-match') === undefined)
        return notApplicable('If-None-Match is not forwarded');
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 304) return fail('304', outcomeOf(transfer), transfer);
      const lengths = valuesOf(fields, 'content-length').join(', ');
      return ['', '1000'].includes(lengths)
        ? pass(lengths === '' ? 'without Content-Length' : `Content-Length: ${lengths}`)
        : fail('Content-Length: 1000, or none', `Content-Length: ${lengths}`, transfer);
    },
  }),
  responds({
    id: 'response/server',
    section: 'RFC 9110 10.2.4',
    rule: 'Whether Server of the origin is forwarded unchanged.',
    level: 'info',
    message: { target: '/response-headers?Server=check-origin' },
    judge: (transfer) => {
      const found = valuesOf(transfer.response?.fields ?? [], 'server').join(' | ');
      return found === 'check-origin' ? pass() : differs(found || 'removed', transfer);
    },
  }),
]);
