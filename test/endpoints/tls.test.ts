import { once } from 'node:events';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { getOverTls } from '../_certificates.ts';
import { tlsDetailsSchema } from '../../src/echo/tls-schema.ts';
import { everywhere } from '../_everywhere.ts';
import { converse } from '../_raw.ts';
import { violations } from '../_schema.ts';
import { startService } from '../_service.ts';
import { HAS_MLKEM } from '../_system.ts';

type View = Record<string, unknown>;

/** The details of a response, which are as declared. */
function detailsOf(content: string | Buffer): View {
  const details = JSON.parse(content.toString()) as { tls: View };
  expect(violations(tlsDetailsSchema, details)).toEqual([]);
  return details.tls;
}

everywhere(({ client, transport }) => {
  const encrypted = transport === 'https/1.1' || transport === 'h2';

  if (!encrypted) {
    test('has a reason if there are no details', async () => {
      const { status, body } = await client().request('/tls');
      expect(status).toBe(200);
      expect(JSON.parse(body.toString())).toEqual({
        tls: null,
        reason: 'the connection does not use TLS',
      });
    });
    return;
  }

  test('shows the ClientHello and the negotiated parameters', async () => {
    const { status, body } = await client().request('/tls');
    expect(status).toBe(200);
    const details = detailsOf(body);
    const h2 = transport === 'h2';
    // Whether an agent of node:https offers http/1.1 by ALPN depends on the version of Node.
    const alpn = h2 ? 'h2' : details['alpn'];
    expect(['h2', 'http/1.1', null]).toContain(alpn);
    expect(details).toMatchObject({
      version: 'TLSv1.3',
      cipher_suite: 'TLS_AES_256_GCM_SHA384',
      alpn,
      client_cert_present: false,
      client_certs: [],
      ja3: expect.stringMatching(/^771,4866-4867-4865-/),
      ja3_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      ja3n: expect.stringMatching(/^771,4866-4867-4865-[\d-]+,(?:0-)?10-11-/),
      ja3n_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      ja4: expect.stringMatching(h2 ? /^t13i\d{4}h2_/ : /^t13i\d{4}(h1|00)_/),
      ja4_r: expect.stringMatching(/^t13i\w{6}_[0-9a-f,]+_[0-9a-f,]+_[0-9a-f,]+$/),
      ja4_o: expect.stringMatching(/^t13i\w{6}_[0-9a-f]{12}_[0-9a-f]{12}$/),
      ja4_ro: expect.stringContaining('_1302,1303,1301,'),
      group: { name: expect.any(String), id: expect.stringMatching(/^0x[\dA-F]{4}$/) },
      hello_retry_request: false,
      post_quantum: { offered: HAS_MLKEM, negotiated: HAS_MLKEM },
      server_cert: { subject: 'CN=localhost', pem: expect.stringContaining('BEGIN CERTIFICATE') },
      client_hello: {
        legacy_version: { name: 'TLSv1.2', id: '0x0303' },
        supported_versions: [
          { name: 'TLSv1.3', id: '0x0304' },
          { name: 'TLSv1.2', id: '0x0303' },
        ],
        compression_methods: [{ name: 'null', id: '0x00' }],
        alpn: alpn === null ? null : [alpn],
        psk_modes: [{ name: 'psk_dhe_ke', id: '0x01' }],
        session_id_length: 32,
        early_data: false,
        ech: null,
        grease: {},
      },
    });
    const hello = details['client_hello'] as Record<string, View[]>;
    expect(hello['cipher_suites']?.[0]).toEqual({ name: 'TLS_AES_256_GCM_SHA384', id: '0x1302' });
    expect(hello['supported_groups']).toContainEqual(details['group']);
    const shared = hello['key_shares']?.map(({ id }) => id);
    expect(shared).toContain((details['group'] as View)['id']);
    expect(hello['supported_groups']).toContainEqual({ name: 'x25519', id: '0x001D' });
    expect(hello['key_shares']).toContainEqual({ name: 'x25519', id: '0x001D', length: 32 });
    expect(hello['extensions']).toContainEqual({
      name: 'psk_key_exchange_modes',
      id: '0x002D',
      length: 2,
      content: { modes: ['psk_dhe_ke'] },
    });
  });

  test('the echo has the same values', async () => {
    const details = detailsOf((await client().request('/tls')).body);
    const echo = JSON.parse((await client().request('/anything')).body.toString()) as { tls: View };
    expect(details).toMatchObject(echo.tls);
    expect(Object.keys(echo.tls).join(' ')).toBe(
      'version cipher_suite group hello_retry_request alpn client_cert_present client_certs client_certs_complete sni session_reused ja3 ja3_hash ja3n ja3n_hash ja4',
    );
  });
});

/** What /tls shows to a client that asks for a.example with these options. */
async function shownTo(options: tls.ConnectionOptions): Promise<View> {
  const { port } = await startService();
  const own = { port, servername: 'a.example', rejectUnauthorized: false, ...options };
  const socket = tls.connect(own);
  await once(socket, 'secureConnect');
  const answer = await converse(socket, 'GET /tls HTTP/1.0\r\nHost: a\r\n\r\n');
  return detailsOf(answer.slice(answer.indexOf('{')));
}

describe('clients and settings', () => {
  test('SNI, and no ALPN', async () => {
    expect(await shownTo({})).toMatchObject({
      sni: 'a.example',
      alpn: null,
      ja4: expect.stringMatching(/^t13d\d{4}00_/),
      client_hello: { server_name: 'a.example', alpn: null },
    });
  });

  test.each([
    ['TLSv1.3', 'X25519', 'x25519', '0x001D'],
    ['TLSv1.3', 'P-256', 'secp256r1', '0x0017'],
    ['TLSv1.3', 'P-521', 'secp521r1', '0x0019'],
    ['TLSv1.3', 'ffdhe2048', 'ffdhe2048', '0x0100'],
    // Before TLS 1.3, the client's groups must include that of the certificate (RFC 8422 5.1).
    ['TLSv1.2', 'P-256', 'secp256r1', '0x0017'],
    ['TLSv1.2', 'X25519:P-256', 'x25519', '0x001D'],
  ] as const)('%s with the group %s', async (maxVersion, ecdhCurve, name, id) => {
    expect(await shownTo({ maxVersion, ecdhCurve })).toMatchObject({
      version: maxVersion,
      group: { name, id },
      hello_retry_request: false,
      post_quantum: { offered: false, negotiated: false },
    });
  });

  test.runIf(HAS_MLKEM).each([
    ['X25519MLKEM768', false],
    // The server prefers the hybrid, for which the client has no key share.
    ['X25519:X25519MLKEM768', true],
  ])('%s: HelloRetryRequest %s', async (ecdhCurve, retried) => {
    expect(await shownTo({ ecdhCurve })).toMatchObject({
      group: { name: 'X25519MLKEM768', id: '0x11EC' },
      hello_retry_request: retried,
      post_quantum: { offered: true, negotiated: true },
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('a resumed session in %s', async (version) => {
    const { port } = await startService('--tls-max', version);
    const servername = 'a.example';
    const first = tls.connect({ port, servername, host: '127.0.0.1', rejectUnauthorized: false });
    first.resume();
    const [session] = (await once(first, 'session')) as [Buffer];
    first.destroy();
    const { tls: details } = await getOverTls(port, '/tls', { session, servername });
    expect(details).toMatchObject({ version, session_reused: true, sni: servername });
    if (version === 'TLSv1.2') {
      expect(details).toMatchObject({
        group: null,
        group_reason: 'TLSv1.2 resumes a session without key exchange',
        hello_retry_request: false,
        post_quantum: { negotiated: false },
      });
    } else expect(details).toMatchObject({ group: { name: expect.any(String) } });
    const echo = '/anything?dialect=gateway-api';
    expect(await getOverTls(port, echo, { session, servername })).toMatchObject({
      tls: { serverName: servername },
    });
    const { session_ticket_length: ticket, psk_identity_lengths: identities } = (
      details as { client_hello: { session_ticket_length: number; psk_identity_lengths: number[] } }
    ).client_hello;
    if (version === 'TLSv1.2') expect(ticket).toBeGreaterThan(0);
    else expect(identities[0]).toBeGreaterThan(0);
  });

  test('a ClientHello of 60 KiB is not stored, except for what is shown', async () => {
    const names = Array.from({ length: 240 }, (_, n) => `${n}-`.padEnd(250, 'x'));
    const details = await shownTo({ ALPNProtocols: ['http/1.1', ...names] });
    expect(details).toMatchObject({
      sni: 'a.example',
      ja3: null,
      ja3_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      ja3n: null,
      ja3n_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      ja4: expect.stringMatching(/^t13d\d{4}h1_/),
      post_quantum: { offered: expect.any(Boolean) },
      client_hello: { length: expect.any(Number), left_out: expect.stringMatching(/8192 bytes/) },
    });
    expect((details['client_hello'] as { length: number }).length).toBeGreaterThan(60_000);
  });

  test.each([
    ['TLSv1', 't10', []],
    ['TLSv1.1', 't11', []],
    ['TLSv1', 't10', ['--tls-ciphers', 'ECDHE+AES']],
    ['TLSv1.1', 't11', ['--tls-ciphers', 'DEFAULT@SECLEVEL=0']],
  ] as const)('%s if enabled', async (version, start, args) => {
    const { port } = await startService('--tls-min', version, ...args);
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const { tls: details } = await getOverTls(port, '/tls', old);
    expect(details).toMatchObject({
      version,
      ja4: expect.stringMatching(new RegExp(`^${start}`)),
      post_quantum: { offered: false, negotiated: false },
      client_hello: { supported_versions: null, key_shares: null, signature_algorithms: null },
    });
  });

  test('a version below --tls-min fails', async () => {
    const { port } = await startService('--tls-min', 'TLSv1.3');
    await expect(getOverTls(port, '/tls', { maxVersion: 'TLSv1.2' })).rejects.toThrow(
      /alert protocol version/,
    );
  });
});
