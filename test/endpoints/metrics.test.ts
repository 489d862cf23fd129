import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { describe, expect, test, vi } from 'vitest';
import { until, PATIENCE } from '../_adapters.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { openClient } from '../_client.ts';
import { exchange, GET, LAST, openSocket, POST } from '../_raw.ts';
import { startService } from '../_service.ts';
import type { Periods } from '../../src/telemetry/statistics.ts';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

overBothProtocols(({ client }) => {
  const read = async (): Promise<Periods> => {
    const { body } = await client().request('/metrics?format=json');
    return JSON.parse(body.toString()) as Periods;
  };

  test('counts by path pattern, its own request after the response', async () => {
    const before = await read();
    for (const target of ['/redirect/1', '/bytes/3', '/bytes/x', '/nowhere', '/nowhere/else']) {
      await client().request(target);
    }
    const { all_time, last_hour } = await read();
    expect(all_time).toEqual(last_hour);
    expect(all_time.total_requests).toBe(before.all_time.total_requests + 6);
    // The first /metrics and /bytes/3; /bytes/x and the two unknown paths; the redirect is neither.
    expect(all_time.successes).toBe(before.all_time.successes + 2);
    expect(all_time.failures).toBe(before.all_time.failures + 3);
    expect(all_time.endpoint_hits).toEqual({
      '/metrics': 1,
      '/redirect/:n': 1,
      '/bytes/:n': 2,
      '/other': 2,
    });
  });
}, '--metrics-enabled');

overBothProtocols(({ client }) => {
  test('the history has the current minute', async () => {
    await client().request('/bytes/3');
    const { body, headers } = await client().request('/metrics/history');
    expect(headers['cache-control']).toBe('no-store');
    const { minutes } = JSON.parse(body.toString()) as { minutes: Record<string, number>[] };
    const sum = (name: string): number =>
      minutes.reduce((total, minute) => total + (minute[name] ?? 0), 0);
    expect(sum('requests')).toBeGreaterThanOrEqual(1);
    expect(sum('connections')).toBeGreaterThanOrEqual(1);
  });

  test.each([
    ['application/json', 'application/json'],
    ['application/json, text/plain;q=0.9, */*;q=0.8', 'application/json'],
    ['text/plain', TEXT],
    ['text/html, */*;q=0.8', TEXT],
    ['*/*', TEXT],
    [
      'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      OPENMETRICS,
    ],
    // Prometheus 2.49 and 3, by default.
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      OPENMETRICS,
    ],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
      OPENMETRICS,
    ],
    ['text/plain;version=1.0.0;escaping=underscores,text/plain;version=0.0.4;q=0.2', TEXT],
    ['image/png', TEXT],
  ])('RFC 9110 12.5.1: %s gives %s', async (accept, type) => {
    const { status, headers, body } = await client().request('/metrics', { headers: { accept } });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers.vary).toBe('Accept');
    const start = type === 'application/json' ? '{' : '# HELP ';
    expect(body.toString().startsWith(start)).toBe(true);
  });

  test.each([
    ['prometheus', TEXT],
    ['openmetrics', OPENMETRICS],
    ['json', 'application/json'],
  ])('format=%s takes precedence over Accept', async (format, type) => {
    for (const accept of ['application/json', 'text/plain', 'image/png']) {
      const target = `/metrics?format=${format}`;
      const { headers } = await client().request(target, { headers: { accept } });
      expect(headers['content-type']).toBe(type);
    }
  });

  test('another format is 400', async () => {
    const { status, body } = await client().request('/metrics?format=xml');
    expect(status).toBe(400);
    expect(body.toString()).toContain('format');
  });

  test('the duration of a request is counted once it is finished', async () => {
    await client().request('/delay/0.06');
    const { transport } = client();
    const text = async (): Promise<string> => (await client().request('/metrics')).body.toString();
    const bucket = (le: string): RegExp =>
      new RegExp(
        `^wirebin_http_request_duration_seconds_bucket{transport="${transport}",le="${le}"} (\\d+)$`,
        'm',
      );
    const slow = async (): Promise<number> => {
      const shown = await text();
      return Number(bucket('\\+Inf').exec(shown)?.[1]) - Number(bucket('0.05').exec(shown)?.[1]);
    };
    await vi.waitUntil(async () => (await slow()) >= 1);
  });
}, '--metrics-enabled');

async function readFrom(port: number): Promise<Periods> {
  const answer = await exchange(port, GET('/metrics?format=json', LAST));
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Periods;
}

const NOTHING = {
  successes: 0,
  failures: 0,
  faults: {},
  chaos: {},
  grpc: {},
  unhandled_rejections: 0,
};

describe('failed requests', () => {
  test('rejected messages are failures under /other', async () => {
    const { port } = await startService('--metrics-enabled');
    await exchange(port, 'GET / HTTP/1.1\r\nHost : a\r\n\r\n');
    await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
    await exchange(port, 'GET / HTTP/1.1\r\n\r\n');
    const { all_time } = await readFrom(port);
    const counts = { total_requests: 3, failures: 3, endpoint_hits: { '/other': 3 } };
    expect(all_time).toEqual({ ...NOTHING, ...counts });
  });

  test.each([
    ['in a delay', GET('/delay/60'), '/delay/:n'],
    ['while sending its content', POST('/anything', 'Content-Length: 10\r\n', 'half'), '/anything'],
  ])(
    'a client that disconnects %s counts as a hit, neither success nor failure',
    async (_, sent, key) => {
      const { port, service } = await startService('--metrics-enabled');
      const socket = await openSocket(port);
      socket.write(sent);
      await pause(100);
      socket.resetAndDestroy();
      await until(() => service.counts()?.total_requests === 1);
      const { all_time } = await readFrom(port);
      expect(all_time).toEqual({ ...NOTHING, total_requests: 1, endpoint_hits: { [key]: 1 } });
    },
  );
});

/** The values of a counter by its one label. */
async function counter(port: number, name: string): Promise<Record<string, number>> {
  const text = await exchange(port, GET('/metrics', LAST));
  const found = text.matchAll(new RegExp(`^wirebin_${name}_total{\\w+="([^"]+)"} (\\d+)$`, 'gm'));
  return Object.fromEntries(Array.from(found, ([, label = '', value]) => [label, Number(value)]));
}

const NO_GROUPS = { X25519MLKEM768: 0, x25519: 0, secp256r1: 0, secp384r1: 0, none: 0 };

describe('connections and TLS handshakes', () => {
  test('are there before the first one', async () => {
    const { port } = await startService('--metrics-enabled');
    const none = { h2: 0, h2c: 0, 'https/1.1': 0, none: 0 };
    expect(await counter(port, 'connections')).toEqual({ ...none, 'http/1.1': 1 });
    expect(await counter(port, 'tls_handshakes')).toEqual({ full: 0, resumed: 0, failed: 0 });
    expect(await counter(port, 'tls_groups')).toEqual(NO_GROUPS);
  });

  test('are counted when they are known, each once', async () => {
    const { port } = await startService('--metrics-enabled');
    let session: Buffer | undefined;
    for (let nth = 0; nth < 2; nth++) {
      const socket = connect({ port, rejectUnauthorized: false, ...(session && { session }) });
      socket.once('session', (ticket: Buffer) => (session = ticket));
      socket.write(GET('/healthz', LAST));
      await once(socket.resume(), 'close');
    }
    // HTTP/1.1 where ALPN chose h2.
    await exchange(port, GET('/healthz', LAST), ['h2']);
    const client = openClient('h2', port);
    for (let nth = 0; nth < 3; nth++) await client.request('/healthz');
    // A client that does not trust the certificate sends an alert.
    await once(connect({ port, rejectUnauthorized: true }), 'error');
    const silent = await openSocket(port);
    const before = await counter(port, 'connections');
    expect(before).toMatchObject({ h2: 2, h2c: 0, 'http/1.1': 1, 'https/1.1': 2 });
    silent.destroy();
    await vi.waitFor(async () => {
      expect((await counter(port, 'connections'))['none']).toBe((before['none'] ?? 0) + 1);
    }, PATIENCE);
    expect(await counter(port, 'tls_handshakes')).toEqual({ full: 3, resumed: 1, failed: 1 });
    const groups = await counter(port, 'tls_groups');
    expect(Object.values(groups).reduce((sum, count) => sum + count, 0)).toBe(4);
  });

  test.each([
    ['X448', 'TLSv1.3', 'x448'],
    ['P-256', 'TLSv1.2', 'secp256r1'],
  ] as const)('are counted by group: %s in %s', async (ecdhCurve, maxVersion, group) => {
    const { port } = await startService('--metrics-enabled');
    const socket = connect({ port, rejectUnauthorized: false, ecdhCurve, maxVersion });
    socket.write(GET('/healthz', LAST));
    await once(socket.resume(), 'close');
    expect(await counter(port, 'tls_groups')).toEqual({ ...NO_GROUPS, [group]: 1 });
  });
});
