import { describe, expect, test } from 'vitest';
import { parseClientHello, type ClientHello } from '../../../src/wire/tls/client-hello.ts';
import { extensionName } from '../../../src/wire/tls/names.ts';
import {
  opensslServerHello,
  opensslSignatureScheme,
  type Negotiated,
} from '../../../src/wire/tls/openssl-server-hello.ts';
import { TlsVersion } from '../../../src/wire/tls/record.ts';
import { captured, helloOf } from './_hellos.ts';

const GCM = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
const ID = new Uint8Array(32);
const CBC = 'TLS_RSA_WITH_AES_128_CBC_SHA';

function hello(extensions: readonly number[], cipherSuites: readonly number[] = []): ClientHello {
  const parsed = parseClientHello(
    helloOf({ cipherSuites, extensions: extensions.map((id) => [id, []] as const) }),
  );
  if (!parsed) throw new Error('invalid');
  return parsed;
}

function said(to: ClientHello, negotiated: Partial<Negotiated>) {
  const { extensions, sessionId } = opensslServerHello(to, {
    version: TlsVersion.tls12,
    cipherSuite: GCM,
    isResumed: false,
    sessionId: new Uint8Array(0),
    hasAlpn: false,
    ...negotiated,
  });
  return [sessionId, ...extensions.map(extensionName)].join(' ');
}

// Compared with the bytes of wirebin's handshakes by test/endpoints/server-hello.test.ts.
describe('opensslServerHello', () => {
  const all = hello([0, 1, 5, 10, 11, 13, 16, 22, 23, 35, 0xff01]);

  test.each<[name: string, expected: string, to: ClientHello, negotiated: Partial<Negotiated>]>([
    ['nothing', 'empty', hello([]), {}],
    ['a session ID', 'new', hello([]), { sessionId: ID }],
    ['a session ID in place of a ticket', 'new', hello([35]), { sessionId: ID }],
    ['SCSV for renegotiation_info', 'empty renegotiation_info', hello([], [0x00ff]), {}],
    [
      'all, in order',
      'empty renegotiation_info max_fragment_length ec_point_formats session_ticket extended_main_secret',
      all,
      {},
    ],
    [
      'CBC without curves, and ALPN',
      'empty renegotiation_info max_fragment_length session_ticket application_layer_protocol_negotiation encrypt_then_mac extended_main_secret',
      all,
      { cipherSuite: CBC, hasAlpn: true },
    ],
    [
      'a resumed session',
      'empty renegotiation_info max_fragment_length extended_main_secret',
      all,
      { isResumed: true },
    ],
    ['TLS 1.3', 'empty supported_versions key_share', all, { version: TlsVersion.tls13 }],
  ])('%s', (_name, expected, to, negotiated) => {
    expect(said(to, negotiated)).toBe(expected);
  });

  test('TLS 1.3 repeats the session ID, and selects a PSK', () => {
    const curl = parseClientHello(captured('curl'));
    if (!curl) throw new Error('invalid');
    expect(said(curl, { version: TlsVersion.tls13, isResumed: true })).toBe(
      'echoed supported_versions key_share pre_shared_key',
    );
  });

  test.each([
    [GCM, false],
    ['TLS_RSA_WITH_AES_128_CCM', false],
    ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', false],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', false],
    [CBC, true],
    ['TLS_RSA_WITH_NULL_SHA256', true],
  ])('%s with encrypt_then_mac: %s', (cipherSuite, sent) => {
    expect(said(hello([22]), { cipherSuite })).toBe(sent ? 'empty encrypt_then_mac' : 'empty');
  });
});

describe('opensslSignatureScheme', () => {
  const shared = [
    'ECDSA+SHA256',
    'Ed25519+UNDEF',
    'RSA-PSS+SHA256',
    'RSA-PSS+SHA512',
    'RSA+SHA256',
  ];
  const offered = [0x0809, 0x0806, 0x0401, 0x0403, 0x0807];

  test.each([
    ['ec', undefined, 0x0403],
    ['ed25519', undefined, 0x0807],
    // Here, RSA-PSS+SHA256 is for RSASSA-PSS keys.
    ['rsa', 1033, 0x0806],
    ['rsa', 1032, 0x0401],
    ['rsa-pss', 2048, undefined],
    ['ed448', undefined, undefined],
  ])('%s of %s bits', (type, bits, scheme) => {
    expect(opensslSignatureScheme(shared, { type, bits }, offered)).toBe(scheme);
  });

  test.each([
    ['ec', 0x0203],
    ['rsa', 0x0201],
    ['ed25519', undefined],
  ])('%s without signature_algorithms', (type, scheme) => {
    expect(opensslSignatureScheme([], { type }, undefined)).toBe(scheme);
  });

  test('RSA-PSS for both kinds of keys: the first one is not for RSA keys', () => {
    const names = ['RSA-PSS+SHA512', 'RSA-PSS+SHA256', 'RSA-PSS+SHA512'];
    const schemes = [0x080b, 0x0804, 0x0806];
    expect(opensslSignatureScheme(names, { type: 'rsa', bits: 2048 }, schemes)).toBe(0x0804);
  });
});
