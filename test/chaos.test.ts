import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import { describe, expect, test } from 'vitest';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import { openClient, transports, type Received, type Transport } from './_client.ts';
import { parsed } from './_echo.ts';
import { outcomeOf } from './_ending.ts';
import { overBothProtocols } from './_everywhere.ts';
import { GET, LAST } from './_raw.ts';
import { startService } from './_service.ts';

const EXEMPT = ['/healthz', '/readyz', '/metrics', '/tap?duration=0', '/connections'];

overBothProtocols(
  ({ client }) => {
    test('every disturbed response has the status, and says so', async () => {
      for (const [target, method] of [
        ['/get', 'GET'],
        ['/get', 'HEAD'],
        ['/post', 'POST'],
        ['/bytes/10', 'GET'],
        ['/bytes/x', 'GET'],
        ['/get?dialect=httpbin', 'GET'],
      ] as const) {
        const { status, headers } = await client().request(target, { method });
        expect([target, status, headers['x-chaos']]).toEqual([target, 503, 'status=503']);
      }
    });

    test('probes and what watches the service are not disturbed', async () => {
      for (const target of EXEMPT) {
        const { status, headers } = await client().request(target);
        expect([target, status, headers['x-chaos']]).toEqual([target, 200, undefined]);
      }
      const headers = { authorization: 'Bearer t' };
      const ready = await client().request('/control/ready', { method: 'POST', headers });
      expect(ready.status).toBe(200);
    });

    test('nor are unknown paths, methods that an endpoint lacks, and OPTIONS', async () => {
      expect((await client().request('/nowhere')).status).toBe(404);
      expect((await client().request('/get', { method: 'POST' })).status).toBe(405);
      expect((await client().request('/get', { method: 'OPTIONS' })).status).toBe(204);
    });
  },
  '--chaos',
  'status=503:100%',
  '--tap',
  '--metrics-enabled',
  '--control',
  't',
);

overBothProtocols(
  ({ client }) => {
    test('a delay precedes the response of the endpoint, an error too', async () => {
      const start = performance.now();
      const { status, headers, body } = await client().request('/post', {
        method: 'POST',
        body: 'a',
      });
      // Timers may fire a millisecond early.
      expect(performance.now() - start).toBeGreaterThan(98);
      expect([status, headers['x-chaos']]).toEqual([200, 'delay=100ms']);
      expect(JSON.parse(body.toString())).toMatchObject({ body: 'a' });
      const failed = await client().request('/bytes/x');
      expect([failed.status, failed.headers['x-chaos']]).toEqual([400, 'delay=100ms']);
    });
  },
  '--chaos',
  'delay=100ms:100%',
);

describe.each([
  ['in clear', false],
  ['over TLS', true],
])('faults on HTTP/1.1 %s', (_name, isSecure) => {
  test.each([
    ['reset', 'RST'],
    ['close', 'FIN'],
    ['content-length', 'FIN'],
    ['chunk', 'FIN'],
    ['head', 'FIN'],
  ])('%s, with X-Chaos', async (name, ending) => {
    const { port, service } = await startService('--chaos', `${name}:100%`, '--metrics-enabled');
    const outcome = await outcomeOf(port, GET('/get', LAST), isSecure);
    expect(outcome.ending).toBe(ending);
    expect(outcome.received).toContain(`X-Chaos: ${name}`);
    expect(service.counts()).toMatchObject({ chaos: { [name]: 1 }, faults: {} });
  });

  test.each(['rst-stream', 'goaway', ...(isSecure ? [] : ['truncate-tls']), 'no-read'])(
    '%s, which there is not, disturbs nothing',
    async (name) => {
      const { port, service } = await startService('--chaos', `${name}:100%`, '--metrics-enabled');
      const { received } = await outcomeOf(port, GET('/get', LAST), isSecure);
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
      expect(received).not.toContain('X-Chaos');
      expect(service.counts()).toMatchObject({ chaos: {}, faults: {} });
    },
  );
});

/** Statuses of many requests, one after the other. */
async function statuses(transport: Transport, ...args: string[]): Promise<number[]> {
  const { port } = await startService('--chaos', 'status=503:30%,status=404:30%', ...args);
  const client = openClient(transport, port);
  const received: Received[] = [];
  for (let nth = 0; nth < 50; nth++) received.push(await client.request('/status/204'));
  return received.map(({ status }) => status);
}

test('a seed gives the same sequence on every transport', async () => {
  const [first, ...others] = await Promise.all(
    transports.map(async (transport) => statuses(transport, '--chaos-seed', '9')),
  );
  expect(new Set(first)).toEqual(new Set([204, 404, 503]));
  for (const other of others) expect(other).toEqual(first);
  expect(await statuses('http/1.1', '--chaos-seed', '10')).not.toEqual(first);
});

test('without a seed, each service has another sequence', async () => {
  const [first, second] = await Promise.all([statuses('h2c'), statuses('h2c')]);
  expect(first).not.toEqual(second);
});

describe('--chaos-paths', () => {
  test.each([
    ['/healthz', ['/healthz'], ['/get', '/readyz']],
    ['/bytes,/readyz', ['/bytes/1', '/readyz'], ['/get', '/healthz', '/stream-bytes/1']],
    ['/bytes/{n}', ['/bytes/1', '/bytes/2'], ['/get']],
    ['/anything/a', ['/anything/a', '/anything/a/b'], ['/anything', '/anything/ab']],
    ['/anything', ['/anything', '/anything/a'], ['/get']],
  ])('%s', async (paths, disturbed, others) => {
    const args = ['--chaos', 'status=599:100%', '--chaos-paths', paths];
    const { port } = await startService(...args);
    const client = openClient('h2', port);
    for (const target of disturbed) {
      expect([target, (await client.request(target)).status]).toEqual([target, 599]);
    }
    for (const target of others) {
      expect([target, (await client.request(target)).status]).toEqual([target, 200]);
    }
  });
});

test.each(['httpbin', 'go-httpbin', 'gateway-api', 'postman-echo'])(
  '%s is disturbed as well',
  async (dialect) => {
    const { port } = await startService('--dialect', dialect, '--chaos', 'status=503:100%');
    const client = openClient('http/1.1', port);
    const { status, headers } = await client.request('/get');
    expect([status, headers['x-chaos']]).toEqual([503, 'status=503']);
    const probe = dialect === 'gateway-api' ? '/health' : '/readyz';
    expect((await client.request(probe)).status).toBe(200);
  },
);

test('/metrics counts by kind what was asked for, and what was by chaos', async () => {
  const args = ['--chaos', 'status=503:100%', '--chaos-paths', '/get', '--metrics-enabled'];
  const { port } = await startService(...args);
  await outcomeOf(port, GET('/fault/reset'), false);
  await outcomeOf(port, GET('/fault/close'), true);
  const client = openClient('http/1.1', port);
  await client.request('/get');
  await client.request('/get');
  await client.request('/ip');
  const { all_time: all } = parsed(await client.request('/metrics?format=json'));
  expect(all).toMatchObject({ faults: { reset: 1, close: 1 }, chaos: { status: 2 } });
  const headers = { accept: 'text/plain' };
  const text = (await client.request('/metrics', { headers })).body.toString();
  expect(text).toContain('\nwirebin_faults_total{kind="reset"} 1\n');
  expect(text).toContain('\nwirebin_chaos_total{kind="status"} 2\n');
});

test('without --chaos there is no X-Chaos', async () => {
  const { port } = await startService();
  for (const transport of transports) {
    const client = openClient(transport, port);
    expect((await client.request('/get')).headers).not.toHaveProperty('x-chaos');
  }
});

test('many requests at once, each with some fault, leave the service as it was', async () => {
  const names = ['reset', 'close', 'garbage', 'head', 'chunk', 'content-length', 'goaway'];
  const chaos = [...names.map((name) => `${name}:14%`), 'status=500:2%'].join(',');
  const { port } = await startService('--chaos', chaos, '--chaos-paths', '/get');
  const honest = openClient('h2', port);
  const ask = async (nth: number): Promise<void> => {
    await outcomeOf(port, GET('/get', LAST), nth % 2 === 0);
    if (nth % 10 === 0) expect((await honest.request('/ip')).status).toBe(200);
  };
  await Promise.all(Array.from({ length: 100 }, async (_, nth) => ask(nth)));
  expect((await honest.request('/ip')).status).toBe(200);
});

test.each(['rst-stream', 'goaway', 'stall', 'close'])('%s on HTTP/2', async (name) => {
  const { port, service } = await startService('--chaos', `${name}:100%`, '--metrics-enabled');
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  const stream = session.request({ ':path': '/get' });
  stream.on('error', () => undefined);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  expect(headers['x-chaos']).toBe(name);
  expect(service.counts()).toMatchObject({ chaos: { [name]: 1 }, faults: {} });
  session.destroy();
});
