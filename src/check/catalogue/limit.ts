import { differs, fail, pass, type Check } from '../check.ts';
import { outcomeOf, valueOf } from '../message.ts';
import { contentObject, isFromOrigin } from '../origin.ts';
import { KiB, LARGE_TIME_FACTOR } from './bounds.ts';

const LIMIT = { section: 'RFC 9110 5.4', level: 'info', risk: 'interop', phase: 'timed' } as const;

/** Finds the greatest size that is still forwarded, to an eighth. */
async function greatest(
  max: number,
  isForwarded: (size: number) => Promise<boolean>,
): Promise<number> {
  let low = 0;
  let high = KiB;
  while (high <= max && (await isForwarded(high))) {
    low = high;
    high *= 2;
  }
  if (high > max) return low;
  while (high - low > Math.max(16, low / 8)) {
    const middle = Math.floor((low + high) / 2);
    if (await isForwarded(middle)) low = middle;
    else high = middle;
  }
  return low;
}

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
      const size = await greatest(32 * KiB, async (length) => {
        const target = `/anything/${'x'.repeat(length)}`;
        const { received } = await session.echo({ target });
        return received?.path === target;
      });
      return size >= 8000 - KiB
        ? pass(`about ${size} bytes`)
        : fail('8000 bytes', `about ${size} bytes`);
    },
  },
  {
    ...LIMIT,
    id: 'limit/field',
    rule: 'How long a field value may be.',
    observes: 'arrival',
    async run(session) {
      const size = await greatest(32 * KiB, async (length) => {
        const { received } = await session.echo({ fields: [['X-Check-Size', 'x'.repeat(length)]] });
        return (
          received !== undefined && valueOf(received.fields, 'x-check-size')?.length === length
        );
      });
      // Less than what common servers accept.
      return size < 4 * KiB ? differs(`about ${size} bytes`) : pass(`about ${size} bytes`);
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
      let refusal = '';
      // A target may send WINDOW_UPDATE for each frame: so many exceed what the client receives by default.
      const options = { time: LARGE_TIME_FACTOR * session.time, isLarge: true };
      const size = await greatest(64 * KiB * KiB, async (length) => {
        const message = { method: 'POST', target: '/upload', content: Buffer.alloc(length) };
        const transfer = await session.send(message, options);
        const isReceived = contentObject(transfer.response)?.['bytes_received'] === length;
        if (!isReceived)
          refusal = `${isFromOrigin(transfer) ? ' of the origin' : ''}: ${outcomeOf(transfer)}`;
        return isReceived;
      });
      const found = `about ${Math.floor(size / KiB)} KiB${refusal && `, then a limit${refusal}`}`;
      return size < KiB * KiB ? differs(found) : pass(found);
    },
  },
];
