import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { getOverTls, issue, makeAuthority, malformed, type Pair } from '../_certificates.ts';
import { eventsOf } from '../_events.ts';
import { byteByByte, converse, GET, LAST, statusesOf } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { PATIENCE } from '../_adapters.ts';

let directory = '';
let valid: Pair;
let stranger: Pair;
let expired: Pair;
let running: Running | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
  const authority = await makeAuthority('Test authority');
  valid = await issue('valid client', { by: authority });
  expired = await issue('late client', { by: authority, expired: true });
  stranger = await issue('stranger', {});
  const ca = join(directory, 'ca.pem');
  await writeFile(ca, authority.cert);
  running = await startService('--client-cert', 'require', '--tls-ca', ca);
});

afterAll(async () => {
  running?.service.close();
  await rm(directory, { recursive: true });
});

interface Failure {
  /** The code of the error that ended the connection. */
  readonly code: string | undefined;
  readonly received: string;
}

async function failedHandshake(options: tls.ConnectionOptions): Promise<Failure> {
  const failure: { code: string | undefined; received: string } = { code: undefined, received: '' };
  const socket = tls.connect({
    host: '127.0.0.1',
    port: running?.port,
    rejectUnauthorized: false,
    ...options,
  });
  // In TLS 1.3 the client only learns of the failure when it reads.
  socket.on('secureConnect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'));
  socket.on('data', (chunk: Buffer) => (failure.received += chunk.toString('latin1')));
  socket.on('error', (error: NodeJS.ErrnoException) => (failure.code = error.code));
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  return failure;
}

function lastLoggedFailure(): unknown {
  return running?.logged.findLast(({ msg }) => msg === 'client certificate rejected')?.['detail'];
}

describe('--client-cert require', () => {
  test('a valid certificate is accepted', async () => {
    const { tls: facts } = await getOverTls(running?.port ?? 0, '/anything', valid);
    expect(facts).toMatchObject({ client_cert_present: true });
  });

  test('without one: certificate_required (RFC 9846 6.2), and a log line', async () => {
    const { code } = await failedHandshake({ minVersion: 'TLSv1.3' });
    expect(code).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    expect(lastLoggedFailure()).toBe('no certificate');
  });

  test('without one: a client that sends before it reads gets the alert, not a reset', async () => {
    const below = connect({ host: '127.0.0.1', port: running?.port ?? 0, allowHalfOpen: true });
    let reset: unknown;
    below.on('error', (error) => (reset = error));
    const socket = tls.connect({ socket: below, rejectUnauthorized: false });
    const [alert] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(alert.code).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    for (let time = 0; time < 5; time++) {
      below.write('more');
      await pause(20);
    }
    expect(reset).toBeUndefined();
    below.destroy();
  });

  test('without one in TLS 1.2: handshake_failure (RFC 5246 7.4.6)', async () => {
    const { code } = await failedHandshake({ maxVersion: 'TLSv1.2' });
    expect(code).toMatch(/HANDSHAKE_FAILURE/);
    expect(lastLoggedFailure()).toBe('no certificate');
  });

  test.each<[string, () => Pair, tls.SecureVersion, string]>([
    ["a stranger's, TLS 1.3", () => stranger, 'TLSv1.3', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ["a stranger's, TLS 1.2", () => stranger, 'TLSv1.2', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['an expired one', () => expired, 'TLSv1.3', 'CERT_HAS_EXPIRED'],
  ])(
    '%s: closed before any response, and the reason is logged',
    async (_, pair, version, reason) => {
      const ending = await failedHandshake({ ...pair(), minVersion: version, maxVersion: version });
      expect(ending.received).toBe('');
      expect([undefined, 'ECONNRESET', 'EPIPE']).toContain(ending.code);
      await vi.waitFor(() => expect(lastLoggedFailure()).toBe(reason), PATIENCE);
    },
  );
});

describe('a renewed certificate', () => {
  test('keeps CA bundle, versions and ciphers', async () => {
    const cipher = 'ECDHE-ECDSA-CHACHA20-POLY1305';
    const { port, service } = await startService(
      '--client-cert=require',
      `--tls-ca=${join(directory, 'ca.pem')}`,
      '--tls-max=TLSv1.2',
      `--tls-ciphers=${cipher}`,
    );
    for (let time = 0; time < 2; time++) {
      const { tls: facts } = await getOverTls(port, '/anything', valid);
      expect(facts).toMatchObject({
        version: 'TLSv1.2',
        cipher_suite: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
        client_certs: [{ authorized: true }],
      });
      await expect(getOverTls(port, '/anything', stranger)).rejects.toThrow(
        /socket hang up|ECONNRESET|disconnected/,
      );
      await service.renewCertificate();
    }
  });

  test('reads the CA bundle again', async () => {
    const ca = join(directory, 'changing.pem');
    await writeFile(ca, stranger.cert);
    const { port, service } = await startService('--client-cert', 'require', '--tls-ca', ca);
    await expect(getOverTls(port, '/anything', valid)).rejects.toThrow();
    await writeFile(ca, (await makeAuthority('Another')).cert);
    await service.renewCertificate();
    await expect(getOverTls(port, '/anything', stranger)).rejects.toThrow();
    await writeFile(ca, 'no certificate');
    await expect(service.renewCertificate()).rejects.toThrow(/does not contain a PEM certificate/);
  });
});

describe('a certificate that OpenSSL finds invalid, --client-cert request', () => {
  let service: Running | undefined;
  beforeAll(async () => {
    service = await startService('--client-cert', 'request', '--tap');
  });
  afterAll(() => service?.service.close());

  const versions = ['TLSv1.2', 'TLSv1.3'] as const;
  const pairs: [string, () => Promise<Pair>][] = [
    ['an extension twice', () => issue('doubled', { doubled: true })],
    ['a malformed extension', async () => malformed(await issue('malformed', {}))],
  ];
  const cases = versions.flatMap((version) =>
    pairs.map(([name, make]) => [version, name, make] as const),
  );

  test.each(cases)('%s, %s: accepted', async (maxVersion, _, make) => {
    const { tls: facts } = await getOverTls(service?.port ?? 0, '/tls', {
      ...(await make()),
      maxVersion,
    });
    expect(facts).toMatchObject({
      version: maxVersion,
      client_certs: [{ authorized: false, error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }],
    });
  });

  test.each(cases)('%s, %s: accepted without an immediate request', async (maxVersion, _, make) => {
    const socket = tls.connect({
      port: service?.port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...(await make()),
      maxVersion,
    });
    await once(socket, 'secureConnect');
    // By the time this connection gets a response, the server has processed the whole handshake.
    await getOverTls(service?.port ?? 0, '/version');
    expect(statusesOf(await converse(socket, GET('/healthz', LAST)))).toEqual([200]);
    socket.destroy();
  });

  test.each(cases)('%s, %s, in many segments: a failed handshake', async (maxVersion, _, make) => {
    const below = connect(service?.port ?? 0, '127.0.0.1');
    const socket = tls.connect({
      socket: byteByByte(below),
      rejectUnauthorized: false,
      ...(await make()),
      maxVersion,
    });
    socket.on('error', () => undefined);
    await once(below, 'close');
    socket.destroy();
    const tap = `http://127.0.0.1:${service?.port}/tap?duration=0.1`;
    const events = await fetch(tap, { headers: { 'last-event-id': '' } });
    const all = eventsOf(await events.text()).map(({ data }) => data);
    const conn = all.findLast(({ kind }) => kind === 'handshake_failed')?.['conn'];
    const its = all.filter((event) => event['conn'] === conn);
    expect(its.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['opened', undefined],
      ['handshake_failed', 'invalid certificate'],
      ['closed', 'handshake-failed'],
    ]);
  });
});

test('a --tls-ca file without a certificate prevents the start', async () => {
  const empty = join(directory, 'empty.pem');
  await writeFile(empty, '');
  await expect(startService('--client-cert', 'request', '--tls-ca', empty)).rejects.toThrow(
    `${empty} does not contain a PEM certificate`,
  );
});
