import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { parseChain, verifyChain } from '../../../src/quic/tls/certificate-chain.ts';
import { readCredential } from '../../../src/quic/tls/credential.ts';
import { Alert, HandshakeError, type AlertName } from '../../../src/quic/tls/failure.ts';
import { issue, makeAuthority, type Pair as KeyPair } from '../../_certificates.ts';
import { Pair } from './_handshake.ts';

const root = await makeAuthority('root');
const other = await makeAuthority('another root');
const intermediate = await makeAuthority('intermediate', root);
const second = await makeAuthority('second intermediate', intermediate);
const leaf = await issue('leaf', { by: second, host: 'a.example', address: '127.0.0.1' });
const NOW = Date.now();

const parsed = ({ cert }: KeyPair): X509Certificate => new X509Certificate(cert);
const chainOf = (...pairs: readonly KeyPair[]): readonly X509Certificate[] => pairs.map(parsed);

interface Attempt {
  readonly chain?: readonly X509Certificate[];
  readonly ca?: readonly X509Certificate[];
  readonly host?: string;
  readonly now?: number;
}

/** The code of the failure; undefined if the chain is accepted. */
function codeOf(attempt: Attempt): number | undefined {
  const { chain = chainOf(leaf, second, intermediate), ca = [parsed(root)], now = NOW } = attempt;
  try {
    verifyChain(chain, { ca, host: attempt.host ?? 'a.example' }, now);
    return undefined;
  } catch (error) {
    if (error instanceof HandshakeError) return error.code;
    throw error;
  }
}

describe('a chain is accepted', () => {
  test.each<readonly [string, Attempt]>([
    ['to a root', {}],
    ['in any order, with others', { chain: chainOf(leaf, other, intermediate, second, root) }],
    [
      'to an intermediate that is trusted',
      { chain: chainOf(leaf, second), ca: [parsed(intermediate)] },
    ],
    ['that is itself trusted', { chain: chainOf(leaf), ca: [parsed(leaf)] }],
    ['for an IP address', { host: '127.0.0.1' }],
  ])('%s', (_, attempt) => {
    expect(codeOf(attempt)).toBeUndefined();
  });
});

describe('a chain is refused', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test.each<readonly [string, Attempt, AlertName]>([
    ['for another name', { host: 'b.example' }, 'certificate_unknown'],
    ['for another address', { host: '127.0.0.2' }, 'certificate_unknown'],
    ['that is expired', { now: NOW + 2 * DAY }, 'certificate_expired'],
    ['that is not yet valid', { now: NOW - 3 * DAY }, 'certificate_expired'],
    // The authorities are made today, the leaf is valid since two days.
    ['of an authority that is not yet valid', { now: NOW - DAY }, 'unknown_ca'],
    ['to another root', { ca: [parsed(other)] }, 'unknown_ca'],
    ['without an intermediate', { chain: chainOf(leaf, second) }, 'unknown_ca'],
    ['without trust anchors', { ca: [] }, 'unknown_ca'],
    ['without certificates', { chain: [] }, 'decode_error'],
  ])('%s', (_, attempt, alert) => {
    expect(codeOf(attempt)).toBe(0x100 + Alert[alert]);
  });

  test('that a certificate without basicConstraints cA has signed', async () => {
    const forged = await issue('forged', { by: leaf, host: 'a.example' });
    const chain = chainOf(forged, leaf, second, intermediate);
    expect(codeOf({ chain })).toBe(0x100 + Alert.unknown_ca);
  });

  test('that another key with the name of the authority has signed', async () => {
    const impostor = await makeAuthority('root');
    const forged = await issue('forged', { by: impostor, host: 'a.example' });
    expect(codeOf({ chain: chainOf(forged) })).toBe(0x100 + Alert.unknown_ca);
  });
});

test('a certificate for clients only is refused', async () => {
  const made = await generate([{ name: 'commonName', value: 'client' }], {
    keyType: 'ec',
    extensions: [
      { name: 'extKeyUsage', clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'a.example' }] },
    ],
  });
  const chain = [new X509Certificate(made.cert)];
  expect(codeOf({ chain, ca: chain, now: NOW + 1000 })).toBe(0x100 + Alert.unsupported_certificate);
});

test('at most 16 certificates are read', () => {
  expect(parseChain(Array.from({ length: 40 }, () => parsed(root).raw))).toHaveLength(16);
});

describe('a handshake', () => {
  const cert = [leaf, second, intermediate].map((each) => each.cert).join('\n');
  const server = { credentials: [readCredential(cert, leaf.key)] };
  const verification = { ca: [parsed(root)], host: 'a.example' };

  test('verifies the chain', () => {
    const good = new Pair({ server, client: { verification, now: NOW } }).run();
    expect(good.clientFailure).toBeUndefined();
    expect(good.client.serverChain).toHaveLength(3);
    const [session] = good.atClient.sessions;
    expect(session?.verifiedHost).toBe('a.example');
    const client = { verification: { ...verification, ca: [parsed(other)] }, now: NOW };
    const bad = new Pair({ server, client }).run();
    expect(bad.clientFailure?.code).toBe(0x100 + Alert.unknown_ca);
    expect(bad.atClient.completions).toBe(0);
  });
});

test('a credential needs a certificate', () => {
  expect(() => readCredential('', leaf.key)).toThrow('no PEM certificate');
});
