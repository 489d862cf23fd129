import { differs, expectSame, fail, pass, type Check, type Rule, type Verdict } from '../check.ts';
import { listOf, valueOf, valuesOf, type RequestMessage, type Transfer } from '../message.ts';
import { KiB } from './bounds.ts';

const RESPONSE = { section: 'RFC 9110 15', level: 'must', risk: 'interop' } as const;

/** A check of the response to one ordinary request. */
function responds(
  rule: Rule,
  message: RequestMessage,
  judge: (transfer: Transfer) => Verdict,
): Check {
  return {
    ...rule,
    async run(session) {
      const transfer = await session.send(message);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      return judge(transfer);
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
  responds(
    {
      ...RESPONSE,
      id: 'response/204-without-content',
      section: 'RFC 9110 15.3.5',
      rule: '204 has no content and no Content-Length.',
    },
    { target: '/status/204' },
    (transfer) => {
      const { content, fields } = transfer.response ?? { content: '', fields: [] };
      const length = valueOf(fields, 'content-length');
      if (content.length > 0) return fail('no content', `${content.length} bytes`, transfer);
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
      const length = valueOf(transfer.response?.fields ?? [], 'x-check-long')?.length;
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
      id: 'response/etag',
      section: 'RFC 9110 8.8.3',
      rule: 'The strong ETag of unmodified content is kept.',
      level: 'quality',
    },
    { target: '/range/1000' },
    (transfer) => {
      const etag = valueOf(transfer.response?.fields ?? [], 'etag');
      return etag === '"range-1000"' ? pass(etag) : differs(etag ?? 'no ETag', transfer);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/range',
      section: 'RFC 9110 14',
      rule: 'A range request is forwarded, or answered correctly by the intermediary.',
    },
    { target: '/range/1000', fields: [['Range', 'bytes=100-199']] },
    (transfer) => {
      const { status, content, fields } = transfer.response ?? {
        status: 0,
        content: Buffer.alloc(0),
        fields: [],
      };
      if (status === 200 && content.length === 1000)
        return differs('200 with all of the content', transfer);
      const range = valueOf(fields, 'content-range');
      const isRight = status === 206 && range === 'bytes 100-199/1000' && content.length === 100;
      return isRight
        ? pass()
        : fail(
            '206 with bytes 100-199/1000',
            `${status} ${range ?? ''}, ${content.length} bytes`,
            transfer,
          );
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/ranges',
      section: 'RFC 9110 14.6',
      rule: 'A response with several ranges (multipart/byteranges) is forwarded.',
      level: 'quality',
    },
    { target: '/range/1000', fields: [['Range', 'bytes=0-9,100-109']] },
    (transfer) => {
      const type = valueOf(transfer.response?.fields ?? [], 'content-type') ?? '';
      return type.startsWith('multipart/byteranges')
        ? pass()
        : differs(`${transfer.response?.status} ${type}`, transfer);
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/not-modified',
      section: 'RFC 9110 13.1.2',
      rule: 'If-None-Match is forwarded, and the 304 response has the ETag.',
    },
    { target: '/range/1000', fields: [['If-None-Match', '"range-1000"']] },
    (transfer) => {
      const { status, fields = [], content } = transfer.response ?? {};
      if (status !== 304) return fail('304', String(status), transfer);
      if (content && content.length > 0)
        return fail('no content', `${content.length} bytes`, transfer);
      return valueOf(fields, 'etag') === undefined
        ? fail('ETag (RFC 9110 15.4.5)', 'none', transfer)
        : pass();
    },
  ),
  responds(
    {
      ...RESPONSE,
      id: 'response/if-range',
      section: 'RFC 9110 13.1.5',
      rule: 'If-Range with a different ETag returns the whole representation.',
      risk: 'data-loss',
    },
    {
      target: '/range/1000',
      fields: [
        ['Range', 'bytes=0-9'],
        ['If-Range', '"other"'],
      ],
    },
    (transfer) => {
      const { status, content } = transfer.response ?? {};
      return expectSame('200, 1000 bytes', `${status}, ${content?.length} bytes`, transfer);
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
      const server = valueOf(transfer.response?.fields ?? [], 'server');
      return server === 'check-origin' ? pass() : differs(server ?? 'removed', transfer);
    },
  ),
];

const CODING = { section: 'RFC 9110 8.4', level: 'must', risk: 'interop' } as const;

/** Content that is large enough to be coded, for a client that accepts that. */
const LARGE: RequestMessage = {
  target: '/range/100000',
  fields: [['Accept-Encoding', 'gzip, br']],
};

/** Content codings (RFC 9110 8.4 and 12.5.3). */
export const codingChecks: readonly Check[] = [
  responds(
    {
      ...CODING,
      id: 'coding/kept',
      rule: 'Encoded content is forwarded with its Content-Encoding, or decoded with Content-Encoding removed.',
      risk: 'data-loss',
    },
    { target: '/gzip', fields: [['Accept-Encoding', 'gzip']] },
    (transfer) => {
      const { content, fields = [] } = transfer.response ?? {};
      const coding = valueOf(fields, 'content-encoding');
      const isGzip = content?.[0] === 0x1f && content[1] === 0x8b;
      if (coding === 'gzip' && isGzip) return pass();
      // RFC 9110 7.7: without no-transform an intermediary may transform content.
      if (coding === undefined && !isGzip) return differs('decoded', transfer);
      return fail(
        'Content-Encoding: gzip and content in gzip',
        `Content-Encoding: ${coding ?? 'none'}, content ${isGzip ? '' : 'not '}in gzip`,
        transfer,
      );
    },
  ),
  responds(
    {
      ...CODING,
      id: 'coding/not-asked',
      section: 'RFC 9110 12.5.3',
      rule: 'Content is not encoded for a client that accepts only identity.',
      level: 'should',
    },
    { target: '/html', fields: [['Accept-Encoding', 'identity;q=1, *;q=0']] },
    (transfer) => {
      const coding = valueOf(transfer.response?.fields ?? [], 'content-encoding');
      return coding === undefined ? pass() : fail('no coding', coding, transfer);
    },
  ),
  responds(
    {
      ...CODING,
      id: 'coding/added',
      section: 'RFC 9110 8.8.3.3',
      rule: 'Content encoded by the intermediary does not keep the strong ETag of the unencoded content.',
      risk: 'data-loss',
    },
    LARGE,
    (transfer) => {
      const { fields = [] } = transfer.response ?? {};
      const coding = valueOf(fields, 'content-encoding');
      if (coding === undefined) return pass('not coded');
      return valueOf(fields, 'etag') === '"range-100000"'
        ? fail('another ETag', 'the strong ETag of the uncoded content', transfer)
        : pass(coding);
    },
  ),
  responds(
    {
      ...CODING,
      id: 'coding/vary',
      section: 'RFC 9110 12.5.5',
      rule: 'A response encoded by the intermediary has Vary: Accept-Encoding.',
      level: 'should',
      risk: 'data-loss',
    },
    LARGE,
    (transfer) => {
      const { fields = [] } = transfer.response ?? {};
      const coding = valueOf(fields, 'content-encoding');
      if (coding === undefined) return pass('not coded');
      return listOf(fields, 'vary').includes('accept-encoding')
        ? pass(coding)
        : fail('Vary: Accept-Encoding', 'no such Vary', transfer);
    },
  ),
  responds(
    {
      ...CODING,
      id: 'coding/no-transform',
      section: 'RFC 9110 7.7',
      rule: 'A response with Cache-Control: no-transform is not encoded.',
      risk: 'data-loss',
    },
    {
      target: '/response-headers?Cache-Control=no-transform&X-Fill='.concat('x'.repeat(2000)),
      fields: [['Accept-Encoding', 'gzip, br']],
    },
    (transfer) => {
      const coding = valueOf(transfer.response?.fields ?? [], 'content-encoding');
      return coding === undefined ? pass() : fail('no coding', coding, transfer);
    },
  ),
  {
    ...CODING,
    id: 'coding/accept-encoding',
    section: 'RFC 9110 12.5.3',
    rule: 'Which Accept-Encoding the origin receives.',
    level: 'info',
    async run(session) {
      const echo = await session.echo({ fields: [['Accept-Encoding', 'gzip, br;q=0.5']] });
      const value = valuesOf(echo.received?.fields ?? [], 'accept-encoding').join(', ');
      return value === 'gzip, br;q=0.5' ? pass() : differs(value || 'removed', echo.transfer);
    },
  },
];
