import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { behind } from './_behind.ts';
import { CLIENT, http1Client, http2Client } from './_client.ts';
import { configureNginx } from './_configuration.ts';
import { writeCertificate } from './_proxy-process.ts';
import { fingerprintsOf } from './_witness.ts';

/** Where Debian has it; others build it in. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';

describe('nginx as an HTTP proxy', () => {
  const { running, relay, ports } = behind(
    'nginx',
    3,
    ['--trust-proxy', '127.0.0.1'],
    async (given) => {
      const { cert, key } = await writeCertificate(given.directory);
      const [plain, pooled, secure] = given.ports;
      const forwarded = `
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;`;
      return configureNginx(
        given.directory,
        `upstream pool { server 127.0.0.1:${given.backend}; keepalive 4; }
        server { listen 127.0.0.1:${plain}; location / { proxy_pass http://127.0.0.1:${given.backend}; } }
        server {
          listen 127.0.0.1:${pooled};
          location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://pool; }
        }
        server {
          listen 127.0.0.1:${secure} ssl http2;
          ssl_certificate ${cert};
          ssl_certificate_key ${key};
          location / {
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            ${forwarded}
            proxy_ssl_server_name on;
            proxy_ssl_name upstream.example;
            proxy_pass https://pool;
          }
        }`,
      );
    },
  );

  test('by default: HTTP/1.0, a connection for each request', async () => {
    const client = http1Client(ports()[0] ?? 0, false);
    const echoes = [await client.get('/get'), await client.get('/get')];
    client.close();
    expect(new Set(echoes.map(({ conn }) => conn.id)).size).toBe(2);
    for (const { http_version, conn, headers, origin } of echoes) {
      expect([http_version, conn.protocol, conn.request]).toEqual(['HTTP/1.0', 'http/1.0', 1]);
      expect(headers['connection']).toBe('close');
      expect(conn.proxy_protocol).toBeUndefined();
      // It says nothing of its client.
      expect(origin).toBe('127.0.0.1');
    }
  });

  test('with keepalive: one connection for the requests of several clients', async () => {
    const conns = [];
    for (let turn = 0; turn < 3; turn++) {
      const client = http1Client(ports()[1] ?? 0, false);
      conns.push((await client.get('/get')).conn);
      client.close();
    }
    expect(conns.map(({ request }) => request)).toEqual([1, 2, 3]);
    expect(new Set(conns.map(({ id }) => id)).size).toBe(1);
    expect(relay().witnessed.map(({ peer }) => peer())).toContain(conns[0]?.remote);
  });

  test('over TLS on both sides: its own ClientHello, and the client by its fields', async () => {
    const before = relay().witnessed.length;
    const client = await http2Client(ports()[2] ?? 0);
    const direct = await http2Client(running().port);
    const [own, theirs] = [await direct.get('/get'), await client.get('/get?a=1')];
    expect(theirs.http_version).toBe('HTTP/1.1');
    expect(theirs.tls).toMatchObject({ sni: 'upstream.example', alpn: null });
    expect(theirs.tls).toMatchObject(await fingerprintsOf(relay().witness(before).sent()));
    expect(theirs.tls?.ja4).not.toBe(own.tls?.ja4);
    expect([theirs.origin, theirs.url]).toEqual([CLIENT, 'https://a.example/get?a=1']);
    direct.close();
    client.close();
  });
});

describe('nginx as a TCP proxy', () => {
  const settings = ['--proxy-protocol', 'optional'];
  const { running, relay, ports } = behind('nginx', 2, settings, (given) => {
    const [through, proxied] = given.ports;
    const backend = `proxy_pass 127.0.0.1:${given.backend};`;
    return configureNginx(
      given.directory,
      '',
      `${existsSync(STREAM_MODULE) ? `load_module ${STREAM_MODULE};` : ''}
      stream {
        server { listen 127.0.0.1:${through}; ${backend} }
        server { listen 127.0.0.1:${proxied}; ${backend} proxy_protocol on; }
      }`,
    );
  });

  test("the client's own TLS and HTTP/2 pass through", async () => {
    const direct = await http2Client(running().port);
    const client = await http2Client(ports()[0] ?? 0);
    const [own, theirs] = [await direct.get('/get'), await client.get('/get')];
    expect(theirs.tls).toEqual(own.tls);
    expect(theirs.http2).toEqual(own.http2);
    expect(theirs.conn.protocol).toBe('h2');
    expect(theirs.origin).toBe('127.0.0.1');
    direct.close();
    client.close();
  });

  test.each([
    ['http/1.1', async (port: number) => http1Client(port, false)],
    ['https/1.1', async (port: number) => http1Client(port, true)],
    ['h2', http2Client],
  ])('PROXY in front of %s: version 1, the client by name', async (protocol, open) => {
    const before = relay().witnessed.length;
    const [, port = 0] = ports();
    const client = await open(port);
    const { conn, origin } = await client.get('/get');
    const { sent, peer } = relay().witness(before);
    expect(conn.protocol).toBe(protocol);
    expect([origin, conn.remote]).toEqual([CLIENT, client.address()]);
    expect(conn.proxy_protocol).toEqual({
      version: 1,
      command: 'PROXY',
      family: 'inet',
      transport: 'stream',
      source: client.address(),
      destination: `127.0.0.1:${port}`,
      peer: peer(),
    });
    const [, source] = client.address().split(':');
    const line = `PROXY TCP4 ${CLIENT} 127.0.0.1 ${source} ${port}\r\n`;
    expect(sent().toString('latin1', 0, line.length)).toBe(line);
    client.close();
  });
});
