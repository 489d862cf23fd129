import { gzipSync } from 'node:zlib';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { listOf, outcomeOf, responseField, valuesOf, type Transfer } from '../message.ts';
import { rawTarget, receivedOf, type Received } from '../origin.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import {
  codedResponses,
  CODED_ETAG,
  contentOf,
  DIGEST,
  DIGESTS,
  ifCoded,
  judgeFailed,
  notCoded,
  ofType,
  shown,
  TYPES,
} from './coded-response.ts';
import {
  decoded,
  isKnown,
  judgeContent,
  originalEcho,
  WHOLE,
  withoutCoding,
} from './coded-content.ts';
import { rangeContent } from './range.ts';
import { answeredByTarget, received, withoutEcho } from './received.ts';
import { responds } from './response.ts';

const CODING = { section: 'RFC 9110 8.4', level: 'must', risk: 'interop' } as const;

/** Values of Accept-Encoding that allow no coding (RFC 9110 12.5.3). */
const UNCODED = ['identity;q=1, *;q=0', 'gzip;q=0, br;q=0, zstd;q=0, deflate;q=0'];

/** KiB of a part: of all of a representation, it is the first half. */
const PART = 2;

/** Asks for a part of content of a type that the target codes, and judges whether it is the part that it says. */
async function judgePart(session: Session, type: string): Promise<Verdict> {
  const length = PART * KiB;
  const range = `bytes 0-${length - 1}/${2 * length}`;
  const query = new URLSearchParams({
    status: '206',
    type,
    content: `alphabet:${PART}k`,
  });
  query.append('header', `Content-Range: ${range}`);
  query.append('header', `ETag: ${CODED_ETAG}`);
  const transfer = await session.send({
    target: session.unique(`/respond?${query.toString()}`),
    fields: [
      ['Accept-Encoding', 'gzip, br'],
      ['Range', `bytes=0-${length - 1}`],
    ],
  });
  const { status, content = Buffer.alloc(0) } = transfer.response ?? {};
  if (status !== 206) return differs(`${type}: ${outcomeOf(transfer)}`, transfer);
  const coding = responseField(transfer, 'content-encoding');
  const bytes = `${type}: 206 with ${responseField(transfer, 'content-range') ?? 'no Content-Range'}`;
  // A coded representation has other bytes at these positions, so the parts of a client would not fit (RFC 9110 14.4).
  if (coding !== undefined)
    return fail('the part without a coding', `${bytes}, content in ${coding}`, transfer);
  return content.equals(rangeContent(length))
    ? pass(type)
    : fail('the part of the origin', `${bytes}, ${content.length} bytes, or others`, transfer);
}

/** Judges whether the echo that the origin has coded with gzip arrives so, or decoded. */
function judgeKept(transfer: Transfer): Verdict {
  const { content = Buffer.alloc(0), fields = [] } = transfer.response ?? {};
  const coding = valuesOf(fields, 'content-encoding').join(', ');
  const inner = decoded(content, 'gzip');
  const isDecoded = coding === '';
  const plain = isDecoded ? content : inner;
  const original = plain && originalEcho(plain);
  if (plain && original && (isDecoded || coding === 'gzip')) {
    // RFC 9110 7.7: without no-transform an intermediary may transform content.
    const same = isDecoded ? differs('decoded', transfer) : pass();
    return judgeContent(plain, original, isDecoded ? 'decoded, ' : '', transfer) ?? same;
  }
  const isTwice = inner !== undefined && decoded(inner, 'gzip') !== undefined;
  return fail(
    'Content-Encoding: gzip and content in gzip',
    `Content-Encoding: ${coding || 'none'}, content ${inner ? '' : 'not '}in gzip${isTwice ? ', twice' : ''}`,
    transfer,
  );
}

const TEXT = 'content '.repeat(8);
const ETAG = '"check-gzip"';

/** The bytes of a response with gzip, as of an origin that codes content itself. */
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

/** Judges whether a request with content in gzip arrives so, or decoded. */
function judgeUpload({ fields, content }: Received, transfer: Transfer): Verdict {
  const coding = valuesOf(fields, 'content-encoding').join(', ');
  const plain = coding === '' ? content : decoded(content, coding);
  // RFC 9110 7.7: without no-transform an intermediary may transform content.
  if (plain?.toString() === TEXT)
    return coding === 'gzip' ? pass() : differs(coding || 'decoded', transfer);
  const isCoded = decoded(content, 'gzip') !== undefined;
  return fail(
    'Content-Encoding: gzip and content in gzip',
    `Content-Encoding: ${coding || 'none'}, content ${isCoded ? '' : 'not '}in gzip`,
    transfer,
  );
}

/** Content codings (RFC 9110 8.4 and 12.5.3). */
export const codingChecks = topic(CODING, [
  {
    id: 'coding/kept',
    rule: 'Encoded content is forwarded with its Content-Encoding, or decoded with Content-Encoding removed.',
    risk: 'data-loss',
    async run(session) {
      const transfer = await session.send({
        target: '/gzip',
        fields: [['Accept-Encoding', 'gzip']],
      });
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      return (await session.hasObserved('arrival'))
        ? judgeKept(transfer)
        : answeredByTarget({ transfer });
    },
  },
  received({
    id: 'coding/upload',
    rule: 'Encoded content of a request is forwarded with its Content-Encoding, or decoded without it.',
    risk: 'data-loss',
    request: {
      method: 'POST',
      content: gzipSync(TEXT),
      fields: [
        ['Content-Type', 'text/plain'],
        ['Content-Encoding', 'gzip'],
      ],
    },
    mayRefuse: true,
    judge: (arrived, { transfer }) => judgeUpload(arrived, transfer),
  }),
  ifCoded({
    id: 'coding/not-asked',
    section: 'RFC 9110 12.5.3',
    rule: 'Content is not encoded for a client that accepts only identity, or excludes codings with q=0.',
    level: 'should',
    judge: async ({ type }, session) => {
      for (const accepted of UNCODED) {
        const transfer = await session.send(ofType(session, type, undefined, accepted));
        const coding = responseField(transfer, 'content-encoding');
        if (coding !== undefined)
          return fail('no coding', `${type}: ${coding} for Accept-Encoding: ${accepted}`, transfer);
      }
      return undefined;
    },
  }),
  ifCoded({
    id: 'coding/added',
    section: 'RFC 9110 8.8.3.3',
    rule: 'Content encoded by the intermediary does not keep the strong ETag of the unencoded content.',
    risk: 'data-loss',
    judge: ({ type, response, transfer }) =>
      valuesOf(response.fields, 'etag').includes(CODED_ETAG)
        ? fail('another ETag', `${type}: the strong ETag of the uncoded content`, transfer)
        : undefined,
  }),
  ifCoded({
    id: 'coding/digest',
    section: 'RFC 9530 2',
    rule: 'Content encoded by the intermediary does not keep Content-Digest or Repr-Digest of the unencoded content.',
    level: 'quality',
    judge: ({ type, response: { fields }, transfer }) => {
      const kept = DIGESTS.filter((name) => valuesOf(fields, name).includes(DIGEST));
      return kept.length === 0
        ? undefined
        : fail('no digest, or another', `${type}: ${kept.join(', ')} of uncoded content`, transfer);
    },
  }),
  {
    id: 'coding/partial',
    section: 'RFC 9110 15.3.7',
    rule: 'A part (206) of a type of content that the intermediary encodes is not encoded: its Content-Range counts bytes that are not.',
    risk: 'data-loss',
    async run(session) {
      const { coded, failed } = await codedResponses(session);
      const [first] = coded;
      return first ? judgePart(session, first.type) : notCoded(failed);
    },
  },
  ifCoded({
    id: 'coding/vary',
    section: 'RFC 9110 12.5.5',
    rule: 'A response encoded by the intermediary has Vary: Accept-Encoding.',
    level: 'should',
    risk: 'data-loss',
    judge: ({ type, response: { fields }, transfer }) => {
      const varies = listOf(fields, 'vary');
      return varies.includes('accept-encoding') || varies.includes('*')
        ? undefined
        : fail('Vary: Accept-Encoding', `${type}: no such Vary`, transfer);
    },
  }),
  ifCoded({
    id: 'coding/intact',
    rule: 'Content encoded by the intermediary is the content of the origin once it is decoded.',
    risk: 'data-loss',
    judge: ({ type, coding, response: { content }, transfer, original }) => {
      if (!isKnown(coding)) return undefined;
      const inner = decoded(content, coding);
      return inner
        ? judgeContent(inner, original, `${type}: `, transfer)
        : fail(WHOLE, `${type}: no ${coding}`, transfer);
    },
    ifFailed: judgeFailed,
  }),
  {
    id: 'coding/no-transform',
    section: 'RFC 9110 7.7',
    rule: 'The content of a response with Cache-Control: no-transform is not encoded, and not changed.',
    risk: 'data-loss',
    async run(session) {
      for (const type of TYPES) {
        // no-transform is often sent among other directives.
        const message = ofType(session, type, 'public, no-transform');
        const transfer = await session.send(message);
        if (!transfer.response) break;
        if (transfer.response.status !== 200 || !(await session.hasObserved('arrival'))) continue;
        const coding = responseField(transfer, 'content-encoding');
        if (coding !== undefined) return fail('no coding', `${type}: ${coding}`, transfer);
        const { content } = transfer.response;
        const original = contentOf(message);
        if (!content.equals(original))
          return fail(
            WHOLE,
            `${type}: ${content.length} bytes of ${original.length}, or others`,
            transfer,
          );
      }
      const { coded, failed } = await codedResponses(session);
      return coded.length > 0 ? pass(shown(coded)) : notCoded(failed);
    },
  },
  {
    id: 'coding/accept-encoding',
    section: 'RFC 9110 12.5.3',
    rule: 'Which Accept-Encoding the origin receives.',
    level: 'info',
    async run(session) {
      const echo = await session.echo({ fields: [['Accept-Encoding', 'gzip, br;q=0.5']] });
      const arrived = receivedOf(withoutCoding(echo.transfer), echo.tag);
      if (!arrived) return notApplicable(withoutEcho(echo));
      const value = valuesOf(arrived.fields, 'accept-encoding').join(', ');
      return value === 'gzip, br;q=0.5' ? pass() : differs(value || 'removed', echo.transfer);
    },
  },
  {
    id: 'coding/accept-encoding-added',
    section: 'RFC 9110 12.5.3',
    rule: 'Whether the origin receives Accept-Encoding from a client that sends none.',
    level: 'info',
    async run(session) {
      const echo = await session.echo();
      if (!echo.received) return notApplicable(withoutEcho(echo));
      const values = valuesOf(echo.received.fields, 'accept-encoding');
      return values.length === 0 ? pass() : differs(values.join(', '), echo.transfer);
    },
  },
  responds({
    id: 'coding/decoded',
    remedy: {
      advice: 'Let the proxy ask the origin only for codings that the client accepts.',
      directives: { caddy: [['reverse_proxy', 'transport http {', '  compression off', '}']] },
    },
    section: 'RFC 9110 8.8.3.3',
    rule: 'Content decoded by the intermediary does not keep the strong ETag of the encoded content.',
    risk: 'data-loss',
    needs: ['raw', 'http1-origin'],
    message: { target: rawTarget(encodedResponse()) },
    judge: (transfer) => {
      const { content, fields = [] } = transfer.response ?? {};
      if (content?.toString() !== TEXT) return notApplicable('the target does not decode content');
      return valuesOf(fields, 'etag').includes(ETAG)
        ? fail('another ETag, or none', `the strong ETag of the encoded content`, transfer)
        : pass('decoded');
    },
  }),
]);
