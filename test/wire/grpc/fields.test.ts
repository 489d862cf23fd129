import { expect, test } from 'vitest';
import {
  encodeStatusMessage,
  parseTimeout,
  readMetadata,
  writeMetadata,
} from '../../../src/wire/grpc/fields.ts';

test.each([
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['3S', 3000],
  ['250m', 250],
  ['1500u', 1.5],
  ['99999999n', 99.999999],
  ['0S', 0],
])('%s is %d ms', (value, milliseconds) => {
  expect(parseTimeout(value)).toBeCloseTo(milliseconds, 6);
});

test.each(['', '1', 'S', '1s', '-1S', '1.5S', '100000000n', ' 1S', '1S ', '0x1S'])(
  '"%s" is no timeout',
  (value) => {
    expect(parseTimeout(value)).toBeUndefined();
  },
);

test('a status message is percent-encoded UTF-8', () => {
  const message = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';
  const encoded = encodeStatusMessage(message);
  expect(encoded).toBe(
    '%09%0Atest with whitespace%0D%0Aand Unicode BMP %E2%98%BA and non-BMP %F0%9F%98%88%09%0A',
  );
  expect(decodeURIComponent(encoded)).toBe(message);
  expect(encodeStatusMessage('100% ~')).toBe('100%25 ~');
});

test('metadata keeps its order and repetitions; binary values are decoded', () => {
  const fields = [':path', '/', 'TE', 'trailers', 'B', '1', 'a', '2', 'x-bin', 'AAE=,/w', 'B', '3'];
  const metadata = readMetadata([...fields, 'grpc-timeout', '1S']);
  expect(metadata).toEqual([
    ['b', '1'],
    ['a', '2'],
    ['x-bin', Buffer.from([0, 1])],
    ['x-bin', Buffer.from([255])],
    ['b', '3'],
  ]);
  const lines = ['b', '1', 'a', '2', 'x-bin', 'AAE', 'x-bin', '/w', 'b', '3'];
  expect(writeMetadata(metadata)).toEqual(lines);
});
