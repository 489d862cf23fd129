import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import { endpoint } from '../../../src/server/endpoint.ts';
import { text } from '../../../src/server/reply.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../../_raw.ts';
import { connectionOf, HTTP1 } from '../../_shared.ts';

/** A response that the close of the connection ends, after a while. */
const closes = endpoint({
  path: '/closes',
  group: 'content',
  summary: 'Content that the close ends.',
  responses: {},
  handle: async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const pieces = ['first', ' content'];
    return {
      ...text(''),
      payload: { kind: 'streamed', next: () => pieces.shift() },
      close: 'ends-content',
    };
  },
});

const last = endpoint({
  path: '/last',
  group: 'content',
  summary: 'A response with close.',
  responses: {},
  handle: async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { ...text('last'), close: true };
  },
});

/** A response of no bytes, which is complete without a write. */
const nothing = endpoint({
  path: '/nothing',
  group: 'content',
  summary: 'No bytes.',
  responses: {},
  handle: () => ({ ...text(''), fault: { kind: 'raw', bytes: new Uint8Array(), then: 'keep' } }),
});

/** A response after which the connection is closed, while the request stays open. */
const cut = endpoint({
  path: '/cut',
  group: 'content',
  summary: 'A close as a fault.',
  responses: {},
  handle: () => ({ ...text('whole'), fault: { kind: 'close', at: 'end', after: 0 } }),
});

describe.each(HTTP1)('%s', (_, alpn) => {
  const adapters = sharedAdapters({ idleTimeout: 600_000 }, [closes, last, nothing, cut]);

  test('requests that were received before a response with close get none (RFC 9112 9.6)', async () => {
    const before = adapters().outcomes.length;
    const received = await exchange(
      adapters().port,
      GET('/last') + GET('/healthz').repeat(3) + GET('/hold'),
      alpn,
    );
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/^Connection: close$/im);
    await until(() => adapters().outcomes.length === before + 4);
  });

  test('nothing follows content that the close of the connection ends', async () => {
    const received = await exchange(adapters().port, GET('/closes') + GET('/healthz'), alpn);
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/first content$/);
  });

  test.each([
    ['content that the close of the connection ends', '/closes', /first content$/],
    ['a response with close', '/last', /last$/],
  ])('no problem with an invalid message follows %s', async (_what, path, end) => {
    const received = await exchange(adapters().port, `${GET(path)}NO REQUEST\r\n\r\n`, alpn);
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(end);
  });

  test('bytes after a close are read although the request asked for an upgrade', async () => {
    const socket = await openSocket(adapters().port, alpn);
    const upgrade = 'Connection: Upgrade\r\nUpgrade: other\r\n';
    await converse(socket, GET('/cut', upgrade), (received) => received.endsWith('whole'));
    const connection = await connectionOf(adapters(), socket);
    const before = connection.socket.bytesRead;
    socket.write('more');
    await until(() => connection.socket.bytesRead > before);
    expect(connection.isReadingHeld('pipeline')).toBe(false);
    socket.end();
    await until(() => connection.socket.destroyed);
  });

  test('a response without a write is not lost behind one that is being written', async () => {
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, GET('/healthz'), (received) => received.endsWith('OK'));
    const [connection] = [...adapters().listener.connections].slice(-1);
    if (!connection) throw new Error('there is no connection');
    const { stream } = connection;
    const write = stream.write.bind(stream);
    // The system takes the first response late.
    vi.spyOn(stream, 'write').mockImplementationOnce((...args: unknown[]) => {
      const sent = args.find((each) => typeof each === 'function');
      return write(String(args[0]), 'latin1', (error) => setTimeout(() => sent?.(error), 50));
    });
    const received = await converse(
      socket,
      GET('/healthz') + GET('/nothing') + GET('/healthz', LAST),
    );
    expect(statusesOf(received)).toEqual([200, 200]);
  });

  test('more pipelined requests than may be open have their small responses in few writes', async () => {
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, GET('/healthz'), (received) => received.endsWith('OK'));
    const [connection] = [...adapters().listener.connections].slice(-1);
    if (!connection) throw new Error('there is no connection');
    const write = vi.spyOn(connection.stream, 'write');
    // No time passes, so that no request takes a turn of its own.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const received = await converse(socket, GET('/healthz').repeat(63) + GET('/healthz', LAST));
    expect(statusesOf(received)).toHaveLength(64);
    expect(write.mock.calls.length).toBeLessThan(5);
  });
});
