import { differs, fail, notApplicable, pass, type Check } from '../check.ts';
import { outcomeOf, valueOf, type Transfer } from '../message.ts';
import { contentObject, type Received } from '../origin.ts';
import type { EchoRequest, Session } from '../session.ts';
import { KiB, LARGE_TIME_FACTOR } from './bounds.ts';
import { isRefusedByOrigin } from './refusal.ts';

const LIMIT = { section: 'RFC 9110 5.4', level: 'info', risk: 'interop', phase: 'timed' } as const;

/** Bytes up to which sizes of a target and of a field are tried. */
const MAX = 32 * KiB;

/** The greatest size that is still forwarded. */
interface Greatest {
  /** In bytes, to an eighth. */
  readonly size: number;
  /** Whether the origin has refused what is larger: the target may forward it. */
  readonly isOfOrigin: boolean;
  readonly words: string;
}

/** @param refusalOf undefined if the origin has received all of this size */
async function greatest(
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
  // What has been cut or dropped on the way comes back with success.
  const isRefused = !refusal.response || refusal.response.status >= 400;
  if (isRefused && isRefusedByOrigin(refusal))
    return { size: low, isOfOrigin: true, words: `at least ${low} bytes: the origin refuses more` };
  const then = isRefused ? `, then ${outcomeOf(refusal)}` : '';
  return { size: low, isOfOrigin: false, words: `about ${low} bytes${then}` };
}

/** What is sent of a size, whether it has arrived, and what came in place of that. */
const refusalOf =
  (
    session: Session,
    requestOf: (size: number) => EchoRequest,
    hasArrived: (received: Received, size: number) => boolean,
  ) =>
  async (size: number): Promise<Transfer | undefined> => {
    const { received, transfer } = await session.echo(requestOf(size));
    return received && hasArrived(received, size) ? undefined : transfer;
  };

const targetOf = (size: number): string => `/anything/${'x'.repeat(size)}`;

/** Sizes that the target forwards, found by trying (RFC 9110 4.1 and 5.4). */
export const limitChecks: readonly Check[] = [
  {
    ...LIMIT,
    id: 'limit/target',
    section: 'RFC 9110 4.1',
    rule: 'A request target of 8,000 bytes, the recommended minimum, is forwarded.',
    level: 'should',
    observes: 'arrival',
    async run(session) {
      const { size, isOfOrigin, words } = await greatest(
        MAX,
        refusalOf(
          session,
          (length) => ({ target: targetOf(length) }),
          ({ path }, length) => path === targetOf(length),
        ),
      );
      if (size >= 8000 - KiB) return pass(words);
      return isOfOrigin ? notApplicable(words) : fail('8000 bytes', words);
    },
  },
  {
    ...LIMIT,
    id: 'limit/field',
    rule: 'How long a field value may be.',
    observes: 'arrival',
    async run(session) {
      const { size, isOfOrigin, words } = await greatest(
        MAX,
        refusalOf(
          session,
          (length) => ({ fields: [['X-Check-Size', 'x'.repeat(length)]] }),
          ({ fields }, length) => valueOf(fields, 'x-check-size')?.length === length,
        ),
      );
      // Less than what common servers accept.
      return size < 4 * KiB && !isOfOrigin ? differs(words) : pass(words);
    },
  },
  {
    ...LIMIT,
    id: 'limit/fields',
    rule: 'How many fields a request may have.',
    observes: 'arrival',
    async run(session) {
      for (const count of [90, 120, 190]) {
        const fields = Array.from({ length: count }, (_, at) => [`X-Check-${at}`, 'x'] as const);
        const echo = await session.echo({ fields });
        const arrived = echo.received?.fields.filter(([name]) => /^x-check-\d+$/i.test(name));
        if (arrived?.length !== count) return differs(`fewer than ${count}`, echo.transfer);
      }
      return pass('190 and more');
    },
  },
  {
    ...LIMIT,
    id: 'limit/content',
    section: 'RFC 9110 15.5.14',
    rule: 'How much content a request may have, up to 64 MiB.',
    isSlow: true,
    observes: 'arrival',
    async run(session) {
      // A target may send WINDOW_UPDATE for each frame: so many exceed what the client receives by default.
      const options = { time: LARGE_TIME_FACTOR * session.time, isLarge: true };
      const { size, words } = await greatest(64 * KiB * KiB, async (length) => {
        const message = { method: 'POST', target: '/upload', content: Buffer.alloc(length) };
        const transfer = await session.send(message, options);
        const isReceived = contentObject(transfer.response)?.['bytes_received'] === length;
        return isReceived ? undefined : transfer;
      });
      return size < KiB * KiB ? differs(words) : pass(words);
    },
  },
];
