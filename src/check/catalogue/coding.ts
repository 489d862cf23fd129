import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import {
  differs,
  fail,
  notApplicable,
  pass,
  type Check,
  type FamilyRule,
  type Verdict,
} from '../check.ts';
import {
  listOf,
  responseField,
  valueOf,
  valuesOf,
  type RequestMessage,
  type ResponseMessage,
  type Transfer,
} from '../message.ts';
import { parseObject, rawTarget } from '../origin.ts';
import type { Session } from '../session.ts';
import { responds } from './response.ts';

const CODING = { section: 'RFC 9110 8.4', level: 'must', risk: 'interop' } as const;

/** Types of content that intermediaries code, some of them only one. */
const TYPES = [
  'application/json',
  'text/html',
  'text/plain',
  'text/css',
  'text/javascript',
  'application/xml',
  'image/svg+xml',
  'application/octet-stream',
];

/** Characters of content, more than what intermediaries do not code because it is too short. */
const FILL = 4000;
const CODED_ETAG = '"check-coding"';

/** A response of a type, for a client that accepts coded content. */
function ofType(type: string, control?: string, accepted = 'gzip, br'): RequestMessage {
  const fields = new URLSearchParams({
    'Content-Type': type,
    ETag: CODED_ETAG,
    ...(control !== undefined && { 'Cache-Control': control }),
    'X-Fill': 'x'.repeat(FILL),
  });
  return {
    target: `/response-headers?${fields.toString()}`,
    fields: [['Accept-Encoding', accepted]],
  };
}

interface Coded {
  readonly type: string;
  readonly coding: string;
  readonly response: ResponseMessage;
  readonly transfer: Transfer;
}

/** The types of content that the intermediary codes, with the responses. */
async function codedResponses(session: Session): Promise<readonly Coded[]> {
  const found: Coded[] = [];
  for (const type of TYPES) {
    const transfer = await session.send(ofType(type));
    const { response } = transfer;
    const coding = responseField(transfer, 'content-encoding');
    if (response && coding !== undefined) found.push({ type, coding, response, transfer });
  }
  return found;
}

/** A check of each response that the intermediary has coded. @param judge undefined passes */
function ifCoded(
  rule: FamilyRule,
  judge: (coded: Coded, session: Session) => Verdict | undefined | Promise<Verdict | undefined>,
): Check {
  return {
    ...CODING,
    ...rule,
    observes: 'arrival',
    async run(session) {
      const all = await codedResponses(session);
      for (const coded of all) {
        const verdict = await judge(coded, session);
        if (verdict) return verdict;
      }
      const [first] = all;
      return first
        ? pass(all.map(({ type, coding }) => `${type}: ${coding}`).join(', '))
        : notApplicable(`the target does not code content, tried: ${TYPES.join(', ')}`);
    },
  };
}

/** The content without its coding; undefined if it is not in that coding. */
function decoded(content: Buffer, coding: string): Buffer | undefined {
  try {
    if (coding === 'gzip') return gunzipSync(content);
    return coding === 'br' ? brotliDecompressSync(content) : undefined;
  } catch {
    return undefined;
  }
}

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
      const { content = Buffer.alloc(0), fields = [] } = transfer.response ?? {};
      const coding = valuesOf(fields, 'content-encoding').join(', ');
      const inner = decoded(content, 'gzip');
      if (coding === 'gzip' && inner && parseObject(inner.toString())) return pass();
      // RFC 9110 7.7: without no-transform an intermediary may transform content.
      if (coding === '' && parseObject(content.toString())) return differs('decoded', transfer);
      const isTwice = inner !== undefined && decoded(inner, 'gzip') !== undefined;
      return fail(
        'Content-Encoding: gzip and content in gzip',
        `Content-Encoding: ${coding || 'none'}, content ${inner ? '' : 'not '}in gzip${isTwice ? ', twice' : ''}`,
        transfer,
      );
    },
  ),
  ifCoded(
    {
      id: 'coding/not-asked',
      section: 'RFC 9110 12.5.3',
      rule: 'Content is not encoded for a client that accepts only identity.',
      level: 'should',
    },
    async ({ type }, session) => {
      const transfer = await session.send(ofType(type, undefined, 'identity;q=1, *;q=0'));
      const coding = responseField(transfer, 'content-encoding');
      return coding === undefined ? undefined : fail('no coding', `${type}: ${coding}`, transfer);
    },
  ),
  ifCoded(
    {
      id: 'coding/added',
      section: 'RFC 9110 8.8.3.3',
      rule: 'Content encoded by the intermediary does not keep the strong ETag of the unencoded content.',
      risk: 'data-loss',
    },
    ({ type, response, transfer }) =>
      valueOf(response.fields, 'etag') === CODED_ETAG
        ? fail('another ETag', `${type}: the strong ETag of the uncoded content`, transfer)
        : undefined,
  ),
  ifCoded(
    {
      id: 'coding/vary',
      section: 'RFC 9110 12.5.5',
      rule: 'A response encoded by the intermediary has Vary: Accept-Encoding.',
      level: 'should',
      risk: 'data-loss',
    },
    ({ type, response: { fields }, transfer }) => {
      const varies = listOf(fields, 'vary');
      return varies.includes('accept-encoding') || varies.includes('*')
        ? undefined
        : fail('Vary: Accept-Encoding', `${type}: no such Vary`, transfer);
    },
  ),
  ifCoded(
    {
      id: 'coding/intact',
      rule: 'Content encoded by the intermediary is the content of the origin once it is decoded.',
      risk: 'data-loss',
    },
    ({ type, coding, response: { content }, transfer }) => {
      const inner = decoded(content, coding);
      const fill = parseObject(inner?.toString() ?? '')?.['X-Fill'];
      return fill === 'x'.repeat(FILL)
        ? undefined
        : fail(
            'the content of the origin',
            `${type}: ${inner ? 'other content' : `no ${coding}`}`,
            transfer,
          );
    },
  ),
  ifCoded(
    {
      id: 'coding/no-transform',
      section: 'RFC 9110 7.7',
      rule: 'A response with Cache-Control: no-transform is not encoded.',
      risk: 'data-loss',
    },
    async ({ type }, session) => {
      const transfer = await session.send(ofType(type, 'no-transform'));
      const coding = responseField(transfer, 'content-encoding');
      return coding === undefined ? undefined : fail('no coding', `${type}: ${coding}`, transfer);
    },
  ),
  {
    ...CODING,
    id: 'coding/accept-encoding',
    section: 'RFC 9110 12.5.3',
    rule: 'Which Accept-Encoding the origin receives.',
    level: 'info',
    observes: 'arrival',
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
    observes: 'arrival',
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
      if (content?.toString() !== TEXT) return notApplicable('the target does not decode content');
      return valueOf(fields, 'etag') === ETAG
        ? fail('another ETag, or none', `the strong ETag of the encoded content`, transfer)
        : pass('decoded');
    },
  ),
];
