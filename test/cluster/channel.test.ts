import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { until } from '../_adapters.ts';
import { Channel, RemoteError, type ChannelHandlers } from '../../src/cluster/channel.ts';
import { isCount, isNothing } from '../../src/cluster/messages.ts';

type Callback = (error: Error | null) => void;

/** A fake worker that sends messages to its peer, serialized as JSON. */
class FakeWorker extends EventEmitter {
  peer: FakeWorker | undefined;
  readonly sent: unknown[] = [];

  send(message: unknown, _handle: unknown, _options: unknown, callback: Callback): void {
    this.sent.push(message);
    const json = JSON.stringify(message);
    queueMicrotask(() => {
      callback(this.peer ? null : new Error('closed'));
      this.peer?.emit('message', JSON.parse(json));
    });
  }
}

function channelOf(worker: FakeWorker, handlers: Partial<ChannelHandlers> = {}): Channel {
  return new Channel(worker as unknown as Worker, { handle: () => null, ...handlers });
}

/** Two connected workers and the channel of the first; the second handles requests. */
function pair(handle: ChannelHandlers['handle']): [Channel, FakeWorker] {
  const [local, remote] = [new FakeWorker(), new FakeWorker()];
  local.peer = remote;
  remote.peer = local;
  channelOf(remote, { handle });
  return [channelOf(local), local];
}

describe('a request', () => {
  test('gets its own response, in any order', async () => {
    let count = 0;
    const [channel] = pair(async () => {
      const number = ++count;
      await new Promise((resolve) => {
        setTimeout(resolve, 40 - 10 * number);
      });
      return number;
    });
    const requests = [1, 2, 3].map(async () => channel.request({ type: 'finish' }, isCount));
    expect(await Promise.all(requests)).toEqual([1, 2, 3]);
  });

  test('fails with the message of the remote error', async () => {
    const [channel] = pair(() => {
      throw new Error('the certificate is invalid');
    });
    const result = channel.request({ type: 'mark-not-ready' }, isNothing);
    await expect(result).rejects.toThrow(new RemoteError('the certificate is invalid'));
  });

  test('fails if the result is invalid', async () => {
    const [channel] = pair(() => 'many');
    const result = channel.request({ type: 'finish' }, isCount);
    await expect(result).rejects.toThrow('invalid result of finish');
  });

  test('fails after the timeout, and a late response is ignored', async () => {
    const late: ((result: number) => void)[] = [];
    const [channel] = pair(
      () =>
        new Promise((resolve) => {
          late.push(resolve);
        }),
    );
    const timedOut = channel.request({ type: 'finish' }, isCount, 20);
    await expect(timedOut).rejects.toThrow('does not respond');
    const next = channel.request({ type: 'finish' }, isCount);
    await until(() => late.length === 2);
    for (const [at, resolve] of late.entries()) resolve(at);
    expect(await next).toBe(1);
  });

  test('fails when the other process exits, and after that', async () => {
    const [channel, local] = pair(() => new Promise(() => undefined));
    const pending = channel.request({ type: 'report' }, isNothing);
    local.emit('disconnect');
    await expect(pending).rejects.toThrow('has exited');
    local.peer = undefined;
    await expect(channel.request({ type: 'report' }, isNothing)).rejects.toThrow('closed');
  });

  test('is rejected with a 503 if a thousand are pending', async () => {
    const [channel, local] = pair(() => new Promise(() => undefined));
    const pending = Array.from({ length: 1000 }, async () =>
      channel.request({ type: 'report' }, isNothing).catch(() => 'failed'),
    );
    const rejected = channel.request({ type: 'report' }, isNothing);
    await expect(rejected).rejects.toMatchObject({ code: 'overloaded', status: 503 });
    expect(local.sent).toHaveLength(1000);
    local.emit('disconnect');
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['failed']));
  });
});

test('requests that have timed out are not pending', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [channel, local] = pair(() => new Promise(() => undefined));
    const request = async (): Promise<unknown> =>
      channel.request({ type: 'report' }, isNothing, 50).catch(String);
    const timedOut = Array.from({ length: 1000 }, request);
    vi.advanceTimersByTime(50);
    const error = 'Error: the other process does not respond';
    expect(new Set(await Promise.all(timedOut))).toEqual(new Set([error]));
    const next = request();
    vi.advanceTimersByTime(50);
    expect(await next).toBe(error);
    expect(local.sent).toHaveLength(1001);
  } finally {
    vi.useRealTimers();
  }
});

test('invalid messages are ignored', () => {
  const received: unknown[] = [];
  const worker = new FakeWorker();
  channelOf(worker, {
    handle: (request) => received.push(request),
    statistics: (statistics) => received.push(statistics),
    acknowledged: (id) => received.push(id),
  });
  const numbers = { total_requests: 1, successes: 1, failures: 0 };
  for (const value of [
    undefined,
    null,
    'shutdown',
    { kind: 'other' },
    { kind: 'ack' },
    { kind: 'ack', id: '1' },
    { kind: 'request', id: 1, request: { type: 'weather' } },
    { kind: 'request', id: 1, request: { type: 'renew-credentials', credentials: { cert: '' } } },
    { kind: 'statistics', statistics: numbers },
    {
      kind: 'statistics',
      statistics: { ...numbers, endpoint_hits: { '/ip': '1' }, proxy_faults: {} },
    },
    { kind: 'response', id: 7, result: 1 },
    { kind: 'error', id: 7, message: 'unknown id' },
  ]) {
    worker.emit('message', value);
  }
  expect(received).toEqual([]);
  worker.emit('message', { kind: 'ack', id: 1 });
  expect(received).toEqual([1]);
});
