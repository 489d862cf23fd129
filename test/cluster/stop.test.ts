import { describe, expect, test } from 'vitest';
import { openClient, transports } from '../_client.ts';
import { exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import type { Running } from '../_process.ts';
import { arrived, childrenOf, installed, serve as serveWith, times, until } from './_workers.ts';

installed();

const serve = (...args: string[]): Promise<Running> =>
  serveWith('--workers', '2', '--log-level', 'trace', ...args);

const hasExited = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const all = <T>(value: T): T[] => Array.from({ length: 8 }, () => value);

/** Opens a request on each transport, twice, so that every worker has some. */
const openRequests = async (
  running: Running,
  path: string,
): Promise<Promise<number | string>[]> => {
  const { port } = running;
  const clients = [...transports, ...transports].map((transport) => openClient(transport, port));
  await Promise.all(clients.map(async (client) => client.request('/ip')));
  const results = clients.map(async (client) =>
    client.request(path).then(
      ({ status }) => status,
      () => 'aborted',
    ),
  );
  await arrived(running, 2 * clients.length);
  return results;
};

describe('a stop', () => {
  test.each([
    ['SIGTERM', 'the primary'],
    ['SIGTERM', 'the process group'],
    ['SIGINT', 'the process group'],
  ] as const)('%s to %s: open requests complete, exit code 0', async (signal, target) => {
    const running = await serve();
    const results = await openRequests(running, '/delay/0.7');
    const children = childrenOf(running);
    expect(children).toHaveLength(2);
    const { pid = 0 } = running.child;
    process.kill(target === 'the primary' ? pid : -pid, signal);
    expect(await Promise.all(results)).toEqual(all(200));
    expect(await running.exit).toBe(0);
    expect(children.filter((child) => !hasExited(child))).toEqual([]);
    expect(running.said('draining')).toMatchObject([{ signal }]);
    expect(running.said('stopped')).toMatchObject([{ cut: 0 }]);
    expect(running.said('worker died')).toEqual([]);
    expect(running.stderr).toBe('');
  });

  test('first makes all workers not ready, then closes the port', async () => {
    const running = await serve('--drain-delay', '3');
    const { port } = running;
    running.child.kill('SIGTERM');
    await until(() => running.said('draining').length === 1);
    const ready = async (): Promise<number[]> => {
      const responses = await times(4, async () => exchange(port, GET('/readyz', LAST)));
      return responses.flatMap(statusesOf);
    };
    await expect.poll(ready).toEqual([503, 503, 503, 503]);
    expect(statusesOf(await exchange(port, GET('/ip', LAST)))).toEqual([200]);
    expect(await running.exit).toBe(0);
    await expect(openSocket(port)).rejects.toThrow('ECONNREFUSED');
  });

  test('aborts requests after the timeout and counts those of all workers, exit code 1', async () => {
    const running = await serve('--drain-timeout', '1');
    const results = await openRequests(running, '/delay/300');
    running.child.kill('SIGTERM');
    expect(await Promise.all(results)).toEqual(all('aborted'));
    expect(await running.exit).toBe(1);
    expect(running.said('stopped; requests were aborted')).toMatchObject([{ cut: 8 }]);
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'a worker gets %s during the drain: exit code 1',
    async (signal) => {
      const running = await serve('--drain-timeout', '3');
      // A busy machine takes its time until the worker gets the signal.
      const results = await openRequests(running, '/delay/2');
      const [victim = 0, other = 0] = childrenOf(running);
      running.child.kill('SIGTERM');
      await until(() => running.said('draining').length === 1);
      process.kill(victim, signal);
      expect(await running.exit).toBe(1);
      expect((await Promise.all(results)).filter((result) => result === 200)).toHaveLength(4);
      expect(running.said('stopped; requests may have been aborted')).toHaveLength(1);
      expect([victim, other].filter((pid) => !hasExited(pid))).toEqual([]);
    },
  );

  test('exits immediately at a second signal, exit code 1', async () => {
    const running = await serve();
    const results = await openRequests(running, '/delay/300');
    const children = childrenOf(running);
    running.child.kill('SIGTERM');
    await until(() => running.said('draining').length === 1);
    const start = performance.now();
    running.child.kill('SIGINT');
    expect(await running.exit).toBe(1);
    expect(performance.now() - start).toBeLessThan(500);
    expect(await Promise.all(results)).toEqual(all('aborted'));
    await until(() => children.every(hasExited));
  });

  test('workers exit if the primary is killed', async () => {
    const running = await serve();
    const children = childrenOf(running);
    running.child.kill('SIGKILL');
    await until(() => children.every(hasExited));
  });
});
