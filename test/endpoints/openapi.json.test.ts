import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { API_VERSION, VERSION } from '../../src/version.ts';
import type { Client } from '../_client.ts';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  const ask = (accepted: string | undefined, method = 'GET') =>
    client().request('/openapi.json', {
      method,
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });

  test('is the document with the served paths', async () => {
    const { status, headers, body } = await ask(undefined);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers.vary).toBe('Accept-Encoding');
    const document = JSON.parse(body.toString()) as { openapi: string; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths).toHaveProperty(['/openapi.json']);
    // Not served without --metrics-enabled.
    expect(document.paths).not.toHaveProperty(['/metrics']);
    expect(body.length).toBeLessThan(200_000);
  });

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ])('Accept-Encoding: %s gives %s', async (accepted, coding, decode) => {
    const plain = await ask(undefined);
    // The second response is served from the cache.
    for (const { status, headers, body } of [await ask(accepted), await ask(accepted)]) {
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe(coding);
      expect(headers.vary).toBe('Accept-Encoding');
      expect(headers['content-length']).toBe(String(body.length));
      expect(body.length).toBeLessThan(plain.body.length / 5);
      expect(decode(body).equals(plain.body)).toBe(true);
    }
    const head = await ask(accepted, 'HEAD');
    expect(head.headers['content-encoding']).toBe(coding);
    expect(head.body).toHaveLength(0);
  });

  test('406 if no coding is acceptable', async () => {
    const { status, headers } = await ask('compress, *;q=0');
    expect(status).toBe(406);
    expect(headers.vary).toBe('Accept-Encoding');
  });

  test('the document has its own version, which appears nowhere else', async () => {
    const { body } = await ask(undefined);
    const { info } = JSON.parse(body.toString()) as { info: Record<string, string> };
    expect(info['version']).toBe(API_VERSION);
    expect(info['description']).toContain('See /version for that of the program.');
    for (const path of ['/', '/version']) {
      for (const accept of ['text/html', 'application/json']) {
        const page = await client().request(path, { headers: { accept } });
        expect(page.body.toString()).toContain(VERSION);
        expect(page.body.toString()).not.toContain(API_VERSION);
      }
    }
  });
});

/** The URLs of `servers` for a request with these fields. */
async function serversFor(client: Client, headers: Record<string, string>): Promise<string[]> {
  const { body } = await client.request('/openapi.json', { headers });
  const { servers } = JSON.parse(body.toString()) as { servers: { url: string }[] };
  return servers.map(({ url }) => url);
}

overBothProtocols(({ client, transport, running }) => {
  const scheme = transport === 'h2' ? 'https' : 'http';

  test('the first server is absolute', async () => {
    const origin = `${scheme}://127.0.0.1:${running().port}`;
    expect(await serversFor(client(), {})).toEqual([origin, '/']);
  });

  test.each([
    ['via', '1.1 a'],
    ['x-forwarded-proto', 'https'],
    ['forwarded', 'for=192.0.2.1;proto=https'],
  ])(
    'behind a proxy that is not trusted, by %s, there is only the relative one',
    async (name, value) => {
      expect(await serversFor(client(), { [name]: value })).toEqual(['/']);
    },
  );
});

overOneProtocol(({ client }) => {
  test('the first server has the authority that the client has used', async () => {
    for (const host of ['a.example', 'b.example:8080', 'a.example']) {
      expect(await serversFor(client(), { host })).toEqual([`http://${host}`, '/']);
    }
  });

  test('a trusted proxy says what the client has used', async () => {
    const forwarded = 'for=192.0.2.1;proto=https;host=c.example';
    expect(await serversFor(client(), { forwarded })).toEqual(['https://c.example', '/']);
    // Nothing is said of the scheme.
    expect(await serversFor(client(), { 'x-forwarded-for': '192.0.2.1' })).toEqual(['/']);
  });
}, '--trust-proxy=127.0.0.1');
