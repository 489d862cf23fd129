import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

afterAll(async () => {
  checking?.service.close();
  trusting?.service.close();
  await rm(directory, { recursive: true });
});

interface Facts {
  client_cert_present: boolean;
  client_certs: Record<string, unknown>[];
}

async function factsFrom(running: Running | undefined, pair?: Pair): Promise<Facts> {
  const { tls } = await getOverTls(running?.port ?? 0, '/anything', { ...pair });
  return tls as Facts;
}

describe('with --client-cert request and an authority', () => {
  test('a valid certificate and its issuer are shown, and authorized', async () => {
    const { client_cert_present, client_certs } = await factsFrom(checking, valid);
    const own = new X509Certificate(valid.cert);
    expect(client_cert_present).toBe(true);
    expect(client_certs).toHaveLength(2);
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
    expect(client_certs[1]).toMatchObject({
      subject: 'CN=Test authority',
      issuer: 'CN=Test authority',
      subject_alt_names: [],
      authorized: true,
    });
  });

  test.each<[string, () => Pair, string, number]>([
    ['an expired one', () => expired, 'CERT_HAS_EXPIRED', 2],
    ["a stranger's", () => stranger, 'DEPTH_ZERO_SELF_SIGNED_CERT', 1],
  ])('%s is let in, and the error told', async (_, pair, error, length) => {
    const { client_certs } = await factsFrom(checking, pair());
    expect(client_certs).toHaveLength(length);
    for (const entry of client_certs) expect(entry).toMatchObject({ authorized: false, error });
  });

  test('without one there is none, whatever Node says of its authorization', async () => {
    expect(await factsFrom(checking)).toMatchObject({
      client_cert_present: false,
      client_certs: [],
    });
  });

  test('HTTP/2 shows the same', async () => {
    const session = http2.connect(`https://127.0.0.1:${checking?.port}`, {
      ...valid,
      rejectUnauthorized: false,
    });
    const stream = session.request({ ':path': '/tls' });
    stream.setEncoding('utf8');
    let content = '';
    for await (const chunk of stream) content += String(chunk);
    session.close();
    const { tls } = JSON.parse(content) as { tls: Facts };
    expect(tls.client_certs).toEqual((await factsFrom(checking, valid)).client_certs);
  });
});

test('with --client-cert request alone any certificate is let in, and not authorized', async () => {
  const { client_certs } = await factsFrom(trusting, valid);
  expect(client_certs).toHaveLength(1);
  expect(client_certs[0]).toMatchObject({
    subject: 'CN=valid client',
    authorized: false,
    error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
});
