import { expect, test } from 'vitest';
import {
  alertOf,
  cryptoError,
  ErrorCode,
  FrameType,
  isQuicVersion,
  isReservedParameter,
  isReservedVersion,
  quicFrameTypeName,
  quicVersionName,
  transportErrorName,
  transportParameterName,
} from '../../../src/wire/quic/names.ts';
import { frameTypes, transportErrorCodes } from '../../../src/wire/quic/registries.ts';

/** `MAX_DATA` of `maxData`. */
const registered = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

test('the codes here have the names of the registries', () => {
  for (const [name, code] of Object.entries(ErrorCode)) {
    expect(transportErrorCodes[code]).toBe(name);
  }
  const plain = Object.entries(FrameType).filter(
    ([name]) => !/Bidi$|Uni$|Ecn$|WithLength$|^applicationClose$/.test(name),
  );
  expect(plain).toHaveLength(19);
  for (const [name, type] of plain) expect(frameTypes[type]).toBe(registered(name));
});

test.each([
  [1, '1'],
  [0x6b33_43cf, '2'],
  [0x1a2a_3a4a, 'GREASE'],
  [0xfafa_fafa, 'GREASE'],
  [0xff00_001d, '0xFF00001D'],
  [0, '0x00000000'],
])('version %d is %s', (version, name) => {
  expect(quicVersionName(version)).toBe(name);
  expect(isQuicVersion(version)).toBe(name.length === 1);
  expect(isReservedVersion(version)).toBe(name === 'GREASE');
});

test.each<[number | bigint, string]>([
  [0x00, 'original_destination_connection_id'],
  [0x2ab2, 'grease_quic_bit'],
  [0xff04_de1b, 'min_ack_delay'],
  [27, 'GREASE'],
  [31 * 1000 + 27, 'GREASE'],
  [31n * 2n ** 57n - 4n, 'GREASE'],
  [28, '0x1C'],
  [2n ** 62n - 1n, '0x3FFFFFFFFFFFFFFF'],
])('transport parameter %s is %s', (id, name) => {
  expect(transportParameterName(id)).toBe(name);
  expect(isReservedParameter(id)).toBe(name === 'GREASE');
});

test.each<[number | bigint, string]>([
  [0x0d, 'STREAM'],
  [0x31, 'DATAGRAM'],
  [0x21, '0x21'],
  [2n ** 60n, '0x1000000000000000'],
])('frame type %s is %s', (type, name) => {
  expect(quicFrameTypeName(type)).toBe(name);
});

test.each<[number | bigint, string, alert?: number]>([
  [0x0a, 'PROTOCOL_VIOLATION'],
  [0x178, 'CRYPTO_ERROR (no_application_protocol)', 120],
  [0x100, 'CRYPTO_ERROR (close_notify)', 0],
  [0x1ff, 'CRYPTO_ERROR (255)', 255],
  [0x200, '0x200'],
  [0x3e76, 'PATH_UNSTABLE_OR_POOR'],
])('error code %s is %s', (code, name, alert) => {
  expect(transportErrorName(code)).toBe(name);
  expect(alertOf(code)).toBe(alert);
  if (alert !== undefined) expect(cryptoError(alert)).toBe(code);
});
