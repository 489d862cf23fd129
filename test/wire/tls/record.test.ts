import { expect, test } from 'vitest';
import { handshakeRecords, RecordSplitter, tlsRecord } from '../../../src/wire/tls/record.ts';

test('records, one after the other', () => {
  const contents = ['one', '', 'three', 'x'.repeat(2 ** 14)];
  const all = Buffer.concat(contents.map((content) => tlsRecord(23, Buffer.from(content))));
  expect(all.toString('hex', 0, 13)).toBe('17030100036f6e651703010000');
  const records = new RecordSplitter().push(all);
  expect(records.map(({ type, content }) => [type, String(content)])).toEqual(
    contents.map((content) => [23, content]),
  );
});

test('a handshake message in several records (RFC 9846 5.1)', () => {
  expect(handshakeRecords(Buffer.from('abcde'), 2).toString('latin1')).toBe(
    '\x16\x03\x01\x00\x02ab\x16\x03\x01\x00\x02cd\x16\x03\x01\x00\x01e',
  );
});
