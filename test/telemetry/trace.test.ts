import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { ask } from '../_walk.ts';

let running: Running;

/** What the trace says about the connections, once the last has closed. */
async function steps(): Promise<Record<string, unknown>[]> {
  await until(() => running.logged.some(({ msg }) => msg === 'connection closed'));
  return running.logged.filter(({ level }) => level === 10);
}

describe('--log-level trace tells the life of a connection', () => {
  test('HTTP/1.1 in cleartext, which wirebin closes', async () => {
    running = await startService('--log-level', 'trace');
    await exchange(running.port, GET('/status/204?secret=1', LAST));
    const all = await steps();
    expect(all).toMatchObject([
      { msg: 'connection opened', peer: '127.0.0.1', local_port: running.port },
      { msg: 'protocol detected', protocol: 'http/1.1' },
      { msg: 'request received', request: 1, content: false },
      { msg: 'response started', request: 1, endpoint: 'status', status: 204 },
      { msg: 'request finished', request: 1, status: 204, bytes: 0, complete: true },
      { msg: 'closing connection', how: 'graceful', reason: 'connection-close' },
      { msg: 'connection closed', by: 'wirebin', reason: 'connection-close', requests: 1 },
    ]);
    expect(new Set(all.map(({ conn }) => conn)).size).toBe(1);
    expect(JSON.stringify(all)).not.toContain('secret');
  });

  test('HTTP/2 over TLS, which the client closes', async () => {
    running = await startService('--log-level', 'trace');
    await ask('h2', running.port, '/get');
    expect(await steps()).toMatchObject([
      { msg: 'connection opened' },
      {
        msg: 'TLS handshake complete',
        version: 'TLSv1.3',
        group: expect.stringMatching(/25519/),
        alpn: 'h2',
        resumed: false,
      },
      { msg: 'protocol detected', protocol: 'h2' },
      { msg: 'request received', request: 1, stream: 1 },
      { msg: 'response started', endpoint: 'get', status: 200 },
      { msg: 'request finished', status: 200, complete: true },
      { msg: 'connection closed', by: 'client', requests: 1 },
    ]);
  });

  test('beside the tap, which sees the same connections', async () => {
    running = await startService('--log-level', 'trace', '--tap');
    await exchange(running.port, GET('/get', LAST));
    const closed = (await steps()).at(-1);
    const { body } = await ask('http/1.1', running.port, '/connections');
    expect(JSON.parse(body.toString())).toMatchObject({
      transports: { 'http/1.1': { connections: { closed: 1 } } },
    });
    expect(closed).toMatchObject({ msg: 'connection closed' });
  });

  test('at level debug there is none of it', async () => {
    running = await startService('--log-level', 'debug');
    await exchange(running.port, GET('/get', LAST));
    expect(running.logged.filter(({ level }) => level === 10)).toEqual([]);
  });
});
