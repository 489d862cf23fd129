import { expect, test } from 'vitest';
import {
  createDigest,
  parseDigests,
  serializeDigest,
  wantedDigests,
} from '../../src/http/integrity-fields.ts';

test.each([
  ['sha-256=1', 'sha-256'],
  ['sha-512=3, sha-256=10, unixsum=0', 'sha-256'],
  ['sha-256=5,sha-512=5', 'sha-512'],
  ['sha-256=0', undefined],
  ['sha-256=11', undefined],
  ['sha-256=-1', undefined],
  ['sha-256=1.0', undefined],
  ['sha-256', undefined],
  ['sha-256=(1)', undefined],
  ['sha-256=1, crc32c=10', 'sha-256'],
  ['sha-256=11, md5=1, sha=2', 'sha'],
  ['sha-256=1; a=b', 'sha-256'],
  ['sha-256=1,', undefined],
  ['SHA-256=1', undefined],
  ['constructor=9', undefined],
])('RFC 9530 4: %j wants %s', (value, algorithm) => {
  const content = algorithm && { content: algorithm, repr: undefined };
  const repr = algorithm && { content: undefined, repr: algorithm };
  expect(wantedDigests(['Host', 'x', 'Want-Content-Digest', value])).toEqual(content);
  expect(wantedDigests(['want-repr-digest', value, 'Www', 'y'])).toEqual(repr);
});

test('both, and fields of several lines', () => {
  const lines = ['WANT-REPR-DIGEST', 'md5=1', 'want-content-digest', 'sha=2'];
  const both = wantedDigests([...lines, 'Want-Repr-Digest', 'sha-512=2']);
  expect(both).toEqual({ content: 'sha', repr: 'sha-512' });
  expect(wantedDigests(['Want-Digest', 'sha-256=1', 'Want-Content-Digesta', 'md5=1'])).toBe(
    undefined,
  );
});

test('RFC 9530 2: the example', () => {
  const content = '{"hello": "world"}\n';
  const digest = createDigest('sha-256').update(content).digest();
  const value = serializeDigest('sha-256', digest);
  expect(value).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
  expect(parseDigests(`${value}, crc=:AA==:`)).toEqual(
    new Map([
      ['sha-256', digest],
      ['crc', Buffer.from([0])],
    ]),
  );
});

test.each(['sha-256', 'sha-256=1', 'sha-256="a"', 'sha-256=(:a:)', 'sha-256=abc=', '{'])(
  'no digests: %j',
  (value) => {
    expect(parseDigests(value)).toBeUndefined();
  },
);

test('a preference of more than a KiB is ignored', () => {
  const long = `sha-256=1${', a=1'.repeat(203)}`;
  expect(wantedDigests(['Want-Content-Digest', long])).toEqual({
    content: 'sha-256',
    repr: undefined,
  });
  expect(wantedDigests(['Want-Content-Digest', `${long}, b=1`])).toBeUndefined();
});
