import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TlsReader } from '../../../src/inspect/tls/tls-reader.ts';
import { tlsView } from '../../../src/inspect/views/tls-view.ts';
import { captured } from '../../wire/tls/_hellos.ts';
import { ContentType, RECORDS } from '../../../src/wire/tls/record.ts';
import { UnitSplitter } from '../../../src/wire/unit-reader.ts';
import { RESEALED, Resealing } from '../../check/_resealing.ts';
import { readerOf, recordTls, type RecordedTls } from './_recorded.ts';

const only = (version: 'TLSv1.2' | 'TLSv1.3') =>
  ({ minVersion: version, maxVersion: version }) as const;
const TLS_1_2 = await recordTls({ client: only('TLSv1.2') });
const TLS_1_3 = await recordTls({ client: only('TLSv1.3') });

const typesOf = (messages: readonly { readonly type: number }[]) =>
  messages.map(({ type }) => type);
const total = (recorded: typeof TLS_1_2, side: 'client' | 'server') =>
  recorded.pieces
    .filter((piece) => piece.side === side)
    .reduce((sum, { bytes }) => sum + bytes.length, 0);

function readerOfHello(bytes: Uint8Array): TlsReader {
  const reader = new TlsReader(10);
  reader.received(Buffer.from(bytes), 0);
  return reader;
}

test.each([true, false])(
  'close_notify is no unread HTTP, with the secrets or without: %s',
  (withKeys) => {
    const recorded = readerOf(TLS_1_3, withKeys);
    recorded.httpRecords.client.read('hello'.length);
    expect(recorded.trace.unread).toEqual({ records: 0, bytes: 0 });
  },
);

describe('records', () => {
  test.each([
    ['TLSv1.2', TLS_1_2],
    ['TLSv1.3', TLS_1_3],
  ])('of %s: all bytes are in them', (_, recorded) => {
    const { client, server } = readerOf(recorded, false).trace;
    for (const [side, trace] of [
      ['client', client],
      ['server', server],
    ] as const) {
      expect(trace.bytes).toBe(total(recorded, side));
      expect(trace.records.reduce((sum, { length }) => sum + 5 + length, 0)).toBe(trace.bytes);
      expect(trace.totals.reduce((sum, { records }) => sum + records, 0)).toBe(
        trace.records.length,
      );
      expect(trace.totals.reduce((sum, { records, bytes }) => sum + bytes + 5 * records, 0)).toBe(
        trace.bytes,
      );
      expect(trace.sizes.reduce((sum, { records }) => sum + records, 0)).toBe(trace.records.length);
      for (const { from, to, records } of trace.sizes) {
        const inRange = trace.records.filter(({ length }) => length >= from && length <= to);
        expect(inRange).toHaveLength(records);
      }
      expect(trace).toMatchObject({ leftOut: 0, confusedAt: undefined });
    }
  });

  test('the list is bounded, the totals are not', () => {
    const reader = new TlsReader(2);
    reader.received(Buffer.from('1703030001ff'.repeat(10), 'hex'), 5);
    expect(reader.trace.client).toMatchObject({
      records: [
        { number: 0, offset: 0, type: 23, version: 0x0303, length: 1, time: 5 },
        { number: 1, offset: 6 },
      ],
      leftOut: 8,
      totals: [{ type: 23, records: 10, bytes: 10 }],
      sizes: [{ from: 1, to: 1, records: 10 }],
    });
  });

  test.each(['GET / HTTP/1.1\r\n', '\x16\x02\x01\0\x05', '\x17\x03\x03\xff\xff', '\0'.repeat(5)])(
    'parses nothing from %j',
    (bytes) => {
      const reader = new TlsReader(10);
      reader.received(Buffer.from(`\x15\x03\x03\0\x02\x01\0${bytes}`, 'latin1'), 0);
      expect(reader.trace.client).toMatchObject({
        confusedAt: 7,
        leftOut: 0,
        bytes: 7 + bytes.length,
      });
    },
  );

  test('however the bytes are split, they are read the same', () => {
    for (const recorded of [TLS_1_2, TLS_1_3]) {
      const whole = JSON.stringify(readerOf(recorded, true).trace);
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 40 }), (size) => {
          const pieces = recorded.pieces.flatMap(({ side, bytes }) =>
            Array.from({ length: Math.ceil(bytes.length / size) }, (__, at) => ({
              side,
              bytes: bytes.subarray(at * size, (at + 1) * size),
            })),
          );
          expect(JSON.stringify(readerOf({ ...recorded, pieces }, true).trace)).toBe(whole);
        }),
        { numRuns: 20 },
      );
    }
  });
});

describe('the handshake', () => {
  test('of TLS 1.2 is seen up to ChangeCipherSpec', () => {
    const { client, server, selection, isRetried } = readerOf(TLS_1_2, false).trace;
    expect(typesOf(client.handshake)).toEqual([1, 16]);
    // ServerHello, Certificate, ServerKeyExchange, ServerHelloDone, NewSessionTicket.
    expect(typesOf(server.handshake)).toEqual([2, 11, 12, 14, 4]);
    expect(selection).toMatchObject({ version: 0x0303, selectedIdentity: undefined });
    expect(isRetried).toBe(false);
  });

  test('of TLS 1.3 are the hellos', () => {
    const { client, server, selection } = readerOf(TLS_1_3, false).trace;
    expect(typesOf(client.handshake)).toEqual([1]);
    expect(typesOf(server.handshake)).toEqual([2]);
    expect(selection?.version).toBe(0x0304);
  });

  test('with a HelloRetryRequest there are two of each', async () => {
    const recorded = await recordTls({
      server: { ecdhCurve: 'P-384' },
      client: { ...only('TLSv1.3'), ecdhCurve: 'X25519:P-384' },
    });
    const { client, server, offers, isRetried, selection } = readerOf(recorded, true).trace;
    expect(typesOf(client.handshake)).toEqual([1, 1]);
    expect(typesOf(server.handshake)).toEqual([2, 2]);
    expect(offers).toHaveLength(2);
    expect(isRetried).toBe(true);
    expect(selection?.isHelloRetryRequest).toBe(false);
    expect(client.closeNotify).toEqual({ isSent: true, basis: 'decrypted' });
  });

  test('further ClientHellos are counted', () => {
    const hello = Buffer.from(captured('curl'));
    const { trace } = readerOfHello(Buffer.concat([hello, hello, hello, hello, hello]));
    expect(trace.offers).toHaveLength(2);
    expect(trace.offersLeftOut).toBe(3);
    expect(tlsView(trace, undefined)).toMatchObject({ offers_left_out: 3 });
    expect(tlsView(readerOfHello(hello).trace, undefined)).not.toHaveProperty('offers_left_out');
  });

  test('how a message was split into records', () => {
    const hello = Buffer.from(captured('curl'));
    const message = hello.subarray(5);
    const records = [10, 3, message.length - 13].map((length, at) => {
      const start = [0, 10, 13][at] ?? 0;
      const header = Buffer.of(22, 3, 1, length >> 8, length & 0xff);
      return Buffer.concat([header, message.subarray(start, start + length)]);
    });
    const reader = new TlsReader(10);
    reader.received(Buffer.concat(records), 0);
    expect(reader.trace.client.handshake).toEqual([
      {
        type: 1,
        length: message.length - 4,
        parts: [
          { record: 0, bytes: 10 },
          { record: 1, bytes: 3 },
          { record: 2, bytes: message.length - 13 },
        ],
        partCount: 3,
      },
    ]);
    expect(reader.trace.offers).toHaveLength(1);
  });

  test('split into single bytes, in pieces of single bytes', () => {
    const message = captured('curl').subarray(5);
    const reader = new TlsReader(10);
    for (const byte of message) {
      for (const piece of [22, 3, 1, 0, 1, byte]) reader.received(Buffer.of(piece), 0);
    }
    const [first] = reader.trace.client.handshake;
    expect(first?.partCount).toBe(message.length);
    expect(first?.parts.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 16 }, () => 1));
    expect(reader.trace.offers).toEqual(readerOfHello(captured('curl')).trace.offers);
    expect(reader.trace.client).toMatchObject({ leftOut: message.length - 10 });
  });

  test('the first records of an incomplete message are shown', () => {
    const reader = new TlsReader(10);
    reader.received(Buffer.from('160301000301ff00', 'hex'), 0);
    expect(reader.trace.client.handshake).toEqual([
      { type: 1, length: undefined, parts: [{ record: 0, bytes: 3 }], partCount: 1 },
    ]);
  });
});

describe('alerts', () => {
  test('of TLS 1.2 are encrypted', () => {
    const { client } = readerOf(TLS_1_2, false).trace;
    expect(client.alerts).toMatchObject([{ level: undefined, isEncrypted: true }]);
    expect(client.closeNotify).toEqual({ isSent: true, basis: 'alert-record' });
  });

  test('of TLS 1.3 are decrypted with the key log, and estimated without it', () => {
    expect(readerOf(TLS_1_3, true).trace.client).toMatchObject({
      alerts: [{ level: 1, description: 0, isEncrypted: true }],
      closeNotify: { isSent: true, basis: 'decrypted' },
    });
    expect(readerOf(TLS_1_3, false).trace.client).toMatchObject({
      alerts: [],
      closeNotify: { isSent: true, basis: 'size' },
    });
  });

  test('the secret may come after the first records that it decrypts', () => {
    const reader = new TlsReader(100);
    let pieces = 0;
    for (const { side, bytes } of TLS_1_3.pieces) {
      if (side === 'server') reader.sent(bytes, 0);
      else reader.received(bytes, 0);
      // A server derives it when it has read the Finished message.
      if (side === 'client' && ++pieces === 2)
        TLS_1_3.keyLog.forEach((line) => reader.keyLog(line));
    }
    expect(pieces).toBeGreaterThan(2);
    expect(reader.trace.client.closeNotify).toEqual({ isSent: true, basis: 'decrypted' });
  });

  test('data of the same size is no alert', async () => {
    const recorded = await recordTls({
      client: only('TLSv1.3'),
      run: (socket, raw) => socket.write('ab', () => setImmediate(() => raw.destroy())),
    });
    expect(readerOf(recorded, false).trace.client.closeNotify).toEqual({
      isSent: true,
      basis: 'size',
    });
    expect(readerOf(recorded, true).trace.client.closeNotify).toEqual({
      isSent: false,
      basis: 'decrypted',
    });
  });
});

/** A connection whose server sends so many records, and pads its alert. */
async function recordPadded(records: number, padding: number): Promise<RecordedTls> {
  const { pieces, keyLog } = await recordTls({
    server: { ciphers: RESEALED.name },
    client: only('TLSv1.3'),
    run: (socket) => {
      let count = 1;
      socket.write('hello');
      socket.on('data', () => {
        if (++count < records) socket.write('hello');
        else socket.end();
      });
    },
  });
  const resealing = new Resealing();
  keyLog.forEach((line) => resealing.keyLog(line));
  const splitter = new UnitSplitter(RECORDS, (header, content) => Buffer.concat([header, content]));
  let encrypted = 0;
  const padded = (record: Buffer): Buffer =>
    record[0] === ContentType.applicationData
      ? (resealing.reseal(record, encrypted++, ({ type, content }) =>
          Buffer.concat([
            content,
            Buffer.of(type),
            Buffer.alloc(type === ContentType.alert ? padding : 0),
          ]),
        ) ?? record)
      : record;
  const changed = pieces.map(({ side, bytes }) => ({
    side,
    bytes: side === 'client' ? bytes : Buffer.concat(splitter.push(bytes).map(padded)),
  }));
  return { pieces: changed, keyLog };
}

describe('padding of an alert', () => {
  // Java pads by 16 bytes.
  test.each([0, 16])('of %i bytes: it is decrypted', async (padding) => {
    const { trace } = readerOf(await recordPadded(30, padding), true);
    expect(trace.server.closeNotify).toEqual({ isSent: true, basis: 'decrypted' });
    expect(trace.server.alerts).toMatchObject([{ level: 1, description: 0 }]);
  });

  test('of 1000 bytes: the record is not decrypted, and this is said', async () => {
    const { trace } = readerOf(await recordPadded(30, 1000), true);
    expect(trace.server.closeNotify).toEqual({ isSent: false, basis: 'size' });
  });
});

describe('resumption', () => {
  test('early data is offered', () => {
    const [offer] = readerOfHello(captured('openssl-early-data')).trace.offers;
    expect(offer?.earlyData).toBe(true);
    expect(offer?.identities).toHaveLength(1);
    expect(offer?.identities[0]?.hash).toMatch(/^[\da-f]{32}$/);
  });

  test('a ticket of TLS 1.2 is offered', () => {
    const reader = readerOfHello(captured('openssl-ticket'));
    expect(reader.trace.offers[0]?.ticket?.length).toBeGreaterThan(100);
  });
});
