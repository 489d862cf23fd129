import { differs, expectSame, fail, pass, type Check, type Rule, type Verdict } from '../check.ts';
import {
  listOf,
  responseField,
  valueOf,
  valuesOf,
  type RequestMessage,
  type Transfer,
} from '../message.ts';
import { rawTarget } from '../origin.ts';
import { counted } from '../words.ts';
import { KiB } from './bounds.ts';

const RESPONSE = { section: 'RFC 9110 15', level: 'must', risk: 'interop' } as const;

/** A check of the response to one ordinary request. */
export function responds(
  rule: Rule,
  message: RequestMessage,
  judge: (transfer: Transfer) => Verdict,
): Check {
  return {
    ...rule,
    observes: 'arrival',
    async run(session) {
      const transfer = await session.send(message);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      return judge(transfer);
    },
  };
}

/**
 * A check of a response that has no content, whatever its fields say. On HTTP/1.1 a client takes content for the next
 * response (RFC 9112 6.3), which a second request shows.
 */
export function respondsWithoutContent(
  rule: Rule,
  message: RequestMessage,
  judge: (transfer: Transfer) => Verdict,
): Check {
  return {
    ...rule,
    observes: 'arrival',
    async run(session) {
      const client = await session.open();
      const target = session.unique(message.target);
      const transfer = await session.sendOn(client, { ...message, target });
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      const verdict = judge(transfer);
      if (verdict.outcome === 'fail') return verdict;
      const { length } = transfer.response.content;
      if (length > 0) return fail('no content', counted(length, 'byte'), transfer);
      if (session.front === 'http/1.1') {
        const { transfer: next } = await session.echoOn(client);
        if (next.ending === 'malformed')
          return fail('no content', 'bytes after the response', transfer, next);
      }
      return verdict;
    },
  };
}

/** A check that a status comes back as the origin sent it. */
function statusReturns(status: number, level: Check['level'], rule: string): Check {
  return responds(
    { ...RESPONSE, id: `response/status-${status}`, rule, level },
    { target: `/status/${status}` },
    (transfer) => expectSame(String(status), String(transfer.response?.status), transfer),
  );
}

/** Statuses and fields of responses (RFC 9110 8, 10, 13, 14 and 15). */
export const responseChecks: readonly Check[] = [
  statusReturns(201, 'must', '201 is forwarded.'),
  statusReturns(204, 'must', '204 is forwarded.'),
  statusReturns(299, 'quality', 'An unregistered success status is forwarded.'),
  statusReturns(302, 'must', 'A redirect is forwarded, not followed.'),
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
  respondsWithoutContent(
    {
      ...RESPONSE,
      id: 'response/204-without-content',
      section: 'RFC 9110 15.3.5',
      rule: '204 has no content and no Content-Length.',
    },
    { target: '/status/204' },
    (transfer) => {
      const length = responseField(transfer, 'content-length');
      return length === undefined
        ? pass()
        : fail('no Content-Length (RFC 9110 8.6)', length, transfer);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/fields',
      section: 'RFC 9110 5.1',
      rule: 'An unknown response field is forwarded.',
    },
    { target: '/response-headers?X-Check-Response=a%20b&X_Check_Under=c' },
    (transfer) =>
      expectSame(
        'a b',
        valuesOf(transfer.response?.fields ?? [], 'x-check-response').join(),
        transfer,
      ),
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/repeated',
      section: 'RFC 9110 5.3',
      rule: 'Repeated response field lines keep their order.',
    },
    { target: '/response-headers?X-Check-Repeated=a&X-Check-Repeated=b' },
    (transfer) =>
      expectSame(
        'a, b',
        listOf(transfer.response?.fields ?? [], 'x-check-repeated').join(', '),
        transfer,
      ),
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/long-field',
      section: 'RFC 9110 5.4',
      rule: 'A response field of 7 KiB is forwarded.',
      level: 'quality',
    },
    { target: `/response-headers?X-Check-Long=${'x'.repeat(7 * KiB)}` },
    (transfer) => {
      const length = responseField(transfer, 'x-check-long')?.length;
      return length === 7 * KiB
        ? pass()
        : differs(`${transfer.response?.status} without the field`, transfer);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/date',
      section: 'RFC 9110 6.6.1',
      rule: 'A forwarded response has exactly one Date.',
    },
    { target: '/response-headers?Date=Tue,%2015%20Nov%201994%2008:12:31%20GMT' },
    (transfer) => {
      const dates = valuesOf(transfer.response?.fields ?? [], 'date');
      return dates.length === 1
        ? pass(dates.join())
        : fail('one Date', dates.join(' | ') || 'none', transfer);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/date-added',
      section: 'RFC 9110 6.6.1',
      rule: 'A response that comes without Date is forwarded with Date.',
      needs: ['gateway', 'http1-origin', 'raw'],
    },
    { target: rawTarget('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') },
    (transfer) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 200) return differs(String(status), transfer);
      const date = valueOf(fields, 'date');
      return date === undefined ? fail('Date', 'no Date', transfer) : pass(date);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/etag',
      section: 'RFC 9110 8.8.3',
      rule: 'The strong ETag of unmodified content is kept.',
      level: 'quality',
    },
    { target: '/range/1000' },
    (transfer) => {
      const etag = responseField(transfer, 'etag');
      return etag === '"range-1000"' ? pass(etag) : differs(etag ?? 'no ETag', transfer);
    },
  ),
  respondsWithoutContent(
    {
      ...RESPONSE,
      id: 'response/not-modified',
      section: 'RFC 9110 13.1.2',
      rule: 'If-None-Match is forwarded, and the 304 response has the ETag.',
    },
    { target: '/range/1000', fields: [['If-None-Match', '"range-1000"']] },
    (transfer) => {
      const { status, fields = [] } = transfer.response ?? {};
      if (status !== 304) return fail('304', String(status), transfer);
      return valueOf(fields, 'etag') === undefined
        ? fail('ETag (RFC 9110 15.4.5)', 'none', transfer)
        : pass();
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/server',
      section: 'RFC 9110 10.2.4',
      rule: 'Whether Server of the origin is forwarded unchanged.',
      level: 'info',
    },
    { target: '/response-headers?Server=check-origin' },
    (transfer) => {
      const server = responseField(transfer, 'server');
      return server === 'check-origin' ? pass() : differs(server ?? 'removed', transfer);
    },
  ),
];
