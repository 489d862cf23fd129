import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valueOf, type Transfer } from '../message.ts';
import { contentObject, isEcho, TAG, uploadOf } from '../origin.ts';
import { KiB, LARGE_TIME_FACTOR } from './bounds.ts';
import { isRefusedByOrigin } from './refusal.ts';

const LIMIT = { section: 'RFC 9110 5.4', level: 'info', risk: 'interop', phase: 'timed' } as const;

/** Largest size in bytes that is tried for a request target or a field. */
const MAX = 32 * KiB;

/** The largest size that is still forwarded. */
interface Greatest {
  /** In bytes, with a precision of an eighth. */
  readonly size: number;
  /** Whether it is the origin that refuses larger sizes: the target may forward more. */
  readonly isOfOrigin: boolean;
  readonly words: string;
}

/**
 * Searches for the largest size that is forwarded.
 * @param refusalOf sends a request of this size; returns the transfer if it was refused, undefined if the origin
 * received it
 */
async function greatestForwarded(
  max: number,
  refusalOf: (size: number) => Promise<Transfer | undefined>,
): Promise<Greatest> {
  let low = 0;
  let high = KiB;
  let refusal: Transfer | undefined;
  const isForwarded = async (size: number): Promise<boolean> => {
    const transfer = await refusalOf(size);
    refusal = transfer ?? refusal;
    return transfer === undefined;
  };
  while (high <= max && (await isForwarded(high))) {
    low = high;
    high *= 2;
  }
  while (high <= max && high - low > Math.max(16, low / 8)) {
    const middle = Math.floor((low + high) / 2);
    if (await isForwarded(middle)) low = middle;
    else high = middle;
  }
  if (!refusal) return { size: low, isOfOrigin: false, words: `at least ${low} bytes` };
  return isRefusedByOrigin(refusal)
    ? { size: low, isOfOrigin: true, words: `at least ${low} bytes: the origin refuses more` }
    : { size: low, isOfOrigin: false, words: `about ${low} bytes, then ${outcomeOf(refusal)}` };
}

/** Bytes of a URI that recipients should at least support (RFC 9110 4.1). */
const RECOMMENDED = 8000;

/**
 * Checks of the sizes that the target forwards, found by trial (RFC 9110 4.1 and 5.4). A server must answer too large
 * fields with a 4xx status: ignoring them is a vulnerability (5.4).
 */
export const limitChecks = topic(LIMIT, [
  {
    id: 'limit/target',
    section: 'RFC 9110 4.1',
    rule: 'A request target of 8,000 bytes, the recommended minimum, is forwarded.',
    level: 'should',
    async run(session) {
      let changed: Transfer | undefined;
      const refusalOf = async (length: number): Promise<Transfer | undefined> => {
        const target = `/anything/${session.newTag()}/`.padEnd(length, 'x');
        const { received, transfer } = await session.echo({ target });
        if (received?.path === target) return undefined;
        if (received) changed = transfer;
        return transfer;
      };
      const refusal = await refusalOf(RECOMMENDED);
      const { isOfOrigin, words } = await greatestForwarded(MAX, refusalOf);
      if (changed) return fail('the target as it was sent, or 414', 'another target', changed);
      if (!refusal) return pass(words);
      return isOfOrigin ? notApplicable(words) : fail(`${RECOMMENDED} bytes`, words, refusal);
    },
  },
  {
    id: 'limit/field',
    rule: 'A field value is forwarded whole, or the request is refused.',
    level: 'must',
    risk: 'data-loss',
    async run(session) {
      let lost: Verdict | undefined;
      const { size, isOfOrigin, words } = await greatestForwarded(MAX, async (length) => {
        const fields = [['X-Check-Size', 'x'.repeat(length)] as const];
        const { received, transfer } = await session.echo({ fields });
        if (!received) return transfer;
        const arrived = valueOf(received.fields, 'x-check-size')?.length;
        if (arrived === length) return undefined;
        const found = arrived === undefined ? 'without the field' : `with ${arrived} of them`;
        const what = `a value of ${length} bytes: the request is forwarded ${found}`;
        lost ??= fail('4xx', what, transfer);
        return transfer;
      });
      if (lost) return lost;
      // Common servers accept at least 4 KiB.
      return size < 4 * KiB && !isOfOrigin ? differs(words) : pass(words);
    },
  },
  {
    id: 'limit/fields',
    remedy: {
      advice: 'Raise the limit of fields, if your clients send so many.',
      directives: {
        haproxy: [['global', 'tune.http.maxhdr 256']],
        apache: [['', 'LimitRequestFields 256']],
      },
    },
    rule: 'Many fields are all forwarded, or the request is refused.',
    level: 'must',
    risk: 'data-loss',
    async run(session) {
      for (const count of [90, 120, 190]) {
        const fields = Array.from({ length: count }, (_, at) => [`X-Check-${at}`, 'x'] as const);
        const { transfer, tag } = await session.echo({ fields });
        // Not `received`: the field with the tag comes last, and may be one of those that are lost.
        const echo = contentObject(transfer.response);
        if (!isEcho(echo) || !echo.path.includes(tag))
          return differs(`fewer than ${count}`, transfer);
        const arrived = echo.raw_headers.filter(([name]) => /^x-check-\d+$/i.test(name)).length;
        const isMarked = valueOf(echo.raw_headers, TAG) === tag;
        if (arrived < count || !isMarked)
          return fail(
            '4xx',
            `${arrived + Number(isMarked)} of ${count + 1} fields arrive`,
            transfer,
          );
      }
      return pass('190 and more');
    },
  },
  {
    id: 'limit/content',
    section: 'RFC 9110 15.5.14',
    rule: 'How much content a request may have, up to 64 MiB.',
    isSlow: true,
    async run(session) {
      // Some targets send WINDOW_UPDATE for each frame, which adds up to more than the client receives by default.
      const options = { time: LARGE_TIME_FACTOR * session.time, isLarge: true };
      const { size, words } = await greatestForwarded(64 * KiB * KiB, async (length) => {
        const message = { method: 'POST', target: '/upload', content: Buffer.alloc(length) };
        const transfer = await session.send(message, options);
        const isReceived = uploadOf(transfer.response)?.bytes_received === length;
        return isReceived ? undefined : transfer;
      });
      return size < KiB * KiB ? differs(words) : pass(words);
    },
  },
]);
