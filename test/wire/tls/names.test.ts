import {
  CIPHER_SUITES,
  EXTENSIONS,
  SIGNATURE_ALGORITHMS,
  SUPPORTED_GROUPS,
} from 'read-tls-client-hello';
import { describe, expect, test } from 'vitest';
import { parseClientHello } from '../../../src/wire/tls/client-hello.ts';
import {
  cipherSuiteName,
  compressionMethodName,
  extensionName,
  groupName,
  hex,
  isPostQuantum,
  pointFormatName,
  pskModeName,
  signatureSchemeName,
  versionName,
} from '../../../src/wire/tls/names.ts';
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

describe('the names match the IANA registries, according to another package', () => {
  test.each([
    ['cipher suites', cipherSuiteName, CIPHER_SUITES],
    ['groups', groupName, SUPPORTED_GROUPS],
    ['signature schemes', signatureSchemeName, SIGNATURE_ALGORITHMS],
    // ALPS was renumbered; the package only has the old code point.
    ['extensions', extensionName, { ...EXTENSIONS, 17513: 'application_settings_old' }],
  ])('%s', (_, nameOf, registry: Readonly<Record<number, string | undefined>>) => {
    let known = 0;
    for (let id = 0; id < 0x10000; id++) {
      const name = nameOf(id);
      const other = registry[id];
      if (name.startsWith('0x') || name === 'GREASE' || other === undefined) continue;
      expect(name).toBe(other);
      known++;
    }
    expect(known).toBeGreaterThan(30);
  });
});

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
