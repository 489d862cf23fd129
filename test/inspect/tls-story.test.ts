import { once } from 'node:events';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { clientHello } from '../../src/wire/tls/client-hello-writer.ts';
import { handshakeRecords, TlsVersion } from '../../src/wire/tls/record.ts';
import { getOverTls } from '../_certificates.ts';
import { converse, GET, openSocket } from '../_raw.ts';
import { closedStory, idAfter, idIn, traceOf, type Story } from './_story.ts';
import { sharedService } from '../_shared.ts';
import { HAS_MLKEM } from '../_system.ts';

const running = sharedService('--inspect', '--conn-headers', '--tls-min', 'TLSv1.2');

interface Visit {
  readonly id: string;
  readonly session: Buffer | undefined;
}

/** One request on a connection that the client ends with close_notify. */
async function visit(options: tls.ConnectionOptions): Promise<Visit> {
  const socket = tls.connect({
    port: running().port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...options,
  });
  let session: Buffer | undefined;
  socket.on('session', (data: Buffer) => {
    session = data;
  });
  const text = await converse(socket, GET('/get'), (received) => received.endsWith('}\n'));
  socket.end();
  await once(socket, 'close');
  return { id: idIn(text), session };
}

const versions = [['TLSv1.2'], ['TLSv1.3']] as const;

test.each(versions)(
  '%s: a resumed session names the connection that issued it',
  async (version) => {
    const options = { minVersion: version, maxVersion: version };
    const first = await visit(options);
    expect(first.session).toBeDefined();
    const second = await visit({ ...options, session: first.session });
    const issuer = await closedStory(running(), first.id);
    const resumed = await closedStory(running(), second.id);
    expect(issuer.tls).toMatchObject({ version });
    expect(issuer.tls?.resumption).toBeUndefined();
    const { resumption } = resumed.tls ?? {};
    expect(resumption).toEqual({
      by: version === 'TLSv1.3' ? 'psk' : 'session-ticket',
      ticket: expect.stringMatching(/^[0-9a-f]{32}$/),
      from: first.id,
    });
    const issued = issuer.tls?.issued.find(({ ticket }) => ticket === resumption?.ticket);
    // At most 7 days (RFC 9846 4.7.1).
    expect(issued?.lifetime).toBeGreaterThan(0);
    expect(issued?.lifetime).toBeLessThanOrEqual(604_800);
  },
);

test.each(versions)('%s: close_notify, and a client that leaves without it', async (version) => {
  const options = { minVersion: version, maxVersion: version };
  const { id } = await visit(options);
  const orderly = await closedStory(running(), id);
  expect(orderly.tls?.client.close_notify.sent).toBe(true);
  expect(titlesOf(orderly)).toContain(
    version === 'TLSv1.3' ? 'warning alert: close_notify' : 'alert, encrypted',
  );
  const raw = await openSocket(running().port);
  const socket = tls.connect({ socket: raw, rejectUnauthorized: false, ...options });
  const text = await converse(socket, GET('/get'), (received) => received.endsWith('}\n'));
  raw.destroy();
  const rude = await closedStory(running(), idIn(text));
  expect(rude.tls?.client.close_notify.sent).toBe(false);
  const fromClient = rude.events.filter(({ from }) => from === 'client');
  expect(titlesOf({ ...rude, events: fromClient }).join('\n')).not.toContain('alert');
});

function titlesOf({ events }: Story): string[] {
  return events.filter(({ layer }) => layer === 'tls').map(({ title }) => title);
}

test('a failed handshake: its messages and both alerts', async () => {
  const { id } = await visit({});
  const socket = tls.connect({
    port: running().port,
    host: '127.0.0.1',
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
    rejectUnauthorized: false,
  });
  const [error] = await once(socket, 'error');
  expect(error).toHaveProperty('code', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  const story = await closedStory(running(), idAfter(id));
  expect(titlesOf(story)).toEqual([
    expect.stringMatching(/^handshake record, \d+ bytes: client_hello$/),
    'alert record, 2 bytes',
    'fatal alert: protocol_version',
  ]);
  expect(story.tls?.server.alerts).toMatchObject([
    { level: 'fatal', description: 'protocol_version', encrypted: false },
  ]);
  expect(await traceOf(running().port, story.id)).toMatch(
    / < tls {5}fatal alert: protocol_version\n/,
  );
});

test('a HelloRetryRequest is a server_hello with a name of its own', async () => {
  const { id } = await visit({});
  const offer = { versions: [TlsVersion.tls13], servername: undefined, alpn: [] };
  // The only key share is of a group that no server has.
  const message = clientHello(offer)
    .toString('hex')
    .replace('001d00170018', '0a0a00170018')
    .replace('001d0020', '0a0a0020');
  const socket = await openSocket(running().port);
  socket.write(handshakeRecords(Buffer.from(message, 'hex'), 2 ** 14));
  await once(socket, 'data');
  socket.destroy();
  const story = await closedStory(running(), idAfter(id));
  expect(story.tls).toMatchObject({ hello_retry_request: true, group: expect.any(String) });
  expect(story.tls).not.toHaveProperty('server_hello');
  expect(titlesOf(story)).toContainEqual(
    expect.stringMatching(/ bytes: server_hello \(HelloRetryRequest\)$/),
  );
});

test.each([
  ['P-384', 'TLSv1.3', 'secp384r1'],
  ['P-256', 'TLSv1.2', 'secp256r1'],
  // OpenSSL 3.5 asks for a key share of the hybrid, which it prefers.
  ...(HAS_MLKEM ? [['X25519:X25519MLKEM768', 'TLSv1.3', 'X25519MLKEM768'] as const] : []),
] as const)('%s in %s: the echo agrees with the ServerHello', async (ecdhCurve, version, group) => {
  const { port } = running();
  const { tls: echoed, conn } = (await getOverTls(port, '/anything', {
    ecdhCurve,
    maxVersion: version,
  })) as { tls: Record<string, unknown>; conn: { id: string } };
  expect(echoed).toMatchObject({ version, group: { name: group } });
  const { tls: read } = await closedStory(running(), conn.id);
  expect(read).toMatchObject({
    version,
    group,
    server_hello: { session_id: version === 'TLSv1.3' ? 'echoed' : 'empty' },
  });
  expect(echoed['hello_retry_request']).toBe(read?.hello_retry_request ?? false);
});

const aead = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
const suites: readonly tls.ConnectionOptions[] = [
  ...aead.map((ciphers) => ({ maxVersion: 'TLSv1.2' as const, ciphers })),
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'].map(
    (ciphers) => ({ minVersion: 'TLSv1.3' as const, ciphers }),
  ),
];

test.each(suites)('the records of a request and its response: $ciphers', async (options) => {
  const story = await closedStory(running(), (await visit(options)).id);
  const [request, response] = story.events.filter(({ layer }) => layer === 'http1');
  for (const message of [request, response]) {
    const { first, last } = { ...(message?.['tls_records'] as { first: number; last: number }) };
    expect(first).toBe(last);
    const record = story.events.find(
      ({ layer, from, record: number }) =>
        layer === 'tls' && from === message?.from && number === first,
    );
    expect(record).toMatchObject({
      type: 'application_data',
      http: { offset: 0, length: message?.['length'] },
    });
  }
  const carrying = story.events.filter((event) => 'http' in event);
  expect(carrying).toHaveLength(2);
});

test('the records are not known with CBC', async () => {
  const options = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' } as const;
  const story = await closedStory(running(), (await visit(options)).id);
  expect(story.events.some((event) => 'http' in event || 'tls_records' in event)).toBe(false);
});
