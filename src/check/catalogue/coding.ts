import { gzipSync } from 'node:zlib';
import { prettyJson } from '../../server/reply.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import {
  listOf,
  outcomeOf,
  responseField,
  valuesOf,
  type RequestMessage,
  type ResponseMessage,
  type Transfer,
} from '../message.ts';
import { isAnswered, rawTarget, receivedOf, type Received } from '../origin.ts';
import type { Session } from '../session.ts';
import {
  decoded,
  isKnown,
  judgeContent,
  originalEcho,
  WHOLE,
  withoutCoding,
} from './coded-content.ts';
import { answeredByTarget, received, withoutEcho } from './received.ts';
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

/**
 * Characters of content: more than the minimum size for compression of common intermediaries, and small enough to be
 * sent in a header section, too (nginx allows 4 KiB).
 */
const FILL = 1500;
const CODED_ETAG = '"check-coding"';

/** A request for a response with the Content-Type, by a client that accepts coded content. */
function ofType(
  session: Session,
  type: string,
  control?: string,
  accepted = 'gzip, br',
): RequestMessage {
  const fields = new URLSearchParams({
    'Content-Type': type,
    ETag: CODED_ETAG,
    ...(control !== undefined && { 'Cache-Control': control }),
    'X-Fill': 'x'.repeat(FILL),
  });
  return {
    target: session.unique(`/response-headers?${fields.toString()}`),
    fields: [['Accept-Encoding', accepted]],
  };
}

/** The content that the origin sends for a target of `ofType()`. */
function contentOf({ target }: RequestMessage): Buffer {
  const { searchParams } = new URL(target, 'http://origin');
  return Buffer.from(prettyJson(Object.fromEntries(searchParams)));
}

/** A response that the intermediary has coded. */
interface Coded {
  readonly type: string;
  readonly coding: string;
  readonly response: ResponseMessage;
  readonly transfer: Transfer;
  /** The content as the origin sent it. */
  readonly original: Buffer;
}

/** A response without a status of success. */
interface Failed {
  readonly message: RequestMessage;
  readonly transfer: Transfer;
}

interface Responses {
  readonly coded: readonly Coded[];
  readonly failed: readonly Failed[];
}

/** The responses that the intermediary codes, one for each type of content. */
async function codedResponses(session: Session): Promise<Responses> {
  const coded: Coded[] = [];
  const failed: Failed[] = [];
  for (const type of TYPES) {
    const message = ofType(session, type);
    const transfer = await session.send(message);
    const { response } = transfer;
    const coding = responseField(transfer, 'content-encoding');
    if (response?.status !== 200) failed.push({ message, transfer });
    else if (coding !== undefined)
      coded.push({ type, coding, response, transfer, original: contentOf(message) });
    // If the target does not respond, stop: each further type would take the whole time limit.
    if (!response) break;
  }
  return { coded, failed };
}

/**
 * A check of each response that the intermediary has coded.
 *
 * @param judge returns undefined if the response passes
 * @param ifFailed judges a response without a status of success
 */
function ifCoded({
  judge,
  ifFailed,
  ...rule
}: FamilyRule & {
  readonly judge: (
    coded: Coded,
    session: Session,
  ) => Verdict | undefined | Promise<Verdict | undefined>;
  readonly ifFailed?: (failed: Failed, session: Session) => Promise<Verdict | undefined>;
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const { coded: all, failed } = await codedResponses(session);
      let difference: Verdict | undefined;
      for (const coded of all) {
        const verdict = await judge(coded, session);
        if (verdict?.outcome === 'fail') return verdict;
        difference ??= verdict;
      }
      if (difference) return difference;
      const [first] = failed;
      const verdict = first && (await ifFailed?.(first, session));
      if (verdict) return verdict;
      return all.length > 0 ? pass(shown(all)) : notCoded(failed);
    },
  };
}

const shown = (all: readonly Coded[]): string =>
  all.map(({ type, coding }) => `${type}: ${coding}`).join(', ');

const notCodedReason = (words = ''): string =>
  `the target does not code content${words}, tried: ${TYPES.join(', ')}`;

/** The reason of a check where all responses have come, and none was coded. */
export const NOT_CODED = notCodedReason();

const notCoded = ([failed]: readonly Failed[]): Verdict =>
  notApplicable(
    failed ? notCodedReason(`, which responds with ${outcomeOf(failed.transfer)}`) : NOT_CODED,
  );

/** Judges a response without a status of success: the same request without Accept-Encoding may succeed. */
async function judgeFailed(
  { message, transfer }: Failed,
  session: Session,
): Promise<Verdict | undefined> {
  const plain = await session.send({ target: message.target });
  if (plain.response?.status !== 200 || !isAnswered(plain)) return undefined;
  const expected = '200, as without Accept-Encoding';
  return fail(expected, outcomeOf(transfer), plain, transfer);
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
    rule: 'Content is not encoded for a client that accepts only identity.',
    level: 'should',
    judge: async ({ type }, session) => {
      const transfer = await session.send(ofType(session, type, undefined, 'identity;q=1, *;q=0'));
      const coding = responseField(transfer, 'content-encoding');
      return coding === undefined ? undefined : fail('no coding', `${type}: ${coding}`, transfer);
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
