import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tls from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { CertificateFiles, issue, makeAuthority } from '../_certificates.ts';
import type { Running } from '../_process.ts';
import { childrenOf, installed, serve, times, until } from './_workers.ts';

const installation = installed();

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

describe('every worker resumes the sessions of the others, also with a new certificate', () => {
  let running: Running;
  let files: CertificateFiles;
  beforeAll(async () => {
    files = new CertificateFiles(installation().root, 'shared');
    await files.renew();
    running = await serve('--workers=2', ...files.settings);
    installation().keep();
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', async (version) => {
    const { port } = running;
    const renewals = running.said('certificate reloaded').length;
    const options = { minVersion: version, maxVersion: version } as const;
    const resumed = async (session: Buffer): Promise<number> => {
      let count = 0;
      for (let at = 0; at < 20; at++) {
        if ((await handshake(port, { ...options, session })).isResumed) count++;
      }
      return count;
    };
    const session = await sessionOf(port, options);
    expect(await resumed(session)).toBe(20);
    await files.renew();
    running.child.kill('SIGHUP');
    await until(() => running.said('certificate reloaded').length > renewals);
    expect(await resumed(session)).toBe(20);
    expect(await resumed(await sessionOf(port, options))).toBe(20);
  });
});

test('with client certificates, sessions from before a renewal are not resumed', async () => {
  const authority = await makeAuthority('Test authority');
  const client = await issue('client', { by: authority });
  const ca = join(installation().root, 'ca.crt');
  await writeFile(ca, authority.cert);
  const running = await serve('--workers=2', '--client-cert=require', `--tls-ca=${ca}`);
  const { port } = running;
  const session = await sessionOf(port, client);
  const resumed = async (): Promise<boolean[]> => {
    const seen = await times(4, async () => handshake(port, { ...client, session }));
    return seen.map(({ isResumed }) => isResumed);
  };
  expect(await resumed()).toEqual([true, true, true, true]);
  running.child.kill('SIGHUP');
  await until(() => running.said('certificate reloaded').length === 1);
  expect(await resumed()).toEqual([false, false, false, false]);
});

test('SIGHUP applies to all workers, and to restarted ones; an invalid certificate is not used', async () => {
  const files = new CertificateFiles(installation().root);
  await files.renew();
  const running: Running = await serve('--workers=2', ...files.settings);
  const { port } = running;
  const first = await fingerprints(port);
  expect(first.size).toBe(1);
  await files.renew();
  running.child.kill('SIGHUP');
  await until(() => running.said('certificate reloaded').length === 1);
  const second = await fingerprints(port);
  expect(second.size).toBe(1);
  expect(second).not.toEqual(first);
  await files.spoil();
  running.child.kill('SIGHUP');
  await until(() => running.said('keeping the old certificate').length === 1);
  const [victim = 0] = childrenOf(running);
  process.kill(victim, 'SIGKILL');
  await until(() => running.said('worker restarted').length === 1);
  expect(await fingerprints(port)).toEqual(second);
});

test('all workers share one self-signed certificate', async () => {
  const { port } = await serve('--workers', '3');
  expect((await fingerprints(port)).size).toBe(1);
});
