import { once } from 'node:events';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { PROTOCOLS, type Protocol } from '../src/net/connection.ts';
import { isSecure, openClient } from './_client.ts';
import { FrameClient, get, GOAWAY, SETTINGS } from './_frames.ts';
import { until } from './_adapters.ts';
import { converse, exchange, GET, openSocket, POST } from './_raw.ts';
import { startService, type Running } from './_service.ts';

/** All sets of transports but the empty one. */
const subsets = Array.from({ length: 2 ** PROTOCOLS.length - 1 }, (_, bits) =>
  PROTOCOLS.filter((_transport, at) => ((bits + 1) >> at) & 1),
);

/** NO_ERROR or another error code of GOAWAY (RFC 9113 7). */
const INADEQUATE_SECURITY = 0xc;
const HTTP_1_1_REQUIRED = 0xd;

/** The error of a handshake with this ALPN list; undefined if it succeeds. */
async function handshakeError(port: number, alpn: string[]): Promise<string | undefined> {
  const options = { port, rejectUnauthorized: false };
  const socket = tls.connect(alpn.length > 0 ? { ...options, ALPNProtocols: alpn } : options);
  try {
    await once(socket, 'secureConnect');
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    socket.destroy();
  }
}

async function goawayCode(port: number): Promise<number | undefined> {
  const client = new FrameClient(await openSocket(port));
  client.send(get(1, '/get'));
  await until(() => client.ended);
  expect(client.frames.map(({ type }) => type)).toEqual([SETTINGS, GOAWAY]);
  const [goaway] = client.got(GOAWAY);
  expect(goaway?.payload.readUInt32BE(0)).toBe(0);
  expect(goaway?.payload.toString('latin1', 8)).toMatch(/^h2c is off; this port speaks /);
  client.socket.destroy();
  return goaway?.payload.readUInt32BE(4);
}

function startWith(on: readonly Protocol[], ...args: string[]): Promise<Running> {
  return startService('--transports', on.join(','), ...args);
}

describe.each(subsets.map((on) => [on.join(','), on] as const))('with %s', (_name, on) => {
  test.each(on)('%s serves', async (transport) => {
    const { port } = await startWith(on);
    const client = openClient(transport, port);
    const { status } = await client.request('/get');
    expect(status).toBe(200);
  });

  test('the others are refused, and the service goes on', async () => {
    const { port } = await startWith(on);
    const detail = `is off; this port speaks ${on.join(', ')} (--transports)`;
    if (!on.includes('http/1.1')) {
      const response = await exchange(port, GET('/get'));
      expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\nConnection: close\r\n/s);
      expect(response).toContain(`http/1.1 ${detail}`);
      expect(response).toContain('/problems/transport-off');
    }
    if (!on.includes('h2c')) {
      const isTlsNeeded = on.includes('h2') && !on.includes('http/1.1');
      const code = isTlsNeeded ? INADEQUATE_SECURITY : HTTP_1_1_REQUIRED;
      expect(await goawayCode(port)).toBe(code);
    }
    const isTlsOff = !on.some(isSecure);
    for (const [alpn, transport] of [
      [['http/1.1'], 'https/1.1'],
      [['h2'], 'h2'],
    ] as const) {
      const failure = await handshakeError(port, [...alpn]);
      if (isTlsOff) expect(failure).toMatch(/handshake failure|alert number 40/);
      else if (on.includes(transport)) expect(failure).toBeUndefined();
      else expect(failure).toMatch(/no application protocol|alert number 120/);
    }
    if (on.includes('h2') && !on.includes('https/1.1')) {
      expect(await exchange(port, GET('/get'), [])).toContain(`https/1.1 ${detail}`);
      const socket = await openSocket(port, ['http/1.1', 'h2']);
      expect(socket).toHaveProperty('alpnProtocol', 'h2');
      socket.destroy();
    }
    const client = openClient(on[0] ?? 'h2', port);
    expect((await client.request('/get')).status).toBe(200);
  });
});

describe('a transport that is off', () => {
  test('the response arrives though the client sends content of some MiB', async () => {
    const { port } = await startWith(['h2']);
    const socket = await openSocket(port);
    const content = 'a'.repeat(4 * 1024 ** 2);
    const fields = `Content-Length: ${content.length}\r\n`;
    expect(await converse(socket, POST('/post', fields, content))).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test('is logged, counted, and in the response with --conn-headers', async () => {
    const args = ['--log-level', 'debug', '--metrics-enabled', '--conn-headers', '--name', 'a'];
    const { port, service, logged } = await startWith(['h2'], ...args);
    const response = await exchange(port, GET('/get?secret=1'));
    expect(response).toMatch(/\r\nX-Conn-Id: \w+\r\nX-Instance: a\r\n/);
    await goawayCode(port);
    await until(() => service.counts()?.terminations['transport-off'] === 2);
    const rejected = logged.filter(({ msg }) => msg === 'message rejected');
    expect(rejected).toMatchObject([
      { code: 'transport-off', method: 'GET', path: '/get' },
      { detail: 'h2c is off; this port speaks h2 (--transports)' },
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret=1');
    expect(service.counts()?.failures).toBe(1);
  });

  test('TLS is logged as a failed handshake', async () => {
    const { port, logged } = await startWith(['http/1.1'], '--log-level', 'debug');
    await handshakeError(port, []);
    await until(() => logged.some(({ reason }) => reason === 'transport-off'));
    expect(logged).toContainEqual(
      expect.objectContaining({
        msg: 'handshake failed',
        detail: 'TLS is off; this port speaks http/1.1 (--transports)',
      }),
    );
  });

  test('a PROXY header precedes it', async () => {
    const { port } = await startWith(['h2c'], '--proxy-protocol', 'require');
    const header = 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n';
    expect(await exchange(port, header + GET('/get'))).toContain('http/1.1 is off');
  });

  test.each(['', 'h2,', 'h3', 'H2', 'h2 http/1.1'])('%j is no list of them', async (list) => {
    await expect(startService('--transports', list)).rejects.toThrow(
      '--transports (WIREBIN_TRANSPORTS) cannot be',
    );
  });

  test('a repeated one and spaces are fine', async () => {
    const { port } = await startService('--transports', 'h2, h2c,h2');
    expect(await exchange(port, GET('/'))).toContain('this port speaks h2c, h2 (');
  });
});
