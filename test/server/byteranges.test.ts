import { expect, test } from 'vitest';
import { byteranges, BYTERANGES } from '../../src/server/byteranges.ts';
import type { PullSource } from '../../src/server/payload.ts';

function drained(payload: PullSource, size: number): string {
  let bytes = '';
  for (let chunk = payload.next(size); chunk; chunk = payload.next(size)) {
    expect(chunk.length).toBeGreaterThan(0);
    expect(chunk.length).toBeLessThanOrEqual(size);
    bytes += Buffer.from(chunk).toString('latin1');
  }
  return bytes;
}

function digits({ first, last }: { first: number; last: number }): PullSource {
  const bytes = Buffer.from('0123456789').subarray(first, last + 1);
  let at = 0;
  return {
    kind: 'pulled',
    length: bytes.length,
    next(size) {
      const chunk = bytes.subarray(at, (at += size));
      return chunk.length > 0 ? chunk : undefined;
    },
  };
}

test.each([1, 7, 65_536])(
  'RFC 9110 14.6: parts with their type and range, pulled %d bytes at a time',
  (size) => {
    const ranges = [
      { first: 1, last: 3 },
      { first: 8, last: 9 },
    ];
    const payload = byteranges(ranges, { type: 'text/plain', length: 10 }, digits);
    const content = drained(payload, size);
    expect(content).toHaveLength(payload.length);
    const boundary = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(BYTERANGES)?.[1];
    expect(content).toBe(
      [
        `--${boundary}`,
        'Content-Type: text/plain',
        'Content-Range: bytes 1-3/10',
        '',
        '123',
        `--${boundary}`,
        'Content-Type: text/plain',
        'Content-Range: bytes 8-9/10',
        '',
        '89',
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
  },
);
