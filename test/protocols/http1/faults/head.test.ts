import { describe, expect, test } from 'vitest';
import { enlargement } from '../../../../src/protocols/http1/faults/head.ts';
import type { LargeHead } from '../../../../src/server/fault.ts';

const SECTION = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n';

describe('a large head', () => {
  const enlarged = (large: LargeHead): string =>
    SECTION.slice(0, -2) + [...enlargement(SECTION, large)].join('');

  test.each([64, 65, 100, 8_200, 8_300, 16_500, 100_000, 1_048_576])('%i bytes', (bytes) => {
    const section = enlarged({ how: 'size', bytes });
    expect(section).toHaveLength(bytes);
    expect(section.startsWith(SECTION.slice(0, -2))).toBe(true);
    expect(section).toMatch(/^(?:.+\r\n)+\r\n$/);
  });

  test.each([0, SECTION.length, SECTION.length + 10])(
    '%i bytes leave no room for a line',
    (bytes) => {
      expect(enlarged({ how: 'size', bytes })).toBe(SECTION);
    },
  );

  test.each([0, 2])('%i fields are there already', (fields) => {
    expect(enlarged({ how: 'count', fields })).toBe(SECTION);
  });

  test.each([3, 10_000])('%i fields', (fields) => {
    const section = enlarged({ how: 'count', fields });
    expect(section.match(/^\S+: .*\r$/gm)).toHaveLength(fields);
    expect(section).toMatch(/^(?:.+\r\n)+\r\n$/);
  });
});
