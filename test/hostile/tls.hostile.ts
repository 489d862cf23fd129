import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { besieged } from './_siege.ts';

const siege = besieged(['--header-timeout=2'], { descriptors: 200 });

test('an ALPN list with nothing of ours, five hundred times', async () => {
  await siege.withstand('wrong ALPN', async () => {
    for (let round = 0; round < 10; round++) {
      const codes = await Promise.all(Array.from({ length: 50 }, () => refusal(['spdy/1'])));
      expect(new Set(codes)).toEqual(new Set(['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL']));
    }
  });
});

function refusal(protocols: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { port: siege.port, host: '127.0.0.1', rejectUnauthorized: false };
    const socket = tls.connect({ ...options, ALPNProtocols: protocols });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.once('secureConnect', () => resolve('none'));
  });
}

test('renegotiation of TLS 1.2 is refused or bounded', async () => {
  await siege.withstand('renegotiation', async () => {
    const socket = tls.connect({
      port: siege.port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => {
      socket.once('secureConnect', resolve);
    });
    let renegotiated = 0;
    for (let attempt = 0; attempt < 20 && !socket.destroyed; attempt++) {
      const error = await new Promise<Error | null>((resolve) => {
        socket.once('close', () => resolve(new Error('closed')));
        socket.renegotiate({ rejectUnauthorized: false }, resolve);
      });
      if (error) break;
      renegotiated++;
    }
    socket.destroy();
    // Node's own bound: tls.CLIENT_RENEG_LIMIT in ten minutes.
    expect(renegotiated).toBeLessThanOrEqual(tls.CLIENT_RENEG_LIMIT);
  });
});

test('without a free descriptor connections wait or are lost, and it serves again', async () => {
  await siege.withstand('no descriptors', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 400 }, () => openSocket(siege.port).catch(() => undefined)),
    );
    await pause(500);
    for (const socket of sockets) socket?.destroy();
    await until(() => siege.usage().descriptors < 100);
    expect(statusesOf(await exchange(siege.port, GET('/healthz', LAST)))).toEqual([200]);
    const socket = await openSocket(siege.port, ['http/1.1']);
    expect(statusesOf(await converse(socket, GET('/healthz', LAST)))).toEqual([200]);
  });
});
