import { expect, test } from 'vitest';
import { currentDate } from '../../../../src/http/date.ts';
import { sectionSize } from '../../../../src/http/fields.ts';
import { enlarge } from '../../../../src/protocols/http2-shared/faults/head.ts';

const VALUE = 8 * 1024;

test.each([1000, VALUE, VALUE + 110, VALUE + 130, VALUE + 160, 2 * VALUE + 150, 65_536])(
  'a large header section has exactly %i bytes',
  (bytes) => {
    const fields: string[] = [];
    enlarge(fields, 200, { how: 'size', bytes });
    const own = [':status', '200', 'date', currentDate()];
    expect(sectionSize([...own, ...fields])).toBe(bytes);
    for (const text of fields) expect(text.length).toBeLessThanOrEqual(VALUE);
  },
);
