import { prettyJson } from '../../server/reply.ts';
import type { FamilyRule, TopicCheck } from '../check.ts';
import { fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import {
  outcomeOf,
  responseField,
  type RequestMessage,
  type ResponseMessage,
  type Transfer,
} from '../message.ts';
import { isAnswered } from '../origin.ts';
import type { Session } from '../session.ts';

/** Types of content that intermediaries code, some of them only one. */
export const TYPES = [
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
export const CODED_ETAG = '"check-coding"';
/** A digest of the content as the origin sends it, which cannot be that of coded content. */
export const DIGEST = 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:';
export const DIGESTS = ['Content-Digest', 'Repr-Digest'] as const;

/** A request for a response with the Content-Type, by a client that accepts coded content. */
export function ofType(
  session: Session,
  type: string,
  control?: string,
  accepted = 'gzip, br',
): RequestMessage {
  const fields = new URLSearchParams({
    'Content-Type': type,
    ETag: CODED_ETAG,
    ...Object.fromEntries(DIGESTS.map((name) => [name, DIGEST])),
    ...(control !== undefined && { 'Cache-Control': control }),
    'X-Fill': 'x'.repeat(FILL),
  });
  return {
    target: session.unique(`/response-headers?${fields.toString()}`),
    fields: [['Accept-Encoding', accepted]],
  };
}

/** The content that the origin sends for a target of `ofType()`. */
export function contentOf({ target }: RequestMessage): Buffer {
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
export async function codedResponses(session: Session): Promise<Responses> {
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
export function ifCoded({
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

export const shown = (all: readonly Coded[]): string =>
  all.map(({ type, coding }) => `${type}: ${coding}`).join(', ');

const notCodedReason = (words = ''): string =>
  `the target does not code content${words}, tried: ${TYPES.join(', ')}`;

/** The reason of a check where all responses have come, and none was coded. */
export const NOT_CODED = notCodedReason();

export const notCoded = ([failed]: readonly Failed[]): Verdict =>
  notApplicable(
    failed ? notCodedReason(`, which responds with ${outcomeOf(failed.transfer)}`) : NOT_CODED,
  );

/** Judges a response without a status of success: the same request without Accept-Encoding may succeed. */
export async function judgeFailed(
  { message, transfer }: Failed,
  session: Session,
): Promise<Verdict | undefined> {
  const plain = await session.send({ target: message.target });
  if (plain.response?.status !== 200 || !isAnswered(plain)) return undefined;
  const expected = '200, as without Accept-Encoding';
  return fail(expected, outcomeOf(transfer), plain, transfer);
}
