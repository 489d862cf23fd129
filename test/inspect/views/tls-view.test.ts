import { expect, test } from 'vitest';
import { TlsReader } from '../../../src/inspect/tls/tls-reader.ts';
import { recordView, tlsView, withRecords } from '../../../src/inspect/views/tls-view.ts';
import { NOTHING_REDACTED } from '../../../src/inspect/views/view.ts';
import { readerOf, recordTls } from '../tls/_recorded.ts';

const recorded = await recordTls({ client: { minVersion: 'TLSv1.3' } });

/** A record of TLS 1.2 in cleartext. */
function record(type: number, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.of(type, 3, 3, content.length >> 8, content.length & 0xff),
    content,
  ]);
}

test('both sides, what was offered and issued, and from where a session was resumed', () => {
  const { trace } = readerOf(recorded, true);
  const view = tlsView(trace, undefined);
  expect(view).toMatchObject({
    version: 'TLSv1.3',
    client: {
      bytes: trace.client.bytes,
      records: { handshake: { records: 1 }, application_data: {} },
      records_left_out: 0,
      handshake: [{ type: 'client_hello' }],
      close_notify: { sent: true, known_by: 'decrypted' },
    },
    server: { handshake: [{ type: 'server_hello' }] },
    offers: [
      {
        session_id: { length: 32, hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
        session_ticket: null,
        pre_shared_keys: [],
        early_data: false,
      },
    ],
    resumption: undefined,
    issued: [{ length: expect.any(Number) as number }, {}],
  });
  expect(view).not.toHaveProperty('unread');
  const resumption = { by: 'psk', trace: { hash: 'abc', length: 3 } } as const;
  expect(tlsView({ ...trace, resumption }, 'x1')).toMatchObject({
    resumption: { by: 'psk', ticket: 'abc', from: 'x1' },
  });
});

test('a record and a message, with what carried what', () => {
  const reader = readerOf(recorded, true);
  reader.httpRecords.client.read('hello'.length);
  const { records } = reader.trace.client;
  const views = records.map((each) =>
    recordView(each, reader.httpRecords.client.carried(each.number)),
  );
  const carrying = views.filter((view) => 'http' in view);
  expect(carrying).toMatchObject([{ type: 'application_data', http: { offset: 0, length: 5 } }]);
  const number = Number(carrying[0]?.['record']);
  const { records: recordsOf } = withRecords(NOTHING_REDACTED, reader);
  expect(recordsOf?.('client', 0, 5)).toEqual({ tls_records: { first: number, last: number } });
  expect(recordsOf?.('client', 5, 1)).toEqual({});
  expect(withRecords(NOTHING_REDACTED, undefined)).toBe(NOTHING_REDACTED);
});

test('what is left out is counted', () => {
  const reader = new TlsReader(5);
  for (let count = 0; count < 20; count++) reader.received(record(21, Buffer.of(1, 90)), 0);
  // HelloRequest (RFC 5246 7.4.1.1), and NewSessionTicket (RFC 5077 3.3).
  for (let count = 0; count < 40; count++) reader.sent(record(22, Buffer.alloc(4)), 0);
  const ticket = Buffer.from('0400000900000e1000036162', 'hex');
  for (let count = 0; count < 20; count++) {
    reader.sent(record(22, Buffer.concat([ticket, Buffer.of(count)])), 0);
  }
  const view = tlsView(reader.trace, undefined);
  expect(view).toMatchObject({
    client: { alerts_left_out: 4, records_left_out: 15 },
    server: { handshake_left_out: 28, records_left_out: 55 },
    issued_left_out: 4,
  });
  expect(view['issued']).toHaveLength(16);
});
