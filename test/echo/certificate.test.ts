import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { getOverTls, issue, makeAuthority, type Pair } from '../_certificates.ts';
import { startService, type Running } from '../_service.ts';

const COMMA = 'https://client.example/a,b';

let directory = '';
let authority: Pair;
let valid: Pair;
let expired: Pair;
let stranger: Pair;
let checking: Running | undefined;
let trusting: Running | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
  authority = await makeAuthority('Test authority');
  valid = await issue('valid client', { by: authority, alternative: COMMA });
  expired = await issue('late client', { by: authority, expired: true });
  stranger = await issue('stranger', {});
  const ca = join(directory, 'ca.pem');
  await writeFile(ca, authority.cert);
  checking = await startService('--client-cert', 'request', '--tls-ca', ca);
  trusting = await startService('--client-cert', 'request');
});

afterAll(() => rm(directory, { recursive: true }));

interface Facts {
  client_cert_present: boolean;
  client_certs: Record<string, unknown>[];
  client_certs_complete: boolean;
}

async function factsFrom(running: Running | undefined, pair?: Pair): Promise<Facts> {
  const { tls } = await getOverTls(running?.port ?? 0, '/anything', { ...pair });
  return tls as Facts;
}

describe('with --client-cert request and a CA', () => {
  test('a valid certificate is shown and authorized', async () => {
    const { client_cert_present, client_certs } = await factsFrom(checking, valid);
    const own = new X509Certificate(valid.cert);
    expect(client_cert_present).toBe(true);
    expect(client_certs).toHaveLength(1);
    expect(client_certs[0]).toEqual({
      subject: 'CN=valid client',
      issuer: 'CN=Test authority',
      subject_alt_names: ['DNS:client.example', `URI:${COMMA}`],
      serial_number: own.serialNumber,
      not_before: new Date(own.validFrom).toISOString(),
      not_after: new Date(own.validTo).toISOString(),
      sha256: own.fingerprint256,
      der_length: own.raw.length,
      pem: own.toString(),
      authorized: true,
      error: null,
    });
  });

  test.each<[string, () => Pair, string]>([
    ['an expired one', () => expired, 'CERT_HAS_EXPIRED'],
    ['a self-signed one', () => stranger, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s is accepted, and the error is shown', async (_, pair, error) => {
    const { client_certs } = await factsFrom(checking, pair());
    expect(client_certs).toHaveLength(1);
    expect(client_certs[0]).toMatchObject({ authorized: false, error });
  });

  test('without a certificate nothing is shown, regardless of `authorized` in Node', async () => {
    expect(await factsFrom(checking)).toMatchObject({
      client_cert_present: false,
      client_certs: [],
      client_certs_complete: true,
    });
  });

  test('HTTP/2 shows the same', async () => {
    const session = connectHttp2(`https://127.0.0.1:${checking?.port}`, {
      ...valid,
      rejectUnauthorized: false,
    });
    const { tls } = (await json(session.request({ ':path': '/tls' }))) as { tls: Facts };
    session.close();
    expect(tls.client_certs).toEqual((await factsFrom(checking, valid)).client_certs);
  });
});

test('with only --client-cert request any certificate is accepted but not authorized', async () => {
  const { client_certs } = await factsFrom(trusting, valid);
  expect(client_certs).toHaveLength(1);
  expect(client_certs[0]).toMatchObject({
    subject: 'CN=valid client',
    authorized: false,
    error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
});

describe('a client certificate from an intermediate CA', () => {
  let intermediate: Pair;
  let leaf: Pair;
  /** By content of --tls-ca: only the root, also the intermediate, or an unrelated CA. */
  const services = new Map<string, Running>();

  beforeAll(async () => {
    intermediate = await makeAuthority('Intermediate', authority);
    leaf = await issue('leaf', { by: intermediate });
    const bundles = [
      ['the root', authority.cert],
      ['both', `${authority.cert}\n${intermediate.cert}`],
      ['a stranger', stranger.cert],
    ] as const;
    for (const [name, content] of bundles) {
      const ca = join(directory, 'bundle.pem');
      await writeFile(ca, content);
      services.set(name, await startService('--client-cert', 'request', '--tls-ca', ca));
    }
  });

  const chain = (...pairs: Pair[]): Pair => ({
    cert: pairs.map(({ cert }) => cert).join('\n'),
    key: leaf.key,
  });
  const versions = ['TLSv1.2', 'TLSv1.3'] as const;
  const cases = versions.flatMap((version) =>
    ['the root', 'both', 'a stranger'].map((ca) => [version, ca] as const),
  );

  test.each(cases)(
    '%s, --tls-ca has %s: shows exactly what the client sent',
    async (version, ca) => {
      const sent: [string[], Pair][] = [
        [['CN=leaf'], leaf],
        [['CN=leaf', 'CN=Intermediate'], chain(leaf, intermediate)],
        [
          ['CN=leaf', 'CN=stranger', 'CN=Intermediate', 'CN=Test authority', 'CN=leaf'],
          chain(leaf, stranger, intermediate, authority, leaf),
        ],
      ];
      for (const [names, pair] of sent) {
        const port = services.get(ca)?.port ?? 0;
        const { tls: facts } = await getOverTls(port, '/tls', { ...pair, maxVersion: version });
        expect(namesIn(facts as Facts)).toEqual(names);
        expect(facts).toMatchObject({ client_certs_complete: true });
        const { tls } = await getOverTls(port, '/anything?dialect=gateway-api', {
          ...pair,
          maxVersion: version,
        });
        const { peerCertificates } = tls as { peerCertificates: string[] };
        const subjects = peerCertificates.map((pem) => new X509Certificate(pem).subject);
        expect(subjects).toEqual(names);
      }
    },
  );

  test('is not authorized if the intermediate certificate is missing', async () => {
    const facts = await factsFrom(services.get('the root'), leaf);
    expect(namesIn(facts)).toEqual(['CN=leaf']);
    expect(facts.client_certs[0]).toMatchObject({
      authorized: false,
      error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  test('is shown in full for later requests of a connection, in both dialects', async () => {
    const session = connectHttp2(`https://127.0.0.1:${services.get('the root')?.port}`, {
      ...chain(leaf, intermediate),
      rejectUnauthorized: false,
    });
    const lengths: unknown[] = [];
    for (const path of ['/tls', '/anything?dialect=gateway-api', '/tls']) {
      const echo = await json(session.request({ ':path': path }));
      const { tls } = echo as { tls: Record<string, unknown[]> };
      lengths.push((tls['client_certs'] ?? tls['peerCertificates'])?.length);
    }
    session.close();
    expect(lengths).toEqual([2, 2, 2]);
  });

  test.each(versions)('%s resumed: only the leaf certificate is known', async (version) => {
    const port = services.get('the root')?.port ?? 0;
    const options = { ...chain(leaf, intermediate), maxVersion: version };
    const first = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    first.resume();
    const [session] = (await once(first, 'session')) as [Buffer];
    first.destroy();
    const { tls } = await getOverTls(port, '/tls', { ...options, session });
    expect(tls).toMatchObject({
      session_reused: true,
      client_cert_present: true,
      client_certs: [{ subject: 'CN=leaf', authorized: true, error: null }],
      client_certs_complete: false,
    });
  });
});

function namesIn({ client_certs }: Facts): unknown[] {
  return client_certs.map(({ subject }) => subject);
}
