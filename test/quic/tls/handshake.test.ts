import { describe, expect, test } from 'vitest';
import { CIPHER_SUITES } from '../../../src/quic/tls/cipher-suite.ts';
import { readCredential } from '../../../src/quic/tls/credential.ts';
import { Group, GROUPS } from '../../../src/quic/tls/key-exchange.ts';
import { Pair, SERVER_PARAMETERS, CLIENT_PARAMETERS } from './_handshake.ts';
import { keys } from './_keys.ts';

function expectComplete(pair: Pair): void {
  expect(pair.serverFailure).toBeUndefined();
  expect(pair.clientFailure).toBeUndefined();
  expect([pair.atServer.completions, pair.atClient.completions]).toEqual([1, 1]);
  expect(pair.atServer.secrets).toEqual(pair.atClient.secrets);
  expect(Object.keys(pair.atServer.secrets)).toEqual(['handshake', 'application']);
  expect([pair.server.state, pair.client.state]).toEqual(['connected', 'connected']);
}

describe('a handshake', () => {
  test('gives both sides the same secrets, protocol and parameters', () => {
    const pair = new Pair().run();
    expectComplete(pair);
    expect(pair.atServer.peerParameters).toBe(String(CLIENT_PARAMETERS));
    expect(pair.atClient.peerParameters).toBe(String(SERVER_PARAMETERS));
    expect(pair.client.negotiated).toEqual(pair.server.negotiated);
    expect(pair.server.negotiated).toMatchObject({
      alpn: 'h3',
      suite: 0x1301,
      signatureScheme: 0x0403,
      isResumed: false,
      isRetried: false,
    });
  });

  test.each(CIPHER_SUITES)('with cipher suite %i', (suite) => {
    const pair = new Pair({ client: { suites: [suite] } }).run();
    expectComplete(pair);
    expect(pair.server.negotiated.suite).toBe(suite);
  });

  test.each(GROUPS)('with group %i', (group) => {
    const pair = new Pair({ client: { groups: [group], shares: [group] } }).run();
    expectComplete(pair);
    expect(pair.server.negotiated.group).toBe(group);
  });

  test.each(GROUPS)('after a HelloRetryRequest for group %i', (group) => {
    const pair = new Pair({ client: { groups: [group], shares: [] } }).run();
    expectComplete(pair);
    expect(pair.server.negotiated).toMatchObject({ group, isRetried: true });
    expect(pair.client.negotiated).toEqual(pair.server.negotiated);
  });

  test.each([
    ['p256', 0x0403],
    ['p384', 0x0503],
    ['p521', 0x0603],
    ['rsa', 0x0804],
    ['ed25519', 0x0807],
  ] as const)('with a certificate of %s', (kind, scheme) => {
    const credential = readCredential(keys[kind].cert, keys[kind].key);
    const pair = new Pair({ server: { credentials: [credential] } }).run();
    expectComplete(pair);
    expect(pair.client.negotiated.signatureScheme).toBe(scheme);
    expect(pair.client.serverChain[0]?.raw).toEqual(credential.leaf.raw);
  });

  test('chooses the certificate by name', () => {
    const credentials = [keys.p256, keys.rsa].map(({ cert, key }) => readCredential(cert, key));
    const chosen = (serverName: string | undefined) => {
      const pair = new Pair({ server: { credentials }, client: { serverName } }).run();
      expectComplete(pair);
      return pair.client.negotiated.signatureScheme;
    };
    expect([chosen('rsa.example'), chosen('p256.example')]).toEqual([0x0804, 0x0403]);
    expect([chosen('other.example'), chosen(undefined)]).toEqual([0x0403, 0x0403]);
  });

  test('in pieces of one byte', () => {
    expectComplete(new Pair().run(() => {}, 1));
  });

  test('chooses the first protocol of the server', () => {
    const pair = new Pair({
      server: { alpn: ['h3', 'hq-interop'] },
      client: { alpn: ['hq-interop', 'h3'] },
    }).run();
    expect(pair.client.negotiated.alpn).toBe('h3');
  });

  test('uses a share of a group that is not the preferred one', () => {
    const groups = [Group.x25519, Group.secp256r1];
    const pair = new Pair({ client: { groups, shares: [Group.secp256r1] } }).run();
    expectComplete(pair);
    expect(pair.server.negotiated).toMatchObject({ group: Group.secp256r1, isRetried: false });
  });
});

const firstSessions = () => new Pair().run().atClient.sessions;

describe('a resumption', () => {
  test('uses the ticket without a certificate', () => {
    const [session, ...others] = firstSessions();
    expect(others).toEqual([]);
    const pair = new Pair({ client: { session } }).run();
    expectComplete(pair);
    expect(pair.client.negotiated).toEqual(pair.server.negotiated);
    expect(pair.client.negotiated.isResumed).toBe(true);
    expect(pair.client.serverChain).toEqual([]);
    expect(pair.atClient.sessions[0]?.expiresAt).toBe(session?.expiresAt);
  });

  test('after a HelloRetryRequest has a binder over both', () => {
    const [session] = firstSessions();
    const pair = new Pair({ client: { session, shares: [] } }).run();
    expectComplete(pair);
    expect(pair.client.negotiated).toMatchObject({ isResumed: true, isRetried: true });
  });

  test.each([
    ['another name', { serverName: 'other.example' }],
    ['an expired ticket', { now: Date.UTC(2027, 0, 3) }],
    ['another hash', { suites: [0x1302] }],
    ['a verified host, where the first was not', { verification: { ca: [], host: 'x' } }],
  ] as const)('is not offered for %s', (_, client) => {
    const [session] = firstSessions();
    const pair = new Pair({ client: { session, ...client } });
    pair.client.start();
    expect(pair.atClient.output[0]?.bytes.includes(Buffer.from(session?.ticket ?? []))).toBe(false);
  });

  test.each([
    ['with another key', { ticketKey: Buffer.alloc(32, 8) }],
    ['without tickets', { ticketKey: undefined }],
    ['when it has expired', { now: Date.UTC(2027, 0, 3) }],
  ])('is a full handshake %s', (_, server) => {
    const [session] = firstSessions();
    const pair = new Pair({ client: { session }, server }).run();
    expectComplete(pair);
    expect(pair.client.negotiated.isResumed).toBe(false);
  });

  test('with another PSK for the ticket is refused', () => {
    const [session] = firstSessions();
    if (!session) throw new Error('no ticket');
    const changed = { ...session, psk: Buffer.alloc(32) };
    const { serverFailure } = new Pair({ client: { session: changed } }).run();
    expect(serverFailure).toMatchObject({ code: 0x133, section: 'RFC 9846 4.3.11' });
  });

  test('of an identity that was not offered is refused', () => {
    const [session] = firstSessions();
    const pair = new Pair({ client: { session } }).run(({ bytes }, from) => {
      const at = bytes.indexOf(Buffer.from('002900020000', 'hex'));
      if (from === 'server' && bytes[0] === 2) bytes[at + 5] = 1;
    });
    expect(pair.clientFailure).toMatchObject({ code: 0x12f, section: 'RFC 9846 4.3.11' });
  });

  test.each([
    ['name', 'other.example', 'h3'],
    ['protocol', 'p256.example', 'hq-interop'],
  ])('is a full handshake with another %s', (_, serverName, alpn) => {
    const [session] = firstSessions();
    if (!session) throw new Error('no ticket');
    const pair = new Pair({
      server: { alpn: ['h3', 'hq-interop'] },
      client: { session: { ...session, serverName }, serverName, alpn: [alpn] },
    }).run();
    expectComplete(pair);
    expect(pair.server.negotiated.isResumed).toBe(false);
  });

  test('needs the mode psk_dhe_ke, as a ticket does', () => {
    const [session] = firstSessions();
    const pair = new Pair({ client: { session } });
    pair.client.start();
    const bytes = pair.atClient.output[0]?.bytes ?? Buffer.alloc(0);
    bytes[bytes.indexOf(Buffer.from('002d00020101', 'hex')) + 5] = 0;
    expect(pair.server.receive('initial', bytes)).toBeUndefined();
    expect(pair.server.negotiated.isResumed).toBe(false);
  });
});

test('a wrong Finished of the client is refused', () => {
  const pair = new Pair().run(({ bytes }, from) => {
    if (from === 'client' && bytes[0] === 20) bytes.fill(0, 4);
  });
  expect(pair.serverFailure).toMatchObject({ code: 0x133, section: 'RFC 9846 4.5.3' });
  expect(pair.atServer.completions).toBe(0);
});
