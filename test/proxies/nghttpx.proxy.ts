import { describe, expect, test } from 'vitest';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { V1 } from '../_proxy.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { behind, type Given } from './_behind.ts';
import { CLIENT, http1Client, http2Client } from './_client.ts';
import { writeCertificate } from './_proxy-process.ts';
import { fingerprintsOf, openingOf } from './_witness.ts';

/** One worker: each has a pool of its own. */
async function nghttpx(
  { directory, backend }: Given,
  { frontends, parameters }: { frontends: readonly string[]; parameters: string },
): Promise<string[]> {
  const { cert, key } = await writeCertificate(directory);
  const lines = [
    ...frontends.map((frontend) => `frontend=127.0.0.1,${frontend}`),
    `backend=127.0.0.1,${backend};/;${parameters}`,
    'workers=1',
    'insecure=yes',
    'no-ocsp=yes',
    'strip-incoming-forwarded=yes',
    'add-forwarded=for,proto,host',
    'forwarded-for=ip',
    `private-key-file=${key}`,
    `certificate-file=${cert}`,
  ];
  return [`--conf=${directory.write('nghttpx.conf', `${lines.join('\n')}\n`)}`];
}

const settings = ['--trust-proxy', '127.0.0.1'];

describe('nghttpx to h2c', () => {
  const { relay, ports } = behind('nghttpx', 3, settings, (given) => {
    const [clear, secure, proxied] = given.ports;
    const frontends = [`${clear};no-tls`, `${secure}`, `${proxied};no-tls;proxyproto`];
    return nghttpx(given, { frontends, parameters: 'proto=h2' });
  });

  test('the streams of several clients on one connection, its own SETTINGS', async () => {
    const [clear = 0, secure = 0] = ports();
    const clients = [
      http1Client(clear, false),
      http1Client(secure, true),
      await http2Client(secure),
      await http2Client(secure),
    ];
    const echoes = await Promise.all(clients.map((client) => client.get('/get')));
    for (const client of clients) client.close();
    expect(echoes.map(({ conn }) => conn.protocol)).toEqual(['h2c', 'h2c', 'h2c', 'h2c']);
    expect(new Set(echoes.map(({ conn }) => conn.id)).size).toBe(1);
    expect(new Set(echoes.map(({ conn }) => conn.stream)).size).toBe(4);
    expect(echoes.map(({ conn }) => conn.request).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    const opening = openingOf(relay().witness(0).sent());
    expect(opening).toMatch(/^\d+:\d+/);
    for (const { http2 } of echoes) {
      expect(http2?.akamai_fingerprint.slice(0, opening.length)).toBe(opening);
    }
  });

  test('Forwarded: the client of each of its requests', async () => {
    const [clear = 0, secure = 0] = ports();
    for (const [scheme, client] of [
      ['http', http1Client(clear, false)],
      ['https', await http2Client(secure)],
    ] as const) {
      const { origin, url, headers } = await client.get('/get?a=1');
      const authority = scheme === 'http' ? `127.0.0.1:${clear}` : 'a.example';
      expect(headers['forwarded']).toContain(`for=${CLIENT}`);
      expect([origin, url]).toEqual([CLIENT, `${scheme}://${authority}/get?a=1`]);
      client.close();
    }
  });

  test('PROXY in front of it comes through as Forwarded', async () => {
    const socket = await openSocket(ports()[2] ?? 0);
    const request = Buffer.from(GET('/get', LAST), 'latin1');
    const answer = await converse(socket, Buffer.concat([V1, request]));
    socket.destroy();
    const { origin, conn } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Echo;
    expect(origin).toBe('192.0.2.1');
    expect(conn.proxy_protocol).toBeUndefined();
  });
});

describe('nghttpx to HTTP/2 over TLS', () => {
  const { running, relay, ports } = behind('nghttpx', 1, settings, (given) =>
    nghttpx(given, {
      frontends: [`${given.ports[0]}`],
      parameters: 'proto=h2;tls;sni=upstream.example',
    }),
  );

  test('its own ClientHello and SETTINGS', async () => {
    const direct = await http2Client(running().port);
    const client = await http2Client(ports()[0] ?? 0);
    const own = await direct.get('/get');
    const theirs = await client.get('/get');
    const again = await client.get('/get');
    expect([theirs.conn.protocol, again.conn.protocol]).toEqual(['h2', 'h2']);
    expect(again.conn.id).toBe(theirs.conn.id);
    expect(again.conn.request).toBe(theirs.conn.request + 1);
    expect(theirs.tls).toMatchObject({ sni: 'upstream.example', alpn: 'h2' });
    expect(theirs.tls).toMatchObject(await fingerprintsOf(relay().witness(0).sent()));
    expect(theirs.tls?.ja4).not.toBe(own.tls?.ja4);
    expect(theirs.http2?.akamai_fingerprint).not.toBe(own.http2?.akamai_fingerprint);
    direct.close();
    client.close();
  });
});

describe('nghttpx to HTTP/1.1', () => {
  const { ports } = behind('nghttpx', 1, settings, (given) =>
    nghttpx(given, { frontends: [`${given.ports[0]}`], parameters: 'proto=http/1.1' }),
  );

  test('streams of one client take turns on connections of its pool', async () => {
    const client = await http2Client(ports()[0] ?? 0);
    const conns = [];
    for (let turn = 0; turn < 3; turn++) conns.push((await client.get('/get')).conn);
    client.close();
    expect(conns.map(({ protocol }) => protocol)).toEqual(['http/1.1', 'http/1.1', 'http/1.1']);
    expect(conns.map(({ request }) => request)).toEqual([1, 2, 3]);
    expect(new Set(conns.map(({ id }) => id)).size).toBe(1);
  });
});
