import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { faults } from '../../src/endpoints/fault.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { reply } from '../../src/server/reply.ts';
import {
  settled,
  startAdapters,
  unchanged,
  until,
  type Adapters,
  type GivenLimits,
} from '../_adapters.ts';
import { isHttp2, isSecure, openClient, transports, type Transport } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { bytesInUse } from '../_garbage.ts';
import { INSPECTED } from '../_inspected.ts';
import { GET, openSocket } from '../_raw.ts';
import { large } from './_large-head.ts';

const MB = 1_000_000;
/** Requests of a client, with more than the system takes in their responses. */
const REQUESTS = 30;
/** Responses of which the system takes all before a client reads. */
const TAKEN = 12;
/** Milliseconds. */
const LONGER_THAN_THE_BUDGET = 2;

const content = endpoint({
  methods: 'any',
  group: 'content',
  summary: '',
  params: {},
  responses: {},
  id: 'content',
  path: '/content',
  handle: () => reply('text/plain', Buffer.alloc((TAKEN + 4) * MB)),
});

interface Unread {
  readonly adapters: Adapters;
  /** Responses that have begun. */
  readonly begun: () => number;
  readonly read: () => void;
  readonly leave: () => void;
}

/** A client that sends requests at once and does not read. */
async function askMuch(transport: Transport, limits: GivenLimits = {}): Promise<Unread> {
  const adapters = await startAdapters(limits, [large, content]);
  const http2 = isHttp2(transport);
  const alpn = http2 ? 'h2' : 'http/1.1';
  const socket = await openSocket(adapters.port, isSecure(transport) ? [alpn] : undefined);
  socket.on('error', () => undefined);
  if (http2) {
    const client = new h2.FrameClient(socket);
    await until(() => client.got(h2.SETTINGS).length > 1);
    socket.pause();
    client.send(...Array.from({ length: REQUESTS }, (_, at) => h2.get(2 * at + 1, '/large')));
  } else socket.pause().write(GET('/large').repeat(REQUESTS));
  return {
    adapters,
    begun: () => adapters.outcomes.filter((status) => status === 200).length,
    read: () => void socket.resume(),
    leave: () => void socket.destroy(),
  };
}

/** The number of the event loop's iteration. */
const iteration = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

test.each(transports)(
  '%s: begins one response per turn, if the client reads',
  async (transport) => {
    const { adapters, begun, read } = await askMuch(transport);
    /** The iteration in which each response began. */
    const began: number[] = [];
    const { outcomes } = adapters;
    outcomes.push = (...statuses) => {
      began.push(iteration());
      // Each response uses up the budget of its turn, on fast machines too.
      const end = performance.now() + LONGER_THAN_THE_BUDGET;
      while (performance.now() < end);
      return Array.prototype.push.apply(outcomes, statuses);
    };
    await until(() => begun() > 0);
    expect(await unchanged(begun)).toBeLessThanOrEqual(TAKEN);
    read();
    await until(() => begun() === REQUESTS);
    await settled(adapters);
    expect(began).toHaveLength(REQUESTS);
    // A turn ends in a callback of setImmediate(), once per iteration: parts of n + 1 turns are in n iterations.
    const excess = began.flatMap((first, at) =>
      began.slice(at).map((last, others) => others - (last - first + 1)),
    );
    expect(Math.max(...excess)).toBeLessThanOrEqual(0);
    expect(adapters.defects).toEqual([]);
  },
);

test.each(transports)('%s: memory is reserved until the client reads', async (transport) => {
  const { adapters, begun, leave } = await askMuch(transport, { maxContentMemory: TAKEN + 8 });
  const client = openClient(transport, adapters.port);
  onTestFinished(async () => {
    client.close();
    // A session is destroyed in a later turn, and over TLS it waits for ever to write to a socket that was reset.
    await turn();
  });
  await until(() => begun() > 0);
  await unchanged(begun);
  expect((await client.request('/content')).status).toBe(503);
  leave();
  await settled(adapters);
  expect((await client.request('/content')).status).toBe(200);
  expect(adapters.defects).toEqual([]);
});

test.each(transports)('%s: a client that does not read is reset', async (transport) => {
  const { adapters } = await askMuch(transport, { stallTimeout: 200 });
  const [connection] = adapters.listener.connections;
  await until(() => adapters.listener.connections.size === 0);
  expect(connection?.closeCause).toEqual({ by: 'wirebin', reason: 'stalled' });
  await until(() => adapters.outcomes.length === REQUESTS);
  expect(adapters.defects).toEqual([]);
});

test.each(transports.filter((transport) => !isHttp2(transport)))(
  '%s: of a large header section of /fault/head that is not read only a piece is kept',
  async (transport) => {
    const adapters = await startAdapters({}, faults(1));
    const clients = await Promise.all(
      Array.from({ length: 15 }, async () => {
        const socket = await openSocket(adapters.port, isSecure(transport) ? [] : undefined);
        return socket.pause();
      }),
    );
    onTestFinished(() => {
      for (const client of clients) client.destroy();
    });
    const before = bytesInUse();
    const request = GET('/fault/head?how=size&bytes=1048576&length=0');
    for (const client of clients) client.write(request.repeat(TAKEN));
    const { connections } = adapters.listener;
    const written = (): number =>
      [...connections].reduce((sum, { socket }) => sum + socket.bytesWritten, 0);
    await until(() => [...connections].every(({ stream }) => stream.writableLength > 0));
    await unchanged(written);
    // An inspection keeps some of what was sent.
    expect(bytesInUse() - before).toBeLessThan(clients.length * (INSPECTED ? MB / 2 : MB / 4));
    expect(adapters.defects).toEqual([]);
  },
);
