import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Echo } from '../../src/echo/echo-schema.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { until } from '../_adapters.ts';
import { transports, type Transport } from '../_client.ts';
import { echoOf } from '../_echo.ts';
import { tlv, v2, V1 } from '../_proxy.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { startService } from '../_service.ts';
import { sharedService } from '../_shared.ts';

type View = Record<string, unknown>;

/** A socket on which only the header has been sent, in pieces. */
async function open(port: number, pieces: readonly Uint8Array[]): Promise<Socket> {
  const socket = await openSocket(port);
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await pause(1);
  }
  return socket;
}

/** The echo of a request on a socket, over the transport. */
async function echoOver(transport: Transport, socket: Socket): Promise<Echo> {
  const secure = transport === 'h2' || transport === 'https/1.1';
  const alpn = transport === 'h2' ? 'h2' : 'http/1.1';
  const over = secure
    ? tls.connect({ socket, ALPNProtocols: [alpn], rejectUnauthorized: false })
    : socket;
  try {
    if (transport === 'http/1.1' || transport === 'https/1.1') {
      const response = await converse(over, GET('/get', LAST));
      return echoOf(response.slice(response.indexOf('\r\n\r\n')));
    }
    const session = connectHttp2('http://x', { createConnection: () => over });
    let text = '';
    for await (const chunk of session.request({ ':path': '/get' })) text += String(chunk);
    session.destroy();
    return echoOf(text);
  } finally {
    over.destroy();
  }
}

const halves = (header: Buffer): Buffer[] => [header.subarray(0, 9), header.subarray(9)];
const byteByByte = (header: Buffer): Buffer[] => [...header].map((byte) => Buffer.from([byte]));

describe.each(['optional', 'require'])('--proxy-protocol %s', (mode) => {
  const running = sharedService('--proxy-protocol', mode, '--metrics-enabled');

  describe.each(transports)('over %s', (transport) => {
    const cut = {
      'in one piece': (it: Buffer) => [it],
      'in two': halves,
      'byte by byte': byteByByte,
    };

    test.each(Object.entries(cut))('version 1 %s', async (_, pieces) => {
      const socket = await open(running().port, pieces(V1));
      const peer = `127.0.0.1:${socket.localPort}`;
      const { origin, conn } = await echoOver(transport, socket);
      expect(origin).toBe('192.0.2.1');
      expect(conn.remote).toBe('192.0.2.1:1111');
      expect(conn.proxy_protocol).toEqual({
        version: 1,
        command: 'PROXY',
        family: 'inet',
        transport: 'stream',
        source: '192.0.2.1:1111',
        destination: '198.51.100.2:443',
        peer,
      });
    });

    test.each(Object.entries(cut))('version 2 with TLVs %s', async (_, pieces) => {
      const header = v2({ tlvs: [tlv(1, 'h2'), tlv(5, 'some id')] });
      const { conn } = await echoOver(transport, await open(running().port, pieces(header)));
      expect(conn.protocol).toBe(transport);
      expect(conn.proxy_protocol).toMatchObject({ version: 2, alpn: 'h2', unique_id: 'some id' });
    });

    test('LOCAL and UNKNOWN: the address of the peer is kept', async () => {
      for (const header of [v2({ command: 0x20 }), Buffer.from('PROXY UNKNOWN\r\n')]) {
        const socket = await open(running().port, [header]);
        const peer = `127.0.0.1:${socket.localPort}`;
        const { origin, conn } = await echoOver(transport, socket);
        expect([origin, conn.remote]).toEqual(['127.0.0.1', peer]);
        expect(conn.proxy_protocol).toMatchObject({ source: null, destination: null, peer });
      }
    });

    if (mode === 'optional')
      test('without a header', async () => {
        const { conn } = await echoOver(transport, await openSocket(running().port));
        expect(conn.proxy_protocol).toBeUndefined();
      });
  });

  if (mode === 'require')
    test.each([
      ['HTTP/1.1', GET('/get')],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['TLS', '\x16'],
    ])('%s without a header is closed', async (_, bytes) => {
      expect(await exchange(running().port, bytes)).toBe('');
    });

  test('header and request in one segment', async () => {
    const request = Buffer.from(GET('/get', LAST), 'latin1');
    const response = await exchange(running().port, Buffer.concat([V1, request]));
    expect(statusesOf(response)).toEqual([200]);
    expect(response).toContain('"origin": "192.0.2.1"');
  });

  test('the end of the header and FIN in one segment', async () => {
    const socket = await openSocket(running().port);
    socket.end(Buffer.concat([v2(), Buffer.from(GET('/healthz', LAST), 'latin1')]));
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(statusesOf(received)).toEqual([200]);
  });

  test('a second header is not an HTTP request', async () => {
    const twice = Buffer.concat([V1, V1, Buffer.from(GET('/get', LAST), 'latin1')]);
    expect(statusesOf(await exchange(running().port, twice))).toEqual([400]);
  });

  test('a malformed header is closed at once without a response, and counted', async () => {
    const request = Buffer.from(GET('/uuid', LAST), 'latin1');
    const before = await counts(running().port);
    const broken = [
      Buffer.from('PROXY TCP4 192.0.2.1 198.51.100.2 1111 99999\r\n'),
      v2({ command: 0x31 }),
      v2({ tlvs: [tlv(3, '\0\0\0\0')] }),
    ];
    for (const header of broken) {
      expect(await exchange(running().port, Buffer.concat([header, request]))).toBe('');
    }
    const after = await counts(running().port);
    for (const reason of ['v1-port', 'v2-version', 'v2-checksum']) {
      expect(after.get(reason)).toBe((before.get(reason) ?? 0) + 1);
    }
    expect(after.get('/uuid')).toBe(before.get('/uuid'));
  });

  test('a client that disconnects within the header is counted, one that sends nothing is not', async () => {
    const before = await counts(running().port);
    for (const part of ['', 'PROXY TCP4 ']) {
      const socket = connect(running().port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.end(part);
      await new Promise((resolve) => {
        socket.on('close', resolve);
      });
    }
    const after = await counts(running().port);
    expect(after.get('incomplete')).toBe((before.get('incomplete') ?? 0) + 1);
  });
});

/** Prometheus samples by the value of a label; the request is sent with a PROXY header. */
async function counts(port: number): Promise<ReadonlyMap<string, number>> {
  const request = GET('/metrics', LAST);
  const response = await exchange(port, Buffer.concat([V1, Buffer.from(request, 'latin1')]));
  const samples = response.matchAll(/^wirebin_(?:proxy|http_endpoint)\w+\{\w+="(.*)"\} (\d+)$/gm);
  return new Map([...samples].map(([, label = '', count]) => [label, Number(count)]));
}

test('the header timeout covers the PROXY header, and is counted', async () => {
  const running = await startService(
    '--proxy-protocol',
    'require',
    '--header-timeout',
    '1',
    '--log-level',
    'debug',
  );
  const start = performance.now();
  const header = v2({ tlvs: [tlv(1, 'h2')] });
  const received = await Promise.all(
    [header.subarray(0, 20), V1.subarray(0, 20), V1, ''].map((part) =>
      exchange(running.port, part),
    ),
  );
  expect(received).toEqual(['', '', '', '']);
  expect(performance.now() - start).toBeGreaterThan(900);
  const refused = (): View[] => running.logged.filter(({ msg }) => msg === 'PROXY header rejected');
  await until(() => refused().length === 2);
  expect(refused()).toMatchObject([{ reason: 'incomplete' }, { reason: 'incomplete' }]);
});

test('without the setting a header is not an HTTP request', async () => {
  const running = await startService();
  const request = Buffer.from(GET('/get', LAST), 'latin1');
  for (const header of [V1, v2()]) {
    const response = await exchange(running.port, Buffer.concat([header, request]));
    expect(statusesOf(response)).toEqual([400]);
  }
});
