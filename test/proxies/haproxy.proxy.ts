import { describe, expect, test } from 'vitest';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { until } from '../_adapters.ts';
import { behind } from './_behind.ts';
import { CLIENT, http1Client, http2Client, type ProxyClient } from './_client.ts';
import { configureHaproxy } from './_configuration.ts';
import { writeCertificate } from './_proxy-process.ts';
import type { Relay, Witnessed } from './_relay.ts';
import { fingerprintsOf, openingOf } from './_witness.ts';

const TIMEOUTS = `timeout connect 5s
  timeout check 10s
  timeout client 30s
  timeout server 30s`;

/** Of version 2 for IPv4 without TLVs. */
const HEADER_LENGTH = 28;
/** Version and command, the thirteenth byte of version 2. */
const LOCAL = 0x20;

/** One request of each at the same time, which is its last. */
async function together(clients: readonly ProxyClient[]): Promise<readonly Echo[]> {
  const echoes = await Promise.all(clients.map((client) => client.get('/get')));
  for (const client of clients) client.close();
  return echoes;
}

/** What the echo has of a PROXY header for this client. */
function headerFor(client: ProxyClient, port: number): Partial<Echo['conn']['proxy_protocol']> {
  return {
    command: 'PROXY',
    family: 'inet',
    transport: 'stream',
    source: client.address(),
    destination: `127.0.0.1:${port}`,
  };
}

/** A health check with its answer, if there was one. */
function checkOf({ witnessed }: Relay): Witnessed | undefined {
  return witnessed.find(({ sent, answered }) => sent()[12] === LOCAL && answered().length > 0);
}

describe('HAProxy in HTTP mode', () => {
  const { running, relay, ports } = behind('haproxy', 3, [], async (given) => {
    const { both } = await writeCertificate(given.directory);
    const [clear, secure, plain] = given.ports;
    const server = `server wirebin 127.0.0.1:${given.backend}`;
    return configureHaproxy(
      given.directory,
      TIMEOUTS,
      `frontend clear
  bind 127.0.0.1:${clear}
  default_backend h2c
backend h2c
  http-reuse always
  ${server} proto h2
frontend secure
  bind 127.0.0.1:${secure} ssl crt ${both} alpn h2,http/1.1
  default_backend h2
backend h2
  http-reuse always
  ${server} ssl verify none alpn h2 sni str(upstream.example)
frontend plain
  bind 127.0.0.1:${plain}
  default_backend h1
backend h1
  http-reuse always
  ${server}`,
    );
  });

  test('HTTP/1.1: its pool serves one client after another', async () => {
    const requests = [];
    for (let turn = 0; turn < 3; turn++) {
      const [echo] = await together([http1Client(ports()[2] ?? 0, false)]);
      expect([echo?.conn.protocol, echo?.http_version]).toEqual(['http/1.1', 'HTTP/1.1']);
      requests.push([echo?.conn.id, echo?.conn.request]);
    }
    const [[id] = []] = requests;
    expect(requests).toEqual([1, 2, 3].map((request) => [id, request]));
  });

  test('h2c: the streams of several clients on one connection, its own SETTINGS', async () => {
    const before = relay().witnessed.length;
    const [first] = await together([http1Client(ports()[0] ?? 0, false)]);
    const port = ports()[0] ?? 0;
    const clients = Array.from({ length: 4 }, () => http1Client(port, false));
    const echoes = await together(clients);
    const all = [...(first ? [first] : []), ...echoes];
    expect(new Set(all.map(({ conn }) => conn.id)).size).toBe(1);
    expect(all.map(({ conn }) => conn.protocol)).toEqual(all.map(() => 'h2c'));
    expect(new Set(all.map(({ conn }) => conn.stream)).size).toBe(5);
    expect(all.map(({ conn }) => conn.request).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    const opening = openingOf(relay().witness(before).sent());
    expect(first?.http2?.akamai_fingerprint.startsWith(opening)).toBe(true);
  });

  test('TLS on both sides: its own ClientHello and SETTINGS', async () => {
    const before = relay().witnessed.length;
    const [direct, client] = [
      await http2Client(running().port),
      await http2Client(ports()[1] ?? 0),
    ];
    const [own, theirs, again] = [
      await direct.get('/get'),
      await client.get('/get'),
      await client.get('/get'),
    ];
    expect([theirs.conn.protocol, theirs.conn.request, again.conn.request]).toEqual(['h2', 1, 2]);
    expect(again.conn.id).toBe(theirs.conn.id);
    expect(theirs.tls).toMatchObject({ sni: 'upstream.example', alpn: 'h2' });
    expect(theirs.tls).toMatchObject(await fingerprintsOf(relay().witness(before).sent()));
    expect(theirs.tls?.ja4).not.toBe(own.tls?.ja4);
    expect(theirs.http2?.akamai_fingerprint).not.toBe(own.http2?.akamai_fingerprint);
    direct.close();
    client.close();
  });
});

describe('HAProxy sending PROXY', () => {
  const settings = ['--proxy-protocol', 'require', '--metrics-enabled', '--log-requests'];
  const { running, relay, ports } = behind('haproxy', 4, settings, async (given) => {
    const { both } = await writeCertificate(given.directory);
    const [one, two, tlvs, tcp] = given.ports;
    const server = `server wirebin 127.0.0.1:${given.backend}`;
    return configureHaproxy(
      given.directory,
      TIMEOUTS,
      `listen one
  bind 127.0.0.1:${one}
  ${server} send-proxy
listen two
  bind 127.0.0.1:${two}
  ${server} send-proxy-v2 proto h2
listen tlvs
  bind 127.0.0.1:${tlvs} ssl crt ${both} alpn h2,http/1.1
  unique-id-format %{+X}o\\ %ci:%cp_%rt
  unique-id-header X-Unique-Id
  ${server} send-proxy-v2 proxy-v2-options ssl,cert-cn,cert-key,cert-sig,ssl-cipher,authority,crc32c,unique-id
listen tcp
  mode tcp
  bind 127.0.0.1:${tcp}
  option httpchk GET /anything/from-haproxy
  ${server} send-proxy-v2 check check-send-proxy inter 200ms fall 1000`,
    );
  });

  test('version 1', async () => {
    const [port = 0] = ports();
    const client = http1Client(port, false);
    const { conn, origin } = await client.get('/get');
    expect([origin, conn.remote]).toEqual([CLIENT, client.address()]);
    const peers = relay().witnessed.map(({ peer }) => peer());
    const peer = peers.find((it) => it === conn.proxy_protocol?.peer);
    expect(peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(conn.proxy_protocol).toEqual({ version: 1, ...headerFor(client, port), peer });
    client.close();
  });

  test('version 2 in front of h2c', async () => {
    const [, port = 0] = ports();
    const client = http1Client(port, false);
    const { conn, http2 } = await client.get('/get');
    expect(conn.protocol).toBe('h2c');
    expect(http2?.akamai_fingerprint).toMatch(/^\d+:\d+/);
    expect(conn.proxy_protocol).toMatchObject({ version: 2, ...headerFor(client, port) });
    client.close();
  });

  test.each([
    ['h2', http2Client],
    ['http/1.1', async (port: number) => http1Client(port, true)],
  ])('version 2 with TLVs, for a client that speaks %s over TLS', async (alpn, open) => {
    const port = ports()[2] ?? 0;
    const client = await open(port);
    const { conn, headers, tls } = await client.get('/get');
    expect(tls).toBeUndefined();
    expect(conn.proxy_protocol).toEqual({
      version: 2,
      ...headerFor(client, port),
      peer: expect.any(String),
      authority: 'a.example',
      crc32c: expect.stringMatching(/^0x[\dA-F]{8}$/),
      unique_id: headers['x-unique-id'],
      alpn,
      ssl: {
        client: { ssl: true, cert_conn: false, cert_sess: false },
        verify: 0,
        version: 'TLSv1.3',
        cipher: expect.stringMatching(/^TLS_/),
        key_alg: 'EC256',
        sig_alg: 'ecdsa-with-SHA256',
      },
    });
    client.close();
  });

  test("in TCP mode: the client's own TLS, its address by PROXY", async () => {
    const port = ports()[3] ?? 0;
    const client = await http2Client(port);
    const { conn, tls, origin } = await client.get('/get');
    expect(conn.protocol).toBe('h2');
    expect(conn.proxy_protocol).toMatchObject({ version: 2, ...headerFor(client, port) });
    expect([origin, tls?.sni, tls?.alpn]).toEqual([CLIENT, 'a.example', 'h2']);
    const { peer } = conn.proxy_protocol ?? {};
    const sent = relay()
      .witnessed.find((it) => it.peer() === peer)
      ?.sent();
    const hello = sent?.subarray(HEADER_LENGTH) ?? Buffer.alloc(0);
    expect(tls).toMatchObject(await fingerprintsOf(hello));
    client.close();
  });

  test('health checks: LOCAL, from HAProxy itself, answered', async () => {
    await until(() => checkOf(relay()) !== undefined);
    const check = checkOf(relay());
    const answer = check?.answered().toString('utf8') ?? '';
    expect(answer).toMatch(/^HTTP\/1\.[01] 200/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      path: '/anything/from-haproxy',
      origin: '127.0.0.1',
      conn: {
        remote: check?.peer(),
        proxy_protocol: { version: 2, command: 'LOCAL', source: null, destination: null },
      },
    });
    expect(running().logged.some(({ path }) => path === '/anything/from-haproxy')).toBe(true);
  });
});
