import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { proxyProtocolSchema } from '../../src/echo/echo-schema.ts';
import { proxyProtocolView } from '../../src/echo/proxy-protocol.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { parseProxyHeader } from '../../src/wire/proxy-protocol/read.ts';
import { INET6, tlv, v2, V1, type V2 } from '../_proxy.ts';
import { violations } from '../_schema.ts';

interface Shown {
  readonly view: Record<string, unknown> | undefined;
  readonly remote: string;
}

function shown(header: Buffer): Shown {
  const connection = new TcpConnection(new Socket());
  const reading = parseProxyHeader(header);
  if (reading.kind !== 'header') throw new Error(JSON.stringify(reading));
  connection.identifyClient(reading.header, undefined);
  const view = proxyProtocolView(connection);
  expect(violations(proxyProtocolSchema, JSON.parse(JSON.stringify(view)))).toEqual([]);
  return { view, remote: `${connection.remoteAddress} ${connection.remotePort}` };
}

test('undefined without a header', () => {
  expect(proxyProtocolView(new TcpConnection(new Socket()))).toBeUndefined();
});

const peer = ' 0';
test.each([
  ['version 1', V1, '192.0.2.1:1111', '192.0.2.1 1111'],
  ['IPv6', v2({ family: 0x21, addresses: INET6 }), '[2001:db8::1]:1111', '2001:db8::1 1111'],
  [
    'IPv4 in IPv6',
    Buffer.from('PROXY TCP6 ::ffff:192.0.2.1 ::ffff:192.0.2.2 1111 443\r\n'),
    '[::ffff:192.0.2.1]:1111',
    '192.0.2.1 1111',
  ],
  ['a unix socket', v2({ family: 0x31, addresses: Buffer.alloc(216, 'x') }), 'x'.repeat(108), peer],
  ['LOCAL', v2({ command: 0x20 }), null, peer],
  ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), null, peer],
])('source and client address: %s', (_, header, source, remote) => {
  const { view, ...rest } = shown(header);
  expect(view).toMatchObject({ source });
  expect(rest).toEqual({ remote });
});

describe('TLVs', () => {
  const otherMembers = new Set(Object.keys(shown(v2()).view ?? {}));
  const tlvsOf = (given: V2['tlvs']): Record<string, unknown> => {
    const members = Object.entries(shown(v2({ tlvs: given ?? [] })).view ?? {});
    return Object.fromEntries(members.filter(([name]) => !otherMembers.has(name)));
  };

  test('none', () => {
    expect(tlvsOf([])).toEqual({});
  });

  test('known types by name', () => {
    const known = [tlv(1, 'h2'), tlv(2, 'a.example'), tlv(5, 'id-1'), tlv(0x30, 'blue')];
    expect(tlvsOf(known)).toEqual({
      alpn: 'h2',
      authority: 'a.example',
      unique_id: 'id-1',
      netns: 'blue',
    });
  });

  test('others by number', () => {
    expect(tlvsOf([tlv(0xea, '\x01vpce-1'), tlv(4, '\0'), tlv(0x21, 'x')])).toEqual({
      tlvs: [
        { type: '0xEA', value: 'AXZwY2UtMQ==' },
        { type: '0x04', value: 'AA==' },
        { type: '0x21', value: 'eA==' },
      ],
    });
  });

  test('a repeated TLV and invalid UTF-8 are listed by number', () => {
    expect(tlvsOf([tlv(1, 'h2'), tlv(1, 'http/1.1'), tlv(5, '\xff\0')])).toEqual({
      alpn: 'h2',
      tlvs: [
        { type: '0x01', value: 'aHR0cC8xLjE=' },
        { type: '0x05', value: '/wA=' },
      ],
    });
  });

  test('text is UTF-8', () => {
    expect(tlvsOf([tlv(2, Buffer.from('bücher.example'))])).toEqual({
      authority: 'bücher.example',
    });
  });

  test('ssl with its nested TLVs', () => {
    const inner = [
      tlv(0x21, 'TLSv1.3'),
      tlv(0x22, 'client'),
      tlv(0x23, 'TLS_AES_256_GCM_SHA384'),
      tlv(0x24, 'RSA-SHA256'),
      tlv(0x25, 'RSA2048'),
      tlv(0x26, 'X25519'),
      tlv(0x27, 'rsa_pss_rsae_sha256'),
      tlv(0x28, '\x30'),
    ];
    const ssl = Buffer.concat([Buffer.from([0x05, 0, 0, 0x01, 0]), ...inner]);
    expect(tlvsOf([tlv(0x20, ssl)])).toEqual({
      ssl: {
        client: { ssl: true, cert_conn: false, cert_sess: true },
        verify: 256,
        version: 'TLSv1.3',
        cn: 'client',
        cipher: 'TLS_AES_256_GCM_SHA384',
        sig_alg: 'RSA-SHA256',
        key_alg: 'RSA2048',
        group: 'X25519',
        sig_scheme: 'rsa_pss_rsae_sha256',
        tlvs: [{ type: '0x28', value: 'MA==' }],
      },
    });
  });
});
