import { describe, expect, test } from 'vitest';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { helpText } from '../../src/cli/help.ts';
import { readSettings as read } from '../_settings.ts';

describe('TLS settings', () => {
  test('defaults: TLS 1.2 and 1.3, no client certificates, no key log', () => {
    expect(read([])).toMatchObject({
      tlsMin: 'TLSv1.2',
      tlsMax: 'TLSv1.3',
      tlsCiphers: undefined,
      clientCert: 'none',
      tlsCa: undefined,
      tlsKeylog: undefined,
    });
  });

  test.each([
    [['--client-cert', 'maybe'], /--client-cert \(WIREBIN_CLIENT_CERT\).*none, request, require/],
    [['--tls-min', '1.2'], /--tls-min.*TLSv1, TLSv1.1, TLSv1.2, TLSv1.3/],
    [['--tls-ciphers', 'NO-SUCH-CIPHER'], /--tls-ciphers.*an OpenSSL cipher list/],
    [
      ['--tls-min', 'TLSv1.3', '--tls-max', 'TLSv1.2'],
      /--tls-min TLSv1.3 is higher than --tls-max/,
    ],
    [['--tls-cert', 'a,b', '--tls-key', 'a'], /--tls-cert and --tls-key must have as many files/],
    [['--tls-ca', 'ca.pem'], /--tls-ca requires --client-cert/],
  ])('%j is rejected', (args, message) => {
    expect(() => read(args)).toThrow(SettingsError);
    expect(() => read(args)).toThrow(message);
  });

  test.each([
    [[], { SSLKEYLOGFILE: 'common' }, 'common'],
    [[], { SSLKEYLOGFILE: '' }, undefined],
    [[], { SSLKEYLOGFILE: 'common', WIREBIN_TLS_KEYLOG: 'own' }, 'own'],
    [[], { SSLKEYLOGFILE: 'common', WIREBIN_TLS_KEYLOG: '' }, 'common'],
    [['--tls-keylog', 'flag'], { SSLKEYLOGFILE: 'common', WIREBIN_TLS_KEYLOG: 'own' }, 'flag'],
  ])('key log from %j and %j: %s', (args, environment, file) => {
    expect(read(args, environment).tlsKeylog).toBe(file);
  });

  test('the help lists SSLKEYLOGFILE', () => {
    expect(helpText()).toContain('WIREBIN_TLS_KEYLOG, SSLKEYLOGFILE\n');
  });
});
