import { describe, expect, test } from 'vitest';
import { ciphersFor } from '../../src/net/old-tls.ts';
import { warningsAtStart } from '../_settings.ts';

const SENTENCE = 'clients cannot use TLS 1.0 or 1.1 despite --tls-min, because of --tls-ciphers: ';

describe('a minimum version of TLS 1.0 or 1.1', () => {
  test.each([
    ['TLSv1', 'DEFAULT@SECLEVEL=1', '@SECLEVEL=1 forbids them; they need @SECLEVEL=0'],
    ['TLSv1.1', 'ALL:@SECLEVEL=0:@SECLEVEL=2', '@SECLEVEL=2 forbids them; they need @SECLEVEL=0'],
    ['TLSv1', 'ECDHE+AESGCM', 'it has no cipher suite for them'],
    ['TLSv1', 'TLS_AES_128_GCM_SHA256', 'it has no cipher suite for them'],
  ])('a warning is logged that %s cannot work with the ciphers %s', async (least, list, why) => {
    expect(await warningsAtStart('--tls-min', least, '--tls-ciphers', list)).toEqual([
      SENTENCE + why,
    ]);
    expect(ciphersFor(least === 'TLSv1' ? 'TLSv1' : 'TLSv1.1', list)).toBe(list);
  });

  test.each([
    ['--tls-min', 'TLSv1'],
    ['--tls-min', 'TLSv1', '--tls-ciphers', 'ECDHE+AES'],
    ['--tls-min', 'TLSv1.2', '--tls-ciphers', 'DEFAULT@SECLEVEL=2'],
    ['--tls-ciphers', 'ECDHE+AESGCM'],
  ])('%s %s %s %s: no warning', async (...args) => {
    expect(await warningsAtStart(...args)).toEqual([]);
  });

  test('the cipher list is not changed for other versions', () => {
    expect(ciphersFor('TLSv1.2', undefined)).toBeUndefined();
    expect(ciphersFor('TLSv1.3', 'HIGH')).toBe('HIGH');
  });
});
