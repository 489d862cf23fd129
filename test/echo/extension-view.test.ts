import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extensionView } from '../../src/echo/extension-view.ts';
import { parseClientHello } from '../../src/wire/tls/client-hello.ts';
import { extensionName } from '../../src/wire/tls/names.ts';
import { uint16s, vector } from '../../src/wire/byte-writer.ts';
import { captured, captures } from '../wire/tls/_hellos.ts';

const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const hexBytes = (value: string): Buffer => Buffer.from(value, 'hex');
const view = (id: number, data: Iterable<number>) =>
  extensionView({ id, data: Uint8Array.from(data) });

const ECDSA = 'ecdsa_secp256r1_sha256';
const RAW = 'Raw Public Key';
const OCSP = 'ocsp';

/** Contents by name: type, bytes, and what they are. */
const samples: readonly (readonly [name: string, id: number, Iterable<number>, object])[] = [
  [
    'server_name',
    0,
    vector(2, [0, ...vector(2, text('a.example')), 9, 0, 1, 0x62]),
    {
      names: [
        { type: 'host_name', name: 'a.example' },
        { type: '0x09', name: 'b' },
      ],
    },
  ],
  ['max_fragment_length', 1, [4], { max_fragment_length: 4096 }],
  [
    'status_request',
    5,
    hexBytes('0100050003aabbcc0000'),
    { type: OCSP, responder_id_lengths: [3], request_extensions_length: 0 },
  ],
  ['status_request of another type', 5, [9, 1, 2], { type: '0x09', request_length: 2 }],
  ['cert_type', 9, [1, 1], { types: ['OpenPGP'] }],
  ['supported_groups', 10, [0, 2, 0, 29], { groups: ['x25519'] }],
  ['ec_point_formats', 11, [1, 0], { formats: ['uncompressed'] }],
  ['signature_algorithms', 13, [0, 2, 4, 3], { schemes: [ECDSA] }],
  ['use_srtp', 14, [0, 4, 0, 7, 0, 1, 0], { profiles: ['0x0007', '0x0001'], mki_length: 0 }],
  ['heartbeat', 15, [1], { mode: 'peer_allowed_to_send' }],
  [
    'ALPN',
    16,
    vector(2, [...vector(1, text('h2')), ...vector(1, text('\xff'))]),
    { protocols: ['h2', '\xff'] },
  ],
  [
    'status_request_v2',
    17,
    hexBytes('000702000400000000'),
    { requests: [{ type: 'ocsp_multi', request_length: 4 }] },
  ],
  ['client_certificate_type', 19, [2, 2, 0], { types: [RAW, 'X.509'] }],
  ['server_certificate_type', 20, [1, 2], { types: [RAW] }],
  ['padding', 21, Buffer.alloc(300), { padding_length: 300 }],
  ['token_binding', 24, [1, 0, 1, 2], { version: '1.0', key_parameters: ['ecdsap256'] }],
  [
    'compress_certificate',
    27,
    [6, 0, 2, 0, 3, 0x12, 0x34],
    {
      algorithms: ['brotli', 'zstd', '0x1234'],
    },
  ],
  ['record_size_limit', 28, [0x40, 1], { limit: 16_385 }],
  ['delegated_credential', 34, [0, 2, 4, 3], { schemes: [ECDSA] }],
  ['session_ticket', 35, Buffer.alloc(192), { ticket_length: 192 }],
  ['session_ticket that asks for one', 35, [], { ticket_length: 0 }],
  [
    'pre_shared_key',
    41,
    [...vector(2, [...vector(2, Buffer.alloc(32)), 0, 0, 1, 0]), ...vector(2, [2, 7, 8])],
    { identities: [{ length: 32, obfuscated_ticket_age: 256 }], binder_lengths: [2] },
  ],
  [
    'supported_versions',
    43,
    vector(1, uint16s([0x0a0a, 0x0304])),
    {
      versions: ['GREASE', 'TLSv1.3'],
    },
  ],
  ['cookie', 44, [0, 3, 1, 2, 3], { cookie_length: 3 }],
  ['psk_key_exchange_modes', 45, [1, 1], { modes: ['psk_dhe_ke'] }],
  ['certificate_authorities', 47, hexBytes('0007000230000001aa'), { name_lengths: [2, 1] }],
  ['signature_algorithms_cert', 50, [0, 2, 4, 3], { schemes: [ECDSA] }],
  [
    'key_share',
    51,
    vector(2, [...uint16s([29]), ...vector(2, Buffer.alloc(32))]),
    { shares: [{ group: 'x25519', length: 32 }] },
  ],
  ['ticket_request', 58, [2, 1], { new_session_count: 2, resumption_count: 1 }],
  ['dnssec_chain', 59, [1, 0xbb], { port: 443 }],
  ['ALPS', 17_513, hexBytes('0003026832'), { protocols: ['h2'] }],
  ['ALPS, renumbered', 17_613, hexBytes('000403c9bb32'), { protocols: ['\xc9\xbb2'] }],
  [
    'trust_anchors, the example of the draft',
    51_764,
    vector(2, vector(1, hexBytes('81fd5901'))),
    { ids: ['32473.1'] },
  ],
  ['trust_anchors without any', 51_764, [0, 0], { ids: [] }],
  ['ech_outer_extensions', 64_768, [2, 0, 51], { extensions: ['key_share'] }],
  [
    'encrypted_client_hello, outer',
    65_037,
    hexBytes('0000010003070002aabb0003ccddee'),
    {
      type: 'outer',
      kdf: 'HKDF-SHA256',
      aead: 'ChaCha20Poly1305',
      config_id: 7,
      enc_length: 2,
      payload_length: 3,
    },
  ],
  ['encrypted_client_hello, inner', 65_037, [1], { type: 'inner' }],
  ['renegotiation_info', 65_281, [0], { verify_data_length: 0 }],
];

describe('contents by name', () => {
  test.each(samples)('%s', (_, id, data, content) => {
    expect(view(id, data)).toEqual({
      name: extensionName(id),
      id: expect.stringMatching(/^0x[\dA-F]{4}$/),
      length: Array.from(data).length,
      content,
    });
  });

  test.each(captures)('%s sends nothing malformed, and all but GREASE is named', (name) => {
    const views = (parseClientHello(captured(name))?.extensions ?? []).map(extensionView);
    const shown = views.filter((each) => each.data !== undefined);
    expect(shown.filter((each) => each.name !== 'GREASE')).toEqual([]);
    expect(views.some((each) => each.malformed)).toBe(false);
  });

  test("Chromium's trust anchors and encrypted ClientHello", () => {
    const views = (parseClientHello(captured('chromium'))?.extensions ?? []).map(extensionView);
    const contentOf = (name: string) => views.find((each) => each.name === name)?.content;
    expect(contentOf('trust_anchors')).toMatchObject({
      ids: expect.arrayContaining(['44947.2.1', '52580.200109.1.7']),
    });
    expect(contentOf('encrypted_client_hello')).toMatchObject({
      aead: 'AES-128-GCM',
      config_id: 194,
      enc_length: 32,
      payload_length: 240,
    });
  });
});

test.each([2, 4, 18, 22, 23, 33, 42, 49, 52, 61, 13_172, 30_032, 0x1a1a, 0xff00])(
  '%i is shown without a content if it is empty',
  (id) => {
    expect(Object.keys(view(id, []))).toEqual(['name', 'id', 'length']);
  },
);

describe('as bytes', () => {
  test('what has no structure or an unknown one', () => {
    expect(view(57, [1, 4, 0x80])).toEqual({
      name: 'quic_transport_parameters',
      id: '0x0039',
      length: 3,
      data: '010480',
    });
    expect(view(0x1a1a, [0])).toMatchObject({ name: 'GREASE', length: 1, data: '00' });
  });

  test('the first 256', () => {
    expect(view(57, Buffer.alloc(256, 7))).toEqual(
      expect.not.objectContaining({ data_left_out: expect.anything() }),
    );
    expect(view(57, Buffer.alloc(300, 7))).toMatchObject({
      length: 300,
      data: '07'.repeat(256),
      data_left_out: 44,
    });
  });

  test.each<[string, number, Iterable<number>]>([
    ['more than there has to be', 42, [1]],
    ['a list that is longer than its extension', 10, [0, 4, 0, 29]],
    ['a list that is shorter than its extension', 10, [0, 2, 0, 29, 0]],
    ['a list cut in an element', 13, [0, 3, 4, 3, 8]],
    ['ALPS cut in a name', 17_613, hexBytes('0003036832')],
    ['a fragment length that is none', 1, [5]],
    ['padding that is not zero', 21, [0, 0, 1]],
    ['an unknown type of ECH', 65_037, [2]],
    ['an encrypted ClientHello cut short', 65_037, hexBytes('0000010003070002aabb0003ccdd')],
    ['an inner one with more', 65_037, [1, 0]],
    ['a trust anchor that ends within a number', 51_764, [0, 2, 1, 0x81]],
    ['a trust anchor without numbers', 51_764, [0, 1, 0]],
    ['binders cut short', 41, [0, 0, 0, 3, 2, 7]],
  ])('what is malformed: %s', (_, id, data) => {
    expect(view(id, data)).toEqual({
      name: extensionName(id),
      id: expect.any(String),
      length: Array.from(data).length,
      data: Buffer.from(Uint8Array.from(data)).toString('hex'),
      malformed: true,
    });
  });

  test('an extension that must not be empty', () => {
    expect(view(10, [])).toMatchObject({ length: 0, malformed: true });
  });
});

test('whatever comes is shown, by name or as bytes', () => {
  const known = samples.flatMap(([, id, data]) => [
    fc.constant([id, Uint8Array.from(data)] as const),
    fc.tuple(fc.constant(id), fc.uint8Array({ maxLength: 40 })),
    fc
      .tuple(fc.nat(), fc.nat({ max: 255 }))
      .map(([at, byte]) => [id, Uint8Array.from(data).fill(byte, at % 9, (at % 9) + 1)] as const),
    fc.nat({ max: 40 }).map((end) => [id, Uint8Array.from(data).subarray(0, end)] as const),
  ]);
  const any = fc.tuple(fc.nat({ max: 0xffff }), fc.uint8Array({ maxLength: 400 }));
  fc.assert(
    fc.property(fc.oneof(any, ...known), ([id, data]) => {
      const shown = extensionView({ id, data });
      expect(shown.length).toBe(data.length);
      if (shown.content) expect(shown).not.toHaveProperty('data');
      else expect((shown.data?.length ?? 0) / 2 + (shown.data_left_out ?? 0)).toBe(data.length);
      JSON.stringify(shown);
    }),
    { numRuns: 3000 },
  );
});
