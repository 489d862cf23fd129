import { describe, expect, test } from 'vitest';
import { parseClientHello } from '../../../src/wire/tls/client-hello.ts';
import type { ExtensionContents } from '../../../src/wire/tls/extensions.ts';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import { captured, helloOf } from './_hellos.ts';

const NOTHING: ExtensionContents = {
  serverName: undefined,
  alpn: undefined,
  supportedVersions: undefined,
  supportedGroups: undefined,
  pointFormats: undefined,
  keyShares: undefined,
  signatureAlgorithms: undefined,
  signatureAlgorithmsCert: undefined,
  pskModes: undefined,
  pskIdentities: undefined,
  sessionTicket: undefined,
  earlyData: false,
  ech: undefined,
  paddingLength: undefined,
};

function contentOf(type: number, data: Iterable<number>): ExtensionContents | undefined {
  return parseClientHello(helloOf({ extensions: [[type, data]] }));
}

const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const share = (group: number, length: number): number[] => [
  ...uint16s([group]),
  ...vector(
    2,
    Array.from({ length }, () => 1),
  ),
];

describe('single extensions', () => {
  test.each<[string, number, Iterable<number>, Partial<ExtensionContents>]>([
    [
      'server_name (RFC 6066 3)',
      0,
      vector(2, [0, ...vector(2, text('a.example'))]),
      { serverName: 'a.example' },
    ],
    [
      'server_name after one of another type',
      0,
      vector(2, [9, 0, 1, 1, 0, ...vector(2, text('b'))]),
      { serverName: 'b' },
    ],
    ['supported_groups', 10, vector(2, uint16s([0x11ec, 29])), { supportedGroups: [0x11ec, 29] }],
    ['ec_point_formats', 11, vector(1, [0, 1]), { pointFormats: [0, 1] }],
    ['signature_algorithms', 13, vector(2, uint16s([0x0403])), { signatureAlgorithms: [0x0403] }],
    [
      'ALPN (RFC 7301 3.1)',
      16,
      vector(2, [...vector(1, text('h2')), ...vector(1, text('\xff'))]),
      { alpn: ['h2', '\xff'] },
    ],
    ['padding (RFC 7685)', 21, Buffer.alloc(180), { paddingLength: 180 }],
    ['session_ticket that asks for one (RFC 5077 3.2)', 35, [], { sessionTicket: Buffer.alloc(0) }],
    ['session_ticket', 35, Buffer.alloc(192), { sessionTicket: Buffer.alloc(192) }],
    [
      'pre_shared_key (RFC 9846 4.3.11)',
      41,
      [...vector(2, [...vector(2, Buffer.alloc(32)), 0, 0, 0, 9]), ...vector(2, [1, 7])],
      { pskIdentities: [Buffer.alloc(32)] },
    ],
    ['early_data', 42, [], { earlyData: true }],
    [
      'supported_versions',
      43,
      vector(1, uint16s([0x0304, 0x0303])),
      { supportedVersions: [0x0304, 0x0303] },
    ],
    ['psk_key_exchange_modes', 45, vector(1, [1]), { pskModes: [1] }],
    [
      'signature_algorithms_cert',
      50,
      vector(2, uint16s([0x0804])),
      { signatureAlgorithmsCert: [0x0804] },
    ],
    [
      'key_share (RFC 9846 4.3.8)',
      51,
      vector(2, [...share(0x11ec, 1216), ...share(29, 32)]),
      {
        keyShares: [
          { group: 0x11ec, length: 1216 },
          { group: 29, length: 32 },
        ],
      },
    ],
    ['key_share without one, which asks for a retry', 51, vector(2, []), { keyShares: [] }],
    ['encrypted_client_hello, outer (RFC 9849 5)', 0xfe0d, [0, 0, 1], { ech: 'outer' }],
    ['encrypted_client_hello, inner', 0xfe0d, [1], { ech: 'inner' }],
  ])('%s', (_, type, data, expected) => {
    expect(contentOf(type, data)).toMatchObject({ ...NOTHING, ...expected });
  });
});

describe('malformed content is treated as not sent', () => {
  test.each<[string, number, Iterable<number>]>([
    ['an empty server_name', 0, []],
    ['a server_name of another type only', 0, vector(2, [9, 0, 1, 1])],
    ['a list that is longer than its extension', 10, [0, 4, 0, 29]],
    ['a list that is shorter than its extension', 10, [0, 2, 0, 29, 0]],
    ['a list cut in an element', 13, [0, 3, 4, 3, 8]],
    ['a protocol name cut short', 16, [0, 3, 3, 0x68, 0x32]],
    ['identities cut short', 41, [0, 3, 0, 9, 1]],
    ['a key share cut short', 51, [0, 5, 0, 29, 0, 32, 1]],
    ['an unknown type of ECH', 0xfe0d, [2]],
    ['no type of ECH', 0xfe0d, []],
  ])('%s', (_, type, data) => {
    expect(contentOf(type, data)).toMatchObject(NOTHING);
  });
});

test('the first of a repeated extension counts', () => {
  const extensions = [
    [45, vector(1, [1])],
    [45, vector(1, [0])],
  ] as const;
  expect(parseClientHello(helloOf({ extensions }))).toMatchObject({ pskModes: [1] });
});

test('Chromium: GREASE, a post-quantum key share and possibly GREASE ECH', () => {
  expect(parseClientHello(captured('chromium'))).toMatchObject({
    serverName: 'localhost',
    alpn: ['h2', 'http/1.1'],
    supportedVersions: [0xcaca, 0x0304, 0x0303],
    supportedGroups: [0xfafa, 0x11ec, 29, 23, 24],
    keyShares: [
      { group: 0xfafa, length: 1 },
      { group: 0x11ec, length: 1216 },
      { group: 29, length: 32 },
    ],
    ech: 'outer',
  });
});
