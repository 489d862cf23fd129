import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Limits } from '../src/server/limits.ts';
import { until } from './_adapters.ts';
import { openClient } from './_client.ts';
import { first, http1, http2 } from './_cuts.ts';
import * as h2 from './_frames.ts';
import { converse, exchange, GET, LAST, openSocket } from './_raw.ts';
import { startService, type Running } from './_service.ts';

const COUNTED = ['--metrics-enabled', '--log-level=debug'];
/** Short timeouts that cause the termination. Handshakes must complete within the first. */
const SHORT: Readonly<Record<string, Partial<Limits>>> = {
  'header-timeout': { headerTimeout: 500 },
  'handshake-timeout': { headerTimeout: 500 },
  'request-timeout': { requestTimeout: 200 },
  'idle-timeout': { idleTimeout: 200 },
  'connection-age': { maxConnectionAge: 200 },
  stalled: { stallTimeout: 300 },
  'answer-timeout': { answerTimeout: 300 },
};
const QUICK = { sweepInterval: 20, lingerTime: 100 };
const odd = (at: number): number => 2 * at + 1;
/** A stream that the client resets immediately (CVE-2023-44487). */
const reset = (stream: number): Buffer =>
  Buffer.concat([h2.get(stream, '/ip'), h2.frame(h2.RST_STREAM, 0, stream, h2.uint32(8))]);

vi.setConfig({ maxConcurrency: 16 });

const reasonsOf = ({ logged }: Running): unknown[] =>
  logged.filter(({ msg }) => msg === 'terminated').map(({ reason }) => reason);

async function expectTermination(
  reason: string,
  running: Running,
  act: () => Promise<void>,
): Promise<void> {
  const { service } = running;
  const terminations = (): unknown => service.counts()?.terminations;
  try {
    await act();
    await until(() => reasonsOf(running).length > 0, reason);
    expect(reasonsOf(running)).toEqual([reason]);
    expect(terminations()).toEqual({ [reason]: 1 });
  } finally {
    service.close();
  }
  expect(terminations()).toEqual({ [reason]: 1 });
}

describe.concurrent.each([
  ['before protocol detection', first],
  ['plaintext HTTP/1.1', http1(undefined)],
  ['HTTP/1.1 over TLS', http1(['http/1.1'])],
  ['plaintext HTTP/2', http2(undefined)],
  ['HTTP/2 over TLS', http2(['h2'])],
])('%s: counted once and logged', (_, cases) => {
  test.each(cases.map((each) => ({ ...each })))(
    '$reason: $name',
    async ({ reason, alpn, settings = [], act }) => {
      const limits = { ...QUICK, ...SHORT[reason] };
      const running = await startService(...COUNTED, ...settings, limits);
      let socket: Socket | undefined;
      await expectTermination(reason, running, async () => {
        socket = await openSocket(running.port, alpn);
        socket.on('end', () => socket?.end());
        act(socket);
      });
      socket?.destroy();
    },
  );
});

describe.concurrent('counted once and logged', () => {
  test('connection-limit', async () => {
    const running = await startService(...COUNTED, '--max-connections=1');
    await expectTermination('connection-limit', running, async () => {
      const socket = await openSocket(running.port);
      await converse(socket, GET('/ip'), (text) => text.endsWith('}\n'));
      expect(await exchange(running.port, '')).toBe('');
      socket.destroy();
    });
  });

  test.each(['http/1.1', 'h2'])('request-limit: %s', async (alpn) => {
    const running = await startService(...COUNTED, '--max-requests-per-connection=1');
    await expectTermination('request-limit', running, async () => {
      const client = openClient(alpn === 'h2' ? 'h2' : 'https/1.1', running.port);
      expect((await client.request('/ip')).status).toBe(200);
      client.close();
    });
  });

  test.each([
    ['resets', undefined, (at: number) => reset(odd(at))],
    ['resets', ['h2'], (at: number) => reset(odd(at))],
    ['flood', undefined, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8))],
    ['flood', ['h2'], () => h2.frame(h2.SETTINGS, 0, 0)],
  ] as const)('%s', async (reason, alpn, make) => {
    const running = await startService(...COUNTED);
    await expectTermination(reason, running, async () => {
      const client = new h2.FrameClient(await openSocket(running.port, alpn && [...alpn]));
      for (let at = 0; at < 100_000 && !client.ended; at += 100) {
        client.send(...Array.from({ length: 100 }, (__, index) => make(at + index)));
        await pause(0);
      }
      client.socket.destroy();
    });
  });

  test('proxy-protocol', async () => {
    const running = await startService(...COUNTED, '--proxy-protocol=require');
    await expectTermination('proxy-protocol', running, async () => {
      expect(await exchange(running.port, GET('/ip'))).toBe('');
    });
  });
});

test('connections that end gracefully are not counted', async () => {
  const running = await startService(...COUNTED);
  const { port, service } = running;
  await exchange(port, GET('/ip', LAST));
  await exchange(port, GET('/status/413', LAST));
  (await openSocket(port)).end();
  const idle = await openSocket(port, ['http/1.1']);
  await converse(idle, GET('/ip'), (text) => text.endsWith('}\n'));
  expect(await service.drain()).toBe(0);
  expect(service.counts()?.terminations).toEqual({});
  expect(reasonsOf(running)).toEqual([]);
});
