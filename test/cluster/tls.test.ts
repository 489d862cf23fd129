import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { CertificateFiles, issue, makeAuthority } from '../_certificates.ts';
import { replace, startCluster } from './_cluster.ts';
import { times } from './_workers.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Handshake {
  readonly isResumed: boolean;
  readonly fingerprint: string | undefined;
}

async function handshake(port: number, options: tls.ConnectionOptions = {}): Promise<Handshake> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
  const isResumed = socket.isSessionReused();
  socket.destroy();
  return { isResumed, fingerprint };
}

/** Does a full handshake. @returns the session to resume */
async function sessionOf(port: number, options: tls.ConnectionOptions): Promise<Buffer> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  const [session] = (await once(socket, 'session')) as [Buffer];
  expect(socket.isSessionReused()).toBe(false);
  socket.destroy();
  return session;
}

async function fingerprints(port: number): Promise<Set<string | undefined>> {
  const seen = await times(4, async () => handshake(port));
  return new Set(seen.map(({ fingerprint }) => fingerprint));
}

test('every worker resumes the sessions of the others, also with a new certificate', async () => {
  const files = new CertificateFiles(folder, 'shared');
  await files.renew();
  const { port, primary } = await startCluster(...files.settings);
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const options = { minVersion: version, maxVersion: version } as const;
    const resumed = async (session: Buffer): Promise<boolean[]> => {
      const seen = await times(4, () => handshake(port, { ...options, session }));
      return seen.map(({ isResumed }) => isResumed);
    };
    const session = await sessionOf(port, options);
    expect(await resumed(session)).toEqual([true, true, true, true]);
    await files.renew();
    await primary.renewCertificate();
    expect(await resumed(session)).toEqual([true, true, true, true]);
    expect(await resumed(await sessionOf(port, options))).toEqual([true, true, true, true]);
  }
});

test('with client certificates, sessions from before a renewal are not resumed', async () => {
  const authority = await makeAuthority('Test authority');
  const client = await issue('client', { by: authority });
  const ca = join(folder, 'ca.crt');
  await writeFile(ca, authority.cert);
  const { port, primary } = await startCluster('--client-cert=require', `--tls-ca=${ca}`);
  const session = await sessionOf(port, client);
  const resumed = async (): Promise<boolean[]> => {
    const seen = await times(4, async () => handshake(port, { ...client, session }));
    return seen.map(({ isResumed }) => isResumed);
  };
  expect(await resumed()).toEqual([true, true, true, true]);
  await primary.renewCertificate();
  expect(await resumed()).toEqual([false, false, false, false]);
});

test('a renewal applies to all workers, and to restarted ones; an invalid certificate is not used', async () => {
  const files = new CertificateFiles(folder);
  await files.renew();
  const cluster = await startCluster(...files.settings);
  const { port, primary } = cluster;
  const first = await fingerprints(port);
  expect(first.size).toBe(1);
  await files.renew();
  await primary.renewCertificate();
  const second = await fingerprints(port);
  expect(second.size).toBe(1);
  expect(second).not.toEqual(first);
  await files.spoil();
  await expect(primary.renewCertificate()).rejects.toThrow('does not contain a PEM certificate');
  await replace(cluster, cluster.workers[0]);
  expect(await fingerprints(port)).toEqual(second);
});

test('all workers share one self-signed certificate', async () => {
  const { port } = await startCluster('--workers', '3');
  expect((await fingerprints(port)).size).toBe(1);
});
