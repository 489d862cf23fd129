import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Arrivals, ReadTurns } from '../../src/net/scheduler.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { startAdapters, until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { INSPECTED } from '../_inspected.ts';
import { openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { rounds } from '../_whole.ts';

/** Connections of these names, and what is done to them. */
function connections(...names: string[]) {
  const done: string[] = [];
  const all = names.map((name) => ({
    holdReading: () => void done.push(`pause ${name}`),
    releaseReading: () => void done.push(`resume ${name}`),
  }));
  return { done, all };
}

/** Turns at a time that the test sets, and connections of these names. */
function turnsAt(time: number, ...names: string[]) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(time);
  onTestFinished(() => now.mockRestore());
  const arrivals = new Arrivals();
  return { now, arrivals, turns: new ReadTurns(arrivals), ...connections(...names) };
}

/** Begins a connection, and notes its name. */
function beginning(begun: string[], name: string) {
  return () => {
    begun.push(name);
    return { holdReading: () => undefined, releaseReading: () => undefined };
  };
}

describe('the turns of reading', () => {
  test('connections begin in turn in an iteration that is used up, the newest and the oldest', async () => {
    const { now, turns, all } = turnsAt(100, 'a');
    const begun: string[] = [];
    const begin = (name: string): void => turns.admit(beginning(begun, name));
    begin('first');
    for (const each of all) turns.count(each, 100);
    now.mockReturnValue(111);
    for (const name of ['second', 'third', 'fourth']) begin(name);
    // A connection that has closed does not take up a turn.
    turns.admit(() => undefined);
    expect(begun.splice(0)).toEqual(['first']);
    for (const name of ['second', 'fourth', 'third']) {
      await iteration();
      expect(begun.splice(0)).toEqual([name]);
    }
  });

  test('connections whose first bytes are no request use up an iteration, too', async () => {
    const { now, turns } = turnsAt(100);
    const begun: string[] = [];
    for (const name of ['first', 'second', 'third', 'fourth']) {
      turns.admit(beginning(begun, name));
      // Node reads the bytes before the next connection is read: here, frames that belong to no stream.
      now.mockReturnValue(performance.now() + 6);
    }
    expect(begun.splice(0)).toEqual(['first', 'second']);
    await iteration();
    expect(begun).toEqual(['fourth']);
  });

  test('others are not read in an iteration that few connections use up, and resumed some at a time', async () => {
    const names = Array.from({ length: 40 }, (_, which) => `c${which}`);
    const { turns, done, all } = turnsAt(1000, ...names);
    for (const each of all) turns.admit(() => each);
    const [first, second] = all;
    if (!first || !second) throw new Error('there are no connections');
    // A request of 0.9 ms is no reason yet.
    for (const time of [1000, 1009]) turns.count(first, time);
    expect(done).toEqual([]);
    turns.count(second, 1011);
    expect(done.splice(0)).toEqual(names.slice(2).map((name) => `pause ${name}`));
    await iteration();
    expect(done.splice(0)).toEqual(names.slice(2, 6).map((name) => `resume ${name}`));
    const [, , third] = all;
    // One of the four has sent much; the three others have not been read.
    for (const time of [1001, 1012]) if (third) turns.count(third, time);
    expect(done.splice(0)).toEqual(
      ['c2', 'c3', 'c4', 'c5', 'c0', 'c1'].map((name) => `pause ${name}`),
    );
    await iteration();
    expect(done.splice(0)).toEqual(['resume c2']);
    await iteration();
    expect(done.splice(0)).toEqual(['resume c3', 'resume c4']);
    for (const expected of [4, 8, 16]) {
      await iteration();
      expect(done.splice(0)).toHaveLength(expected);
    }
    await iteration();
    expect(done.slice(-2)).toEqual(['resume c0', 'resume c1']);
  });

  test('those that were stopped are not delayed by others that use up iterations', async () => {
    const { turns, done, all } = turnsAt(
      1000,
      ...Array.from({ length: 200 }, (_, which) => `c${which}`),
    );
    for (const each of all) turns.admit(() => each);
    const [other] = connections('other').all;
    if (!other) throw new Error('there is no connection');
    let iterations = 0;
    for (; !done.includes('resume c199') && iterations < 200; iterations++) {
      // The last of those that were resumed has sent a request; another one uses up each iteration, and is closed.
      const last = all.find((_, which) => done.at(-1) === `resume c${which}`);
      if (last) turns.count(last, 1000);
      for (const time of [1000, 1011]) turns.count(other, time);
      turns.closed(other);
      await iteration();
    }
    expect(iterations).toBeLessThan(10);
  });

  test('what begins in a turn does not use up the iteration of those that are resumed', async () => {
    const { now, turns, done, all } = turnsAt(1000, 'a', 'b');
    for (const each of all) turns.admit(() => each);
    const [other] = connections('other').all;
    if (!other) throw new Error('there is no connection');
    // Reads at once, as HTTP/2 does with the bytes that its connection was detected by.
    const begin = () => {
      done.push('begin');
      const start = performance.now();
      for (const time of [start, start + 11]) turns.count(other, time);
      turns.closed(other);
      return other;
    };
    begin();
    now.mockReturnValue(1011);
    for (let waiting = 0; waiting < 3; waiting++) turns.admit(begin);
    expect(done.splice(0)).toEqual(['begin', 'pause a', 'pause b']);
    const seen: string[] = [];
    for (let iterations = 0; iterations < 6; iterations++) {
      await iteration();
      seen.push(done.splice(0).join(', '));
    }
    const resumed = 'resume a, resume b';
    const begun = 'begin, pause a, pause b';
    expect(seen).toEqual(['begin', resumed, begun, resumed, begun, resumed]);
  });

  test('a connection is paused by another request beyond the budget', () => {
    const turns = new ReadTurns(new Arrivals());
    const { done, all } = connections('a');
    for (const now of [100, 105, 110]) for (const each of all) turns.count(each, now);
    expect(done).toEqual([]);
    for (const now of [110.1, 200]) for (const each of all) turns.count(each, now);
    expect(done).toEqual(['pause a']);
  });

  test('a connection is not paused by its first request', () => {
    const turns = new ReadTurns(new Arrivals());
    const { done, all } = connections('a', 'b', 'c');
    for (const [which, each] of all.entries()) turns.count(each, which * 100);
    expect(done).toEqual([]);
  });

  test('a turn waits while connections are accepted, for 200 ms at most', async () => {
    const { now, arrivals, turns, done, all } = turnsAt(1000, 'a', 'b');
    const accept = async (time: number): Promise<void> => {
      now.mockReturnValue(time);
      arrivals.add(() => undefined);
      await iteration();
    };
    await accept(1000);
    for (const time of [1000, 1011]) for (const each of all) turns.count(each, time);
    expect(done.splice(0)).toEqual(['pause a', 'pause b']);
    await accept(1210);
    expect(done).toEqual([]);
    await accept(1211);
    expect(done.splice(0)).toEqual(['resume a']);
    await accept(1410);
    expect(done).toEqual([]);
    await iteration();
    expect(done).toEqual(['resume b']);
  });

  test('each iteration resumes one, in order', async () => {
    const turns = new ReadTurns(new Arrivals());
    const { done, all } = connections('a', 'b', 'c');
    for (const now of [0, 100]) for (const each of all) turns.count(each, now);
    expect(done.splice(0)).toEqual(['pause a', 'pause b', 'pause c']);
    for (const name of ['a', 'b', 'c']) {
      await iteration();
      expect(done.splice(0)).toEqual([`resume ${name}`]);
    }
    await iteration();
    // The budget is that of an iteration.
    for (const each of all) turns.count(each, 1000);
    expect(done).toEqual([]);
  });
});

/** The field `accept-encoding: gzip, deflate` in one byte (RFC 7541 A), a thousand times. */
const FIELDS = Buffer.alloc(1000, 0x80 | 16);
const IDS = Array.from({ length: 200 }, (_, which) => 2 * which + 1);

/** A service, and a clock that goes on by 0.1 ms whenever it is read. */
async function startPaced() {
  const { port } = await startService();
  const pause = vi.spyOn(TcpConnection.prototype, 'holdReading');
  let time = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (time += 0.1));
  onTestFinished(() => {
    pause.mockRestore();
    now.mockRestore();
  });
  return { port, pause };
}

// What is inspected is delivered in turn, and may not use up an iteration.
test.skipIf(INSPECTED)('many requests at once are read in turn', async () => {
  const { port, pause } = await startPaced();
  const client = new h2.FrameClient(await openSocket(port));
  const requests = IDS.map((id) => {
    const block = Buffer.concat([h2.get(id, '/healthz').subarray(9), FIELDS]);
    return h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, id, block);
  });
  client.send(...requests);
  await until(() => IDS.every((id) => client.isDone(id)));
  expect(pause).toHaveBeenCalledWith('turn');
});

test.skipIf(INSPECTED)('many pieces of content at once are read in turn', async () => {
  const { port, pause } = await startPaced();
  const client = new h2.FrameClient(await openSocket(port));
  const piece = h2.frame(h2.DATA, 0, 1, Buffer.from('x'));
  client.send(h2.post(1, '/upload'), ...IDS.map(() => piece), h2.frame(h2.DATA, h2.END_STREAM, 1));
  await until(() => client.isDone(1));
  expect(pause).toHaveBeenCalledWith('turn');
});

test.each(transports)(
  '%s: a connection that is paused is read when it is resumed',
  async (transport) => {
    const adapters = await startAdapters();
    const client = openClient(transport, adapters.port);
    await client.request('/healthz');
    const [connection] = adapters.listener.connections;
    connection?.holdReading('turn');
    let isDone = false;
    const request = client.request('/healthz').finally(() => {
      isDone = true;
    });
    for (let turn = 0; turn < 50; turn++) await iteration();
    expect(isDone).toBe(false);
    connection?.releaseReading('turn');
    expect((await request).status).toBe(200);
  },
);

test('inspected connections, which JavaScript pauses as well, are read to the end', async () => {
  const { port } = await startService('--inspect');
  const body = 'x'.repeat(4_000_000);
  for (let round = 0; round < rounds(5); round++) {
    const clients = Array.from({ length: 4 }, () => openClient('http/1.1', port));
    const all = clients.map((client) => client.request('/upload', { method: 'POST', body }));
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const client of clients) client.close();
  }
});
