import { constants } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TlsReader } from '../../src/inspect/tls/tls-reader.ts';
import { tlsDetailsSchema, type TlsDetails } from '../../src/echo/tls-schema.ts';
import { tlsView } from '../../src/inspect/views/tls-view.ts';
import { startForwarder } from '../_forwarder.ts';
import { INSPECTED } from '../_inspected.ts';
import { converse } from '../_raw.ts';
import { violations } from '../_schema.ts';
import { startService } from '../_service.ts';
import { HAS_MLKEM } from '../_system.ts';

interface Seen {
  /** What /tls says. */
  readonly said: TlsDetails['tls'];
  /** What the recorder has read from the bytes. */
  readonly read: ReturnType<typeof tlsView>;
  readonly session: Buffer | undefined;
}

/** Requests /tls through a recorder. */
async function seen(port: number, options: tls.ConnectionOptions): Promise<Seen> {
  const reader = new TlsReader(10);
  const recorder = await startForwarder(port, (client, server) => {
    client.on('data', (bytes: Buffer) => reader.received(bytes, 0));
    server.on('data', (bytes: Buffer) => reader.sent(bytes, 0));
  });
  const raw = connect({ port: recorder.port, host: '127.0.0.1' });
  const socket = tls.connect({ socket: raw, rejectUnauthorized: false, ...options });
  let session: Buffer | undefined;
  socket.on('session', (bytes: Buffer) => (session = bytes));
  await once(socket, 'secureConnect');
  const answer = await converse(socket, 'GET /tls HTTP/1.0\r\nHost: a\r\n\r\n');
  await recorder.close();
  const details = JSON.parse(answer.slice(answer.indexOf('{'))) as TlsDetails;
  expect(violations(tlsDetailsSchema, details)).toEqual([]);
  return { said: details.tls, read: tlsView(reader.trace, undefined), session };
}

/** Expects /tls to match the bytes. */
function expectSame({ said, read }: Seen): void {
  const { server_hello: hello, server_key_exchange: exchange, group } = said ?? {};
  const knownBy = INSPECTED ? 'bytes' : 'rule';
  expect(hello?.known_by).toBe(knownBy);
  expect({
    version: said?.version,
    group: group?.name,
    server_hello: {
      legacy_version: hello?.legacy_version.name,
      session_id: hello?.session_id,
      extensions: hello?.extensions.map(({ name }) => name),
    },
    server_key_exchange: exchange?.signature_scheme.name,
    hello_retry_request: said?.hello_retry_request,
  }).toEqual({
    version: read.version,
    group: read.group,
    server_hello: read.server_hello,
    server_key_exchange: read.server_key_exchange?.signature_scheme,
    hello_retry_request: read.hello_retry_request ?? false,
  });
}

let directory = '';
let rsa: readonly string[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
  const made = await generate([{ name: 'commonName', value: 'a.example' }]);
  await writeFile(join(directory, 'rsa.crt'), made.cert);
  await writeFile(join(directory, 'rsa.key'), made.private);
  rsa = ['--tls-cert', join(directory, 'rsa.crt'), '--tls-key', join(directory, 'rsa.key')];
});
afterAll(() => rm(directory, { recursive: true }));

const TLS_1_2 = { maxVersion: 'TLSv1.2' } as const;
const sigalgs = 'rsa_pss_pss_sha256:rsa_pss_rsae_sha512:RSA+SHA256:ECDSA+SHA384';

describe('ServerHello and ServerKeyExchange in /tls match what was sent', () => {
  test.each<[name: string, options: tls.ConnectionOptions]>([
    ['TLS 1.3', {}],
    ['TLS 1.3 with SNI and ALPN', { servername: 'a.example', ALPNProtocols: ['http/1.1'] }],
    ['TLS 1.2', TLS_1_2],
    ['TLS 1.2 with SNI', { ...TLS_1_2, servername: 'a.example' }],
    ['ALPN', { ...TLS_1_2, ALPNProtocols: ['http/1.1'] }],
    ['CBC', { ...TLS_1_2, ciphers: 'ECDHE-ECDSA-AES128-SHA' }],
    ['another signature', { ...TLS_1_2, sigalgs }],
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
  ])('%s, also in a resumed session', async (_name, options) => {
    const { port } = await startService('--tls-min', 'TLSv1');
    const first = await seen(port, options);
    expectSame(first);
    expect(first.session).toBeDefined();
    const resumed = await seen(port, { ...options, session: first.session });
    expect(resumed.said?.session_reused).toBe(true);
    expectSame(resumed);
  });

  test.runIf(HAS_MLKEM)('HelloRetryRequest', async () => {
    const { port } = await startService();
    const asked = await seen(port, { ecdhCurve: 'X25519:X25519MLKEM768' });
    expect(asked.read.hello_retry_request).toBe(true);
    expectSame(asked);
  });

  test('a session ID in place of a ticket', async () => {
    const { port } = await startService('--tls-ciphers', 'ALL:@SECLEVEL=3');
    const asked = await seen(port, TLS_1_2);
    expect(asked.read.server_hello).toMatchObject({ session_id: 'new' });
    expectSame(asked);
  });

  test('a ticket of another service, and none', async () => {
    const { session } = await seen((await startService()).port, TLS_1_2);
    const { port } = await startService();
    const fresh = await seen(port, { ...TLS_1_2, session });
    expect(fresh.said?.session_reused).toBe(false);
    expectSame(fresh);
    const without = { ...TLS_1_2, secureOptions: constants.SSL_OP_NO_TICKET };
    expectSame(await seen(port, without));
  });

  test.each([
    ['RSA-PSS', { ...TLS_1_2 }],
    ['PKCS #1', { ...TLS_1_2, sigalgs: 'RSA+SHA512' }],
    ['a scheme for other keys first', { ...TLS_1_2, sigalgs }],
    [
      'RSA-PSS for both kinds of keys',
      { ...TLS_1_2, sigalgs: 'rsa_pss_pss_sha512:rsa_pss_rsae_sha256:rsa_pss_rsae_sha512' },
    ],
    ['RSA key exchange', { ...TLS_1_2, ciphers: 'AES128-SHA:AES128-GCM-SHA256' }],
  ])('a key of RSA: %s', async (_name, options) => {
    const { port } = await startService(...rsa);
    expectSame(await seen(port, options));
  });
});

test('with --inspect it is read from the bytes', async () => {
  const { port } = await startService('--inspect');
  const { said, read } = await seen(port, TLS_1_2);
  expect(said).toMatchObject({
    server_hello: { known_by: 'bytes', session_id: read.server_hello?.session_id },
    server_key_exchange: {
      known_by: 'bytes',
      signature_scheme: { name: 'ecdsa_secp256r1_sha256', id: '0x0403' },
    },
  });
});

test.skipIf(INSPECTED)('after a renegotiation it is not known', async () => {
  const { port } = await startService();
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...TLS_1_2 });
  await once(socket, 'secureConnect');
  await new Promise((resolve) => socket.renegotiate({}, resolve));
  const answer = await converse(socket, 'GET /tls HTTP/1.0\r\nHost: a\r\n\r\n');
  expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
    tls: { version: 'TLSv1.2', server_hello: null, server_key_exchange: null },
  });
});
