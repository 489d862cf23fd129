import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { refuseOtherPages } from '../../src/server/cross-origin.ts';
import { FakeExchange } from '../_exchange.ts';
import { startService } from '../_service.ts';
import { openClient, type Sent } from '../_client.ts';
import { exchange } from '../_raw.ts';
import { overBothProtocols } from '../_everywhere.ts';

const SETTINGS = ['--tap', '--metrics-enabled', '--control=token'];
const EVIL = 'http://evil.example';
const BROWSER = { 'accept-language': 'en' };

overBothProtocols(
  ({ client, transport }) => {
    const HOST = transport === 'h2' ? ':authority' : 'host';
    const ask = async (headers: Record<string, string>, target = '/journal/a', method = 'GET') =>
      client().request(target, { method, headers });

    test.each([
      ['no browser', {}, 200],
      ['no browser, by any host', { [HOST]: 'evil.example' }, 200],
      ['the address bar', { 'sec-fetch-site': 'none' }, 200],
      ['a page of wirebin', { 'sec-fetch-site': 'same-origin' }, 200],
      ['a page of another port', { 'sec-fetch-site': 'same-site' }, 403],
      ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: EVIL }, 403],
      ['an image, a script or a form', { 'sec-fetch-site': 'cross-site' }, 403],
      ['a site that no browser knows', { 'sec-fetch-site': 'other' }, 403],
      ['a page by localhost', { ...BROWSER, [HOST]: 'localhost:1' }, 200],
      ['a page by *.localhost', { ...BROWSER, [HOST]: 'A.LOCALHOST:1' }, 200],
      ['a page by 127.0.0.0/8', { ...BROWSER, [HOST]: '127.1.2.3:1' }, 200],
      ['a page by [::1]', { ...BROWSER, [HOST]: '[::1]:1' }, 200],
      ['a page by a name of the local network', { ...BROWSER, [HOST]: 'backend' }, 200],
      ['a page by a rebound name', { ...BROWSER, [HOST]: 'evil.example:1' }, 403],
      ['a page that hides', { 'accept-language': '', [HOST]: 'evil.example' }, 403],
      ['the same over TLS', { 'sec-fetch-site': 'same-origin', [HOST]: 'evil.example' }, 403],
      ['a name that looks local', { ...BROWSER, [HOST]: '127.0.0.1.evil.example' }, 403],
      ['another one', { ...BROWSER, [HOST]: 'localhost.evil.example' }, 403],
    ])('%s', async (_, headers, status) => {
      for (const target of ['/journal/a', '/connections', '/metrics', '/metrics/history']) {
        expect([target, (await ask(headers, target)).status]).toEqual([target, status]);
      }
    });

    test('a refusal says what to set', async () => {
      const site = await ask({ 'sec-fetch-site': 'cross-site', origin: EVIL });
      expect(JSON.parse(site.body.toString())).toEqual({
        type: '/problems/cross-origin',
        title: 'Web pages of other origins cannot use this path',
        status: 403,
        detail: `the request has Sec-Fetch-Site: cross-site; to let a page use this path, set --allow-origin to ${EVIL}`,
      });
      const host = await ask({ ...BROWSER, [HOST]: 'evil.example:1' });
      expect(host.body.toString()).toContain('set --allowed-hosts to evil.example"');
    });

    test('no preflight allows to forget or to stop', async () => {
      const preflight = {
        origin: EVIL,
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization',
      };
      const targets = ['/journal/a', '/control/exit', '/metrics?dialect=httpbin'];
      for (const target of targets) {
        const { headers } = await ask(preflight, target, 'OPTIONS');
        expect(headers.allow).toBeDefined();
        expect(Object.keys(headers).filter((name) => name.startsWith('access-'))).toEqual([]);
      }
      const echo = await ask(preflight, '/delete', 'OPTIONS');
      expect(echo.headers['access-control-allow-origin']).toBe(EVIL);
    });

    test('a page of another origin cannot use other dialects either', async () => {
      for (const dialect of ['httpbin', 'go-httpbin', 'gateway-api', 'postman-echo']) {
        const target = `/metrics?dialect=${dialect}`;
        const { status, headers } = await ask({ 'sec-fetch-site': 'cross-site' }, target);
        expect([dialect, status]).toEqual([dialect, 403]);
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
    });
  },
  ...SETTINGS,
);

/** The status of a request and its Access-Control-Allow-Origin. */
async function answerOf(args: readonly string[], { headers }: Sent) {
  const { port, service } = await startService('--tap', ...args);
  const client = openClient('http/1.1', port);
  const answer = await client.request('/connections', { headers: headers ?? {} });
  client.close();
  service.close();
  return [answer.status, answer.headers['access-control-allow-origin']];
}

const PAGE = { 'sec-fetch-site': 'cross-site', origin: EVIL };

test.each([
  [[`--allow-origin=https://a.example,${EVIL}`], PAGE, [200, EVIL]],
  [['--allow-origin=*'], PAGE, [200, EVIL]],
  [['--allow-origin=https://evil.example'], PAGE, [403, undefined]],
  [['--allow-origin=*'], { ...PAGE, host: 'evil.example' }, [403, EVIL]],
  [['--allow-origin', EVIL], { 'sec-fetch-site': 'cross-site' }, [403, undefined]],
  [['--allowed-hosts=a.example'], { ...BROWSER, host: 'A.example:1' }, [200, undefined]],
  [['--allowed-hosts=*'], { ...BROWSER, host: 'a.example' }, [200, undefined]],
  [['--allowed-hosts=example'], { ...BROWSER, host: 'a.example' }, [403, undefined]],
])('%s and %o', async (args, headers, expected) => {
  expect(await answerOf(args, { headers })).toEqual(expected);
});

describe('the page behind a balancer', () => {
  test.each([
    ['on another machine', 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', 'HTTP/1.1 200 OK'],
    ['on this machine', 'PROXY TCP4 127.0.0.2 127.0.0.1 1 2\r\n', 'HTTP/1.1 403 Forbidden'],
  ])('%s', async (_, header, expected) => {
    const { port, service } = await startService('--tap', '--proxy-protocol=require');
    const lines = ['GET /connections HTTP/1.1', 'Host: www.example.com', 'Connection: close'];
    const fields = ['Sec-Fetch-Site: same-origin', 'Accept-Language: en'];
    const sent = `${header}${[...lines, ...fields].join('\r\n')}\r\n\r\n`;
    const [line] = (await exchange(port, sent)).split('\r\n');
    service.close();
    expect(line).toBe(expected);
  });
});

test.each([
  ['192.0.2.1', false],
  ['192.0.2.2', true],
])('a browser at %s that asks 192.0.2.2 by a rebound name is refused: %s', (remote, isRefused) => {
  const socket: Socket = Object.create(new Socket(), {
    remoteAddress: { value: remote },
    localAddress: { value: '192.0.2.2' },
  });
  const asked = new FakeExchange('/connections', {
    connection: new TcpConnection(socket),
    fields: ['Host', 'evil.example', 'Accept-Language', 'en'],
  });
  const ask = (): void => refuseOtherPages(asked, { allowOrigin: [], allowedHosts: [] });
  if (isRefused) expect(ask).toThrow('may be DNS rebinding');
  else expect(ask).not.toThrow();
});
