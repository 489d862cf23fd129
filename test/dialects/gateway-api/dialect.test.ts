import { expect, test } from 'vitest';
import { openClient } from '../../_client.ts';
import { parsed } from '../../_echo.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';

const ARGUMENTS = ['--dialect', 'gateway-api', '--namespace', 'ns', '--pod-name', 'web-1'];

const FIELDS = 'path host method proto headers httpPort namespace ingress service pod'.split(' ');

overBothProtocols(({ client, transport, running }) => {
  const secure = transport === 'h2' || transport === 'https/1.1';
  const http2 = transport.startsWith('h2');

  test('echoes any path and method in the format of the conformance client', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['POST', '/a//b/../c?x=1&y=%3C'],
      ['OPTIONS', '/anything'],
      ['PROPFIND', '/metrics'],
    ] as const) {
      const received = await client().request(path, {
        method,
        headers: { 'x-b': ['1', '2'], 'x-a': '<é>', cookie: ['c=1', 'd=2'], te: 'trailers' },
        ...(method === 'POST' && { body: 'content' }),
      });
      expect(received.status).toBe(200);
      expect(received.headers).toMatchObject({
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
      });
      expect(received.headers).not.toHaveProperty('access-control-allow-origin');
      expect(received.body.toString()).not.toMatch(/[<>&]/);
      const view = parsed(received);
      expect(Object.keys(view)).toEqual(secure ? [...FIELDS, 'tls'] : FIELDS);
      expect(view).toMatchObject({
        path,
        method,
        host: `127.0.0.1:${running().port}`,
        proto: http2 ? 'HTTP/2.0' : 'HTTP/1.1',
        httpPort: String(running().port),
        namespace: 'ns',
        ingress: '',
        service: '',
        pod: 'web-1',
      });
      const { headers } = view as { headers: Record<string, string[]> };
      expect(headers).toMatchObject({
        Cookie: ['c=1; d=2'],
        'X-A': [http2 ? expect.any(String) : '<é>'],
        'X-B': http2 ? expect.any(Array) : ['1', '2'],
      });
      expect(Object.keys(headers)).toEqual(Object.keys(headers).toSorted());
      expect(headers).not.toHaveProperty('Host');
      if (secure) {
        expect(view['tls']).toEqual({
          version: 'TLSv1.3',
          serverName: '',
          ...(http2 && { negotiatedProtocol: 'h2' }),
          cipherSuite: 'TLS_AES_256_GCM_SHA384',
        });
      }
    }
  });

  test('X-Echo-Set-Header sets fields and ignores invalid ones', async () => {
    const lines = ['X-One: 1, x-two:a:b,X-One:3', 'bad name:x,content-length:5,:path:/', ','];
    const { status, headers } = await client().request('/x', {
      headers: {
        'x-echo-set-header': [...lines, 'Content-Type:text/html', 'connection:close,x-empty'],
      },
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-one': '1,3',
      'x-two': 'a:b',
      'x-empty': '',
      'content-type': 'application/json',
    });
    expect(Number(headers['content-length'])).toBeGreaterThan(5);
  });

  test('X-Echo-Set-Header is limited in size', async () => {
    const line = Array.from({ length: 1500 }, (_, at) => `x${at}:1`).join(',');
    const headers = { 'x-echo-set-header': line };
    const received = await client().request('/x', { headers });
    expect(received.status).toBe(400);
    expect(parsed(received)['message']).toContain('maximum of 32768 bytes');
  });

  test('delay delays the response, an invalid one is 400', async () => {
    const start = performance.now();
    expect((await client().request('/x?delay=120ms')).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(119);
    for (const wrong of ['1', '1d', '301s', '9999h']) {
      const received = await client().request(`/x?delay=${wrong}`);
      expect(received.status).toBe(400);
      expect(parsed(received)['message']).toContain(`delay=${wrong} `);
    }
    expect((await client().request('/x?delay=-1s&dialect=httpbin')).status).toBe(200);
  });

  test('/health and /status/{code} respond as in the original', async () => {
    expect((await client().request('/health')).body.toString()).toBe('OK');
    const { status, body } = await client().request('/status/418', { method: 'POST' });
    expect([status, body.length]).toEqual([418, 0]);
    expect((await client().request('/status/600')).status).toBe(400);
    // Any other path is an echo.
    expect((await client().request('/status/418/')).status).toBe(200);
  });
}, ARGUMENTS);

test('--disable applies to this dialect', async () => {
  const off = '/delay/{n},/response-headers,/anything';
  const { port } = await startService('--disable', off);
  const client = openClient('http/1.1', port);
  const headers = { 'x-echo-set-header': 'a:1' };
  const { headers: received } = await client.request('/x?dialect=gateway-api&delay=x', { headers });
  expect(received['a']).toBeUndefined();
  expect(received['content-type']).toBe('application/json');
  expect((await client.request('/anything/x?dialect=gateway-api')).status).toBe(404);
});
