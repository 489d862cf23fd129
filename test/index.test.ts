import type { SecureClientSessionOptions } from 'node:http2';
import { get } from 'node:https';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import { createService, type Service, type ServiceOptions } from '../src/index.ts';

/** A service that is closed after the test. */
async function started(options?: ServiceOptions): Promise<Service> {
  const service = await createService(options);
  onTestFinished(() => service.close());
  return service;
}

/** The protocol of an echo over HTTP/2. */
async function overHttp2(origin: string, options?: SecureClientSessionOptions): Promise<unknown> {
  const session = connectHttp2(origin, options);
  try {
    return await protocolOf(await json(session.request({ ':path': '/get' })));
  } finally {
    session.destroy();
  }
}

function protocolOf(echo: unknown): unknown {
  expect(echo).toMatchObject({ conn: {} });
  return (echo as { conn: { protocol: string } }).conn.protocol;
}

describe('a service', () => {
  test('speaks all protocols at its origins, with a certificate to trust', async () => {
    const { httpOrigin, httpsOrigin, certificate: ca, address, port } = await started();
    expect({ address, httpOrigin, httpsOrigin }).toEqual({
      address: '127.0.0.1',
      httpOrigin: `http://127.0.0.1:${port}`,
      httpsOrigin: `https://127.0.0.1:${port}`,
    });
    const clear = await fetch(`${httpOrigin}/get`);
    expect(protocolOf(await clear.json())).toBe('http/1.1');
    const [secure] = await once(get(`${httpsOrigin}/get`, { ca, agent: false }), 'response');
    expect(protocolOf(await json(secure))).toBe('https/1.1');
    expect(await overHttp2(httpOrigin)).toBe('h2c');
    expect(await overHttp2(httpsOrigin, { ca })).toBe('h2');
    expect(await overHttp2(`https://localhost:${port}`, { ca })).toBe('h2');
  });

  test('on all addresses: this machine reaches it as localhost', async () => {
    const { httpOrigin, address, port } = await started({ host: '0.0.0.0' });
    expect({ address, httpOrigin }).toEqual({
      address: '0.0.0.0',
      httpOrigin: `http://localhost:${port}`,
    });
  });

  test('has the options it was given, and each its own', async () => {
    const one = await started({ dialect: 'httpbin', metricsEnabled: true, disable: ['/ip'] });
    const two = await started({ metricsEnabled: true, tap: true });
    expect(one.port).not.toBe(two.port);
    expect(one.certificate).not.toBe(two.certificate);
    const statuses = async (path: string): Promise<number[]> => {
      const responses = await Promise.all([one, two].map((s) => fetch(s.httpOrigin + path)));
      return responses.map(({ status }) => status);
    };
    expect(await statuses('/ip')).toEqual([404, 200]);
    expect(await statuses('/connections')).toEqual([404, 200]);
    await fetch(`${two.httpOrigin}/uuid`);
    expect(await hitsOf(one)).not.toHaveProperty('/uuid');
    expect(await hitsOf(two)).toHaveProperty('/uuid', 1);
  });

  test('closing one aborts its requests and leaves the other as it is', async () => {
    const one = await started();
    const two = await started();
    const aborted = fetch(`${one.httpOrigin}/delay/300`);
    const streamed = await fetch(`${one.httpOrigin}/drip?duration=300&numbytes=2`);
    const other = await fetch(`${two.httpOrigin}/drip?duration=0.3&numbytes=2`);
    const closing = expect(Promise.all([one.close(), one.close()])).resolves.toBeDefined();
    await expect(aborted).rejects.toThrow('fetch failed');
    await expect(streamed.text()).rejects.toThrow('terminated');
    await closing;
    await expect(fetch(one.httpOrigin)).rejects.toThrow('fetch failed');
    expect(await other.text()).toHaveLength(2);
  });

  test('drains: open requests are completed, and then it is closed', async () => {
    const service = await started({ drainTimeout: 10 });
    const response = await fetch(`${service.httpOrigin}/drip?duration=0.3&numbytes=2`);
    const drained = service.drain();
    expect(await response.text()).toHaveLength(2);
    expect(await drained).toBe(0);
    await expect(fetch(service.httpOrigin)).rejects.toThrow('fetch failed');
  });

  test('is closed by what disposes of it', async () => {
    const service = await started();
    await service[Symbol.asyncDispose]();
    await expect(fetch(service.httpOrigin)).rejects.toThrow('fetch failed');
  });

  test('leaves unhandled rejections to the program', async () => {
    const before = process.listenerCount('unhandledRejection');
    await started();
    expect(process.listenerCount('unhandledRejection')).toBe(before);
  });

  test('logs to the logger it was given', async () => {
    const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
    const { httpOrigin } = await started({ logger, logRequests: true });
    await fetch(`${httpOrigin}/status/204`);
    expect(logger.info).toHaveBeenCalledWith(
      expect.objectContaining({ status: 204, method: 'GET' }),
      expect.any(String),
    );
  });
});

async function hitsOf({ httpOrigin }: Service): Promise<unknown> {
  const response = await fetch(`${httpOrigin}/metrics?format=json`);
  return ((await response.json()) as { all_time: { endpoint_hits: unknown } }).all_time
    .endpoint_hits;
}

describe('what cannot be', () => {
  test('an option that cannot be used: rejected before anything is opened', async () => {
    await expect(createService({ port: -1 })).rejects.toMatchObject({
      name: 'SettingsError',
      setting: 'port',
    });
  });

  test('a port in use, with the code of the system', async () => {
    const { port } = await started();
    await expect(createService({ port })).rejects.toMatchObject({
      message: `port ${port} is in use at 127.0.0.1`,
      cause: { code: 'EADDRINUSE' },
    });
  });

  test('a certificate that cannot be read', async () => {
    // Of two files either may be read first.
    const options = { tlsCert: '/nowhere/both.pem', tlsKey: '/nowhere/both.pem' };
    await expect(createService(options)).rejects.toThrow('cannot read /nowhere/both.pem');
  });
});
