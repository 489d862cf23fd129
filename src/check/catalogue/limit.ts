import { differs, fail, pass, type Check } from '../check.ts';
import { valueOf } from '../message.ts';
import { KiB } from './bounds.ts';

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
];
