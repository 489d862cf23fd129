import { expect, test } from 'vitest';
import { handshakeRecords, RecordSplitter, tlsRecord } from '../../../src/wire/tls/record.ts';

test('records, however they are split', () => {
  const contents = ['one', '', 'three', 'x'.repeat(2 ** 14)];
  const all = Buffer.concat(contents.map((content) => tlsRecord(23, Buffer.from(content))));
  expect(all.toString('hex', 0, 13)).toBe('17030100036f6e651703010000');
  for (const size of [1, 2, 7, 100, all.length]) {
    const splitter = new RecordSplitter();
    const records: unknown[] = [];
    for (let at = 0; at < all.length; at += size) {
      for (const { type, content } of splitter.push(all.subarray(at, at + size))) {
        records.push([type, String(content)]);
      }
    }
    expect(records).toEqual(contents.map((content) => [23, content]));
  }
});

test('an incomplete record is none', () => {
  const record = tlsRecord(22, Buffer.from('abc'));
  const splitter = new RecordSplitter();
  expect(splitter.push(record.subarray(0, -1))).toEqual([]);
  expect(splitter.push(record.subarray(-1))).toHaveLength(1);
});

test('a handshake message in several records (RFC 8446 5.1)', () => {
  expect(handshakeRecords(Buffer.from('abcde'), 2).toString('latin1')).toBe(
    '\x16\x03\x01\x00\x02ab\x16\x03\x01\x00\x02cd\x16\x03\x01\x00\x01e',
  );
});
