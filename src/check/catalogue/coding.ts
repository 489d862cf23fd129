import { gzipSync } from 'node:zlib';
import { differs, fail, pass, type Check, type Verdict } from '../check.ts';
import {
  listOf,
  responseField,
  valueOf,
  valuesOf,
  type RequestMessage,
  type ResponseMessage,
  type Transfer,
} from '../message.ts';
import { rawTarget } from '../origin.ts';
import { responds } from './response.ts';

const CODING = { section: 'RFC 9110 8.4', level: 'must', risk: 'interop' } as const;

/** Content that is large enough to be coded, for a client that accepts that. */
const LARGE: RequestMessage = {
  target: '/range/100000',
  fields: [['Accept-Encoding', 'gzip, br']],
};

const TEXT = 'content '.repeat(8);
const ETAG = '"check-gzip"';

/** A response of an origin that codes content for a client that accepts everything. */
function encodedResponse(): Buffer {
  const content = gzipSync(TEXT);
  const head = [
    'HTTP/1.1 200 OK',
    `ETag: ${ETAG}`,
    'Content-Encoding: gzip',
    'Content-Type: text/plain',
    `Content-Length: ${content.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content]);
}

/** Judges a response that the intermediary has encoded; others pass. */
function ifCoded(judge: (response: ResponseMessage, transfer: Transfer) => Verdict) {
  return (transfer: Transfer): Verdict => {
    const { response } = transfer;
    const isCoded = response && valueOf(response.fields, 'content-encoding') !== undefined;
    return isCoded ? judge(response, transfer) : pass('not coded');
  };
}

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
      const coding = responseField(transfer, 'content-encoding');
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
    ifCoded(({ fields }, transfer) =>
      valueOf(fields, 'etag') === '"range-100000"'
        ? fail('another ETag', 'the strong ETag of the uncoded content', transfer)
        : pass(valueOf(fields, 'content-encoding')),
    ),
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
    ifCoded(({ fields }, transfer) =>
      listOf(fields, 'vary').includes('accept-encoding')
        ? pass(valueOf(fields, 'content-encoding'))
        : fail('Vary: Accept-Encoding', 'no such Vary', transfer),
    ),
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
      const coding = responseField(transfer, 'content-encoding');
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
  {
    ...CODING,
    id: 'coding/accept-encoding-added',
    section: 'RFC 9110 12.5.3',
    rule: 'Whether the origin receives Accept-Encoding from a client that sends none.',
    level: 'info',
    async run(session) {
      const echo = await session.echo();
      const values = valuesOf(echo.received?.fields ?? [], 'accept-encoding');
      return values.length === 0 ? pass() : differs(values.join(', '), echo.transfer);
    },
  },
  responds(
    {
      ...CODING,
      id: 'coding/decoded',
      section: 'RFC 9110 8.8.3.3',
      rule: 'Content decoded by the intermediary does not keep the strong ETag of the encoded content.',
      risk: 'data-loss',
      needs: ['raw', 'http1-origin'],
    },
    { target: rawTarget(encodedResponse()) },
    (transfer) => {
      const { content, fields = [] } = transfer.response ?? {};
      if (content?.toString() !== TEXT) return pass('not decoded');
      return valueOf(fields, 'etag') === ETAG
        ? fail('another ETag, or none', `the strong ETag of the encoded content`, transfer)
        : pass('decoded');
    },
  ),
];
