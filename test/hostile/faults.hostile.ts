import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FAULT_NAMES } from '../../src/server/fault.ts';
import { outcomeOf } from '../_ending.ts';
import { FrameClient, get } from '../_frames.ts';
import { exchange, GET, LAST, openPair, POST } from '../_raw.ts';
import { besieged } from './_siege.ts';

const FAULTS = 1000;
const TOGETHER = 50;
const STREAMS = 250;
/** MiB resident, and milliseconds that the event loop may be busy before an honest response. */
const MAX_MEMORY = 300;
const MAX_BUSY = 1500;

const siege = besieged(['--max-duration=2', '--metrics-enabled', '--tap'], { connects: true });

/** Does it many times, some of them at once. */
async function repeat(act: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < FAULTS; at += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, (_, offset) => act(at + offset)));
    // A connection that its client has left waits to be accepted before an honest one.
    await exchange(siege.port, GET('/healthz', LAST));
  }
}

const request = (kind: string, query = 'for=0.01'): string =>
  POST(`/fault/${kind}?${query}`, 'Content-Length: 3\r\nConnection: close\r\n', 'abc');

test.each(FAULT_NAMES)('a thousand of %s', async (kind) => {
  await siege.withstand(kind, () =>
    repeat((at) => outcomeOf(siege.port, request(kind), at % 10 === 0)),
  );
});

test('large faults whose clients do not read', async () => {
  const queries = [
    'close?length=10485760&at=end',
    'garbage?length=10485760',
    'head?how=size&bytes=1048576',
  ];
  await siege.withstand('not read', () =>
    repeat(async (at) => {
      const { clear, socket } = await openPair(siege.port);
      socket.pause().write(GET(`/fault/${queries[at % queries.length]}`).repeat(8));
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      clear.resetAndDestroy();
    }),
  );
});

test('large header sections on HTTP/2, not read', async () => {
  const targets = ['size&bytes=1048576', 'count&fields=10000'].map(
    (how) => `/fault/head?how=${how}&length=0`,
  );
  const attack = async (): Promise<void> => {
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const { clear, socket } = await openPair(siege.port, at % 4 === 0 ? ['h2'] : undefined);
        const client = new FrameClient(socket);
        socket.pause();
        const target = targets[at % 2] ?? '';
        client.send(...Array.from({ length: STREAMS }, (__, each) => get(2 * each + 1, target)));
        return clear;
      }),
    );
    await pause(1000);
    for (const clear of clients) clear.resetAndDestroy();
  };
  const { memory } = await siege.toll(attack);
  expect(memory).toBeLessThan(MAX_MEMORY);
  await siege.endure('large heads', attack, MAX_BUSY);
});

test('clients that leave while a fault is waited for', async () => {
  const queries = ['stall?for=2', 'no-read?for=2', 'close?delay=2', 'reset?at=start&delay=2'];
  await siege.withstand('left', () =>
    repeat(async (at) => {
      const { clear, socket } = await openPair(
        siege.port,
        at % 10 === 0 ? ['http/1.1'] : undefined,
      );
      const target = `/fault/${queries[at % queries.length]}`;
      await new Promise((resolve) => {
        socket.write(POST(target, 'Content-Length: 9\r\n'), resolve);
      });
      clear.resetAndDestroy();
    }),
  );
});
