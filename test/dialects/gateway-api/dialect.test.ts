import { afterEach, expect, test } from 'vitest';
import { Opcode } from '../../../src/wire/websocket/frame.ts';
import { openClient } from '../../_client.ts';
import { parsed } from '../../_echo.ts';
import { everywhere, overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import { ask, journalOf } from '../../_walk.ts';
import { closeWebSockets, frame, openWebSocket } from '../../_websocket.ts';

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
    expect((await client().request('//health')).body.toString()).toBe('OK');
    for (const code of [418, 200, 204, 599]) {
      const target = `/status/${code}`;
      const { status, body } = await client().request(target, { method: 'POST' });
      expect([status, body.length]).toEqual([code, 0]);
    }
    for (const wrong of ['418/', '0418', '418/x', '199', 'abc', '', '600']) {
      const { status } = await client().request(`/status/${wrong}`);
      expect([wrong, status]).toEqual([wrong, 400]);
    }
    // Any other path is an echo.
    for (const path of ['/health/', '/status', '/retry', '/ready', '/a/../health']) {
      expect(parsed(await client().request(path))).toMatchObject({ path });
    }
  });

  const attempts = async (path: string, query: string, count: number) => {
    const target = `/retry/${path}?uuid=${path.replace('/', '-')}&${query}`;
    const outcomes: unknown[] = [];
    while (outcomes.length < count) {
      // Each on a connection of its own, as a retry after a reset.
      // oxlint-disable-next-line no-await-in-loop
      outcomes.push(await ask(transport, running().port, target).catch(() => 'reset'));
    }
    return outcomes;
  };

  test('/retry/ resets the connection of the first attempts', async () => {
    const [first, second, third] = await attempts('a', 'succeedAfter=2&delayRetry=1ms&x=y', 3);
    expect([first, second]).toEqual(['reset', 'reset']);
    expect(third).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  });

  test('/retry/ responds with responseCode in place of that', async () => {
    const outcomes = await attempts('b/c', 'succeedAfter=1&responseCode=503&delay=1ms', 2);
    expect(outcomes).toMatchObject([{ status: 503 }, { status: 200 }]);
  });

  test.each([
    ['', 'uuid is required'],
    ['uuid=x', 'succeedAfter is required'],
    ['uuid=x&succeedAfter=x', 'succeedAfter=x is not'],
    ['uuid=x%20y&succeedAfter=1', 'uuid=x y is not a token'],
    ['uuid=x&succeedAfter=1&responseCode=99', 'responseCode=99 is below'],
    ['uuid=x&succeedAfter=1&delayRetry=1', 'delayRetry=1 is not a duration'],
  ])('/retry/x?%s is 400', async (query, message) => {
    const received = await client().request(`/retry/x?${query}`);
    expect(received.status).toBe(400);
    expect(parsed(received)['message']).toContain(message);
  });
}, ARGUMENTS);

everywhere(
  ({ transport, running, client }) => {
    afterEach(closeWebSockets);

    test('/ws echoes text and binary messages, whatever the query', async () => {
      for (const path of ['/ws', '//ws', '/ws?close=1011&x']) {
        // oxlint-disable-next-line no-await-in-loop
        const socket = await openWebSocket(transport, running().port, path);
        socket.send(frame(Opcode.text, 'Websocket Support!'), frame(Opcode.binary, 'é'));
        socket.send(frame(Opcode.close, Buffer.of(3, 232)));
        // oxlint-disable-next-line no-await-in-loop
        expect(await socket.received(2)).toMatchObject([
          { opcode: Opcode.text, content: Buffer.from('Websocket Support!') },
          { opcode: Opcode.binary, content: Buffer.from('é') },
        ]);
        // oxlint-disable-next-line no-await-in-loop
        expect(await socket.closed()).toBe('1000 ');
      }
    });

    test('/ws is 400 without a handshake, and 405 for another method', async () => {
      const { status, headers, body } = await client().request('/ws');
      expect(status).toBe(400);
      expect(headers['sec-websocket-version']).toBe('13');
      expect(JSON.parse(body.toString())).toEqual({ message: expect.any(String) as string });
      expect((await client().request('/ws', { method: 'POST' })).status).toBe(405);
    });
  },
  [...ARGUMENTS, '--h2-enable-connect-protocol'],
);

test('?dialect=gateway-api counts in the journal of the service', async () => {
  const { port } = await startService();
  const client = openClient('http/1.1', port);
  const target = '/retry/x?uuid=u1&succeedAfter=1&responseCode=502&dialect=gateway-api';
  const statuses = [await client.request(target), await client.request(target)].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([502, 200]);
  const attempted = [{ response: { status: 502 } }, { response: { status: 200 } }];
  expect(await journalOf(port, 'u1')).toMatchObject({ attempts: 2, entries: attempted });
});

test('--disable applies to this dialect', async () => {
  const off = '/delay/{n},/response-headers,/anything,/retry/{key},/websocket/echo';
  const { port } = await startService('--disable', off);
  const client = openClient('http/1.1', port);
  const headers = { 'x-echo-set-header': 'a:1' };
  const { headers: received } = await client.request('/x?dialect=gateway-api&delay=x', { headers });
  expect(received['a']).toBeUndefined();
  expect(received['content-type']).toBe('application/json');
  expect((await client.request('/ws?dialect=gateway-api')).status).toBe(200);
  expect((await client.request('/retry/x?dialect=gateway-api')).status).toBe(200);
  expect((await client.request('/anything/x?dialect=gateway-api')).status).toBe(404);
});
