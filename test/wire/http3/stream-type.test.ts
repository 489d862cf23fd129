import { expect, test } from 'vitest';
import { varint } from '../../../src/wire/byte-writer.ts';
import {
  errorCodeName,
  frameTypeName,
  isReserved,
  settingName,
  streamTypeName,
} from '../../../src/wire/http3/names.ts';
import { PeerStreams, StreamTypeReader } from '../../../src/wire/http3/stream-type.ts';

test('a stream type is read in pieces of any size, and nothing after it', () => {
  for (const type of [0, 3, 0x54, 16_384, 2 ** 40, 2n ** 62n - 1n]) {
    const bytes = Buffer.concat([varint(type), Buffer.from('rest')]);
    for (let size = 1; size <= bytes.length; size++) {
      const reader = new StreamTypeReader();
      let at = 0;
      while (reader.type === undefined) at += reader.read(bytes.subarray(at, at + size));
      expect([reader.type, at]).toEqual([type, bytes.length - 4]);
      expect(reader.read(bytes)).toBe(0);
    }
  }
});

test('there is one stream of each critical type, which stays open (RFC 9114 6.2.1, RFC 9204 4.2)', () => {
  const streams = new PeerStreams('client');
  for (const [type, use] of [
    [0, 'control'],
    [2, 'encoder'],
    [3, 'decoder'],
  ] as const) {
    expect(streams.open(type)).toBe(use);
    const again = { scope: 'connection', code: 'H3_STREAM_CREATION_ERROR' };
    expect(streams.open(type)).toMatchObject(again);
    expect(streams.closed(use)).toMatchObject({ code: 'H3_CLOSED_CRITICAL_STREAM' });
  }
});

test('streams of other types are ignored (RFC 9114 6.2)', () => {
  const streams = new PeerStreams('server');
  for (const type of [0x21, 0x40, 0x54, 2n ** 62n - 1n]) {
    expect([streams.open(type), streams.open(type)]).toEqual(['ignored', 'ignored']);
  }
  expect(streams.closed('ignored')).toBe(undefined);
});

test('nobody may push, and servers open no bidirectional streams', () => {
  expect(new PeerStreams('client').open(1)).toMatchObject({
    section: 'RFC 9114 6.2.2',
    code: 'H3_STREAM_CREATION_ERROR',
  });
  expect(new PeerStreams('server').open(1)).toMatchObject({
    section: 'RFC 9114 4.6',
    code: 'H3_ID_ERROR',
  });
  expect(new PeerStreams('client').openBidirectional()).toBe(undefined);
  expect(new PeerStreams('server').openBidirectional()).toMatchObject({
    section: 'RFC 9114 6.1',
    code: 'H3_STREAM_CREATION_ERROR',
  });
});

test('code points have names, or are GREASE or numbers', () => {
  const largest = 0x3fff_ffff_ffff_fffen;
  expect([0, 0x0d, 0xf0700, 0x02, 0x21, largest].map(frameTypeName)).toEqual([
    'DATA',
    'MAX_PUSH_ID',
    'PRIORITY_UPDATE',
    '0x02',
    'GREASE',
    'GREASE',
  ]);
  expect([6, 0x33, 0x2b603742, 5].map(settingName)).toEqual([
    'MAX_FIELD_SECTION_SIZE',
    'H3_DATAGRAM',
    'ENABLE_WEBTRANSPORT',
    '0x05',
  ]);
  expect([2, 0x40, 0x54].map(streamTypeName)).toEqual(['QPACK Encoder Stream', 'GREASE', '0x54']);
  expect([0x100, 0x110, 0x202, 0x111].map(errorCodeName)).toEqual([
    'H3_NO_ERROR',
    'H3_VERSION_FALLBACK',
    'QPACK_DECODER_STREAM_ERROR',
    '0x111',
  ]);
});

test('0x1f * N + 0x21 is reserved (RFC 9114 7.2.8)', () => {
  for (const count of [0, 1, 1000, 2 ** 40]) {
    expect(isReserved(0x1f * count + 0x21)).toBe(true);
    expect(isReserved(0x1f * count + 0x22)).toBe(false);
  }
  expect(isReserved(2)).toBe(false);
  expect(isReserved(0x1fn * 2n ** 56n + 0x21n)).toBe(true);
  expect(isReserved(2n ** 62n - 1n)).toBe(false);
});
