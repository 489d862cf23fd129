import { setImmediate as iteration } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TcpConnection } from '../../../src/net/tcp-connection.ts';
import { turns } from '../../../src/net/scheduler.ts';
import { startAdapters, until } from '../../_adapters.ts';
import { outcomeOf } from '../../_ending.ts';
import { GET, LAST, openSocket, POST, statusesOf } from '../../_raw.ts';

/** Uses up the time that an iteration of the event loop has. */
function useUp(): void {
  turns.run(() => {
    const start = performance.now();
    while (performance.now() - start < 2);
  });
}

/** Connections of clients, whose bytes the test delivers. */
async function opened(count: number) {
  const { port, listener, outcomes } = await startAdapters();
  for (let at = 0; at < count; at++) {
    const socket = await openSocket(port);
    socket.write(GET('/healthz'));
  }
  await until(() => outcomes.length === count);
  outcomes.length = 0;
  const connections = [...listener.connections];
  return {
    outcomes,
    connections,
    deliver: (at: number, bytes: string) =>
      connections[at]?.stream.emit('data', Buffer.from(bytes)),
  };
}

const LARGE = GET('/healthz', `x-large: ${'x'.repeat(1024)}\r\n`);

test('in an iteration that is used up, a large piece waits, and its connection is not read', async () => {
  const { outcomes, connections, deliver } = await opened(2);
  await iteration();
  useUp();
  deliver(0, LARGE);
  deliver(1, GET('/healthz'));
  expect(connections.map(({ requests }) => requests.total)).toEqual([1, 2]);
  expect(connections.map((each) => each.isReadingHeld('turn'))).toEqual([true, false]);
  await until(() => outcomes.length === 2);
  expect(connections.map(({ mayBeGone }) => mayBeGone)).toEqual([false, false]);
});

test('pieces of content take turns, too', async () => {
  const { outcomes, connections, deliver } = await opened(1);
  const count = 2000;
  deliver(0, POST('/hold', 'Transfer-Encoding: chunked\r\n', ''));
  await iteration();
  useUp();
  deliver(0, '1;a\r\nx\r\n'.repeat(count));
  const [connection] = connections;
  expect(connection?.isReadingHeld('turn')).toBe(true);
  await until(() => connection?.isReadingHeld('turn') === false);
  expect(outcomes).toEqual([]);
});

test('many pipelined requests are answered in order, whatever takes its turn', async () => {
  const { port } = await startAdapters();
  const hold = vi.spyOn(TcpConnection.prototype, 'holdReading');
  let time = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (time += 0.1));
  onTestFinished(() => {
    hold.mockRestore();
    now.mockRestore();
  });
  const { received } = await outcomeOf(
    port,
    GET('/healthz').repeat(1000) + GET('/healthz', LAST),
    false,
  );
  expect(statusesOf(received)).toHaveLength(1001);
  expect(hold).toHaveBeenCalled();
});
