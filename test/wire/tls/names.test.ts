import {
  CIPHER_SUITES,
  EXTENSIONS,
  SIGNATURE_ALGORITHMS,
  SUPPORTED_GROUPS,
} from 'read-tls-client-hello';
import { describe, expect, test } from 'vitest';
import { cipherSuites } from '../../../src/wire/tls/cipher-suites.ts';
import { parseClientHello } from '../../../src/wire/tls/client-hello.ts';
import {
  alertName,
  cipherSuiteName,
  compressionMethodName,
  extensionName,
  groupName,
  handshakeTypeName,
  hex,
  isPostQuantum,
  pointFormatName,
  pskModeName,
  recordTypeName,
  signatureSchemeName,
  versionName,
} from '../../../src/wire/tls/names.ts';
import * as registries from '../../../src/wire/tls/registries.ts';
import { captured, captures } from './_hellos.ts';

describe.each(captures)('%s', (name) => {
  const hello = parseClientHello(captured(name));

  test('offers only code points with a name', () => {
    const names = [
      ...(hello?.cipherSuites ?? []).map(cipherSuiteName),
      ...(hello?.extensions ?? []).map(({ id }) => extensionName(id)),
      ...(hello?.supportedGroups ?? []).map(groupName),
      ...(hello?.signatureAlgorithms ?? []).map(signatureSchemeName),
      ...(hello?.signatureAlgorithmsCert ?? []).map(signatureSchemeName),
      ...(hello?.supportedVersions ?? []).map(versionName),
      ...(hello?.compressionMethods ?? []).map(compressionMethodName),
      ...(hello?.pointFormats ?? []).map(pointFormatName),
      ...(hello?.pskModes ?? []).map(pskModeName),
    ];
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((entry) => entry.startsWith('0x'))).toEqual([]);
  });
});

describe('the names are whole, according to another package', () => {
  test.each([
    ['cipher suites', cipherSuiteName, CIPHER_SUITES],
    ['groups', groupName, SUPPORTED_GROUPS],
    ['signature schemes', signatureSchemeName, SIGNATURE_ALGORITHMS],
    [
      'extensions',
      extensionName,
      {
        ...EXTENSIONS,
        // RFC 9846 has renamed it.
        23: 'extended_main_secret',
        53: 'connection_id (deprecated)',
        // ALPS was renumbered; the package only has the old code point.
        17513: 'application_settings_old',
      },
    ],
  ])('%s', (_, nameOf, registry: Readonly<Record<number, string | undefined>>) => {
    const entries = Object.entries(registry);
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.map(([id]) => [id, nameOf(Number(id))])).toEqual(entries);
  });
});

test.each<readonly [(id: number) => string, Readonly<Record<number, string>>]>([
  [cipherSuiteName, { 0x0000: 'TLS_NULL_WITH_NULL_NULL', 0x1307: 'TLS_AEGIS_128L_SHA256' }],
  [cipherSuiteName, { 0xc01d: 'TLS_SRP_SHA_WITH_AES_128_CBC_SHA' }],
  [cipherSuiteName, { 0xc102: 'TLS_GOSTR341112_256_WITH_28147_CNT_IMIT' }],
  [groupName, { 0x0023: 'GC256B', 0x0026: 'GC512A', 0x11ea: 'MLKEM512X25519' }],
  [signatureSchemeName, { 0x0840: 'gostr34102012_256', 0x0841: 'gostr34102012_512' }],
  [extensionName, { 12: 'srp', 26: 'tls_lts', 61: 'rrc', 64768: 'ech_outer_extensions' }],
  [extensionName, { 17613: 'application_settings', 40: '0x0028', 0xff00: '0xFF00' }],
  [alertName, { 52: 'too_many_cids_requested', 111: 'certificate_unobtainable' }],
  [alertName, { 114: 'bad_certificate_hash_value', 117: 'general_error', 121: 'ech_required' }],
  [handshakeTypeName, { 3: 'hello_verify_request', 21: 'certificate_url', 7: '7' }],
  [handshakeTypeName, { 23: 'supplemental_data', 25: 'compressed_certificate' }],
  [recordTypeName, { 25: 'tls12_cid', 26: 'ACK', 28: '28' }],
])('%o names %o', (nameOf, expected) => {
  const ids = Object.keys(expected).map(Number);
  expect(Object.fromEntries(ids.map((id) => [id, nameOf(id)]))).toEqual(expected);
});

test.each(Object.entries({ cipherSuites, ...registries }))(
  'no two %s have one name',
  (_, names) => {
    const all = Object.values(names);
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  },
);

test('a code point without a name is formatted as in the registries', () => {
  expect(cipherSuiteName(0xbeef)).toBe('0xBEEF');
  expect(groupName(0x1a1a)).toBe('GREASE');
  expect(pskModeName(9)).toBe('0x09');
  expect(hex(0x13)).toBe('0x0013');
});

test('ML-KEM is post-quantum, curves are not', () => {
  expect([0x11eb, 0x11ec, 0x11ed, 0x0201, 0x6399].every(isPostQuantum)).toBe(true);
  expect([29, 23, 0x0100, 0xbeef, 0x1a1a].some(isPostQuantum)).toBe(false);
});
