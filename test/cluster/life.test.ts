import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Running } from '../_process.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import {
  arrived,
  childrenOf,
  connOf,
  installed,
  listens,
  metricsOf,
  run,
  serve,
  times,
  until,
} from './_workers.ts';

const installation = installed();
const DIED = 'worker died';
const RESTARTED = 'worker restarted';

/** A NODE_OPTIONS variable that runs this code in every process, before wirebin. */
async function preloaded(name: string, code: string): Promise<NodeJS.ProcessEnv> {
  const file = join(installation().root, `${name}.mjs`);
  await writeFile(file, `import cluster from 'node:cluster';\n${code}`);
  return { NODE_OPTIONS: `--import=${file}` };
}

const fails = async (running: Running, message: RegExp): Promise<void> => {
  expect(await running.exit).toBe(1);
  expect(running.stderr).toMatch(message);
  expect(running.stdout).toBe('');
  expect(childrenOf(running)).toEqual([]);
};

describe('a failed start prints one line, exits with 1 and leaves no process', () => {
  test('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await fails(
      run(['--workers=2', `--port=${port}`]),
      new RegExp(
        `^wirebin: port ${port} is in use at 127.0.0.1; choose another: [^\\n]* -p 9000\\n$`,
      ),
    );
    server.close();
  });

  test.each([
    [
      ['--tls-cert=/no/cert.pem', '--tls-key=/no/key.pem'],
      /^wirebin: cannot read \/no\/cert\.pem: [^\n]*\n$/,
    ],
    [['--tls-keylog=/no/log'], /^wirebin: the TLS key log cannot be opened: [^\n]*\n$/],
    [
      ['--inspect', '--inspect-file=/no/parent/dir'],
      /^wirebin: the capture cannot be created: ENOENT: [^\n]*\n$/,
    ],
  ])('%j', async (args, message) => {
    await fails(run(['--workers=2', ...args]), message);
  });

  test('a worker that exits', async () => {
    const environment = await preloaded('exits', 'if (cluster.worker) process.exit(7);');
    await fails(
      run(['--workers=2'], environment),
      /^wirebin: worker \d exited during startup: exit code 7\n$/,
    );
  });
});

describe('a promise that is rejected without a handler', () => {
  const REJECTS = "process.on('SIGUSR2', () => Promise.reject(new Error('stray')));";

  test.each([
    ['one process', '1'],
    ['a primary and its workers', '2'],
  ])('%s: logged with its stack and counted, and the service goes on', async (_, workers) => {
    const environment = await preloaded('rejects', REJECTS);
    const running = run(['--metrics-enabled', '--workers', workers], environment);
    running.fails = true;
    await listens(running);
    const pids = [running.child.pid ?? 0, ...childrenOf(running)];
    for (const pid of pids) process.kill(pid, 'SIGUSR2');
    await until(() => running.said('unhandled rejection').length === pids.length);
    for (const { level, err } of running.said('unhandled rejection')) {
      expect(level).toBe('error');
      expect(err).toMatchObject({ message: 'stray', stack: expect.stringMatching(/rejects\.mjs/) });
    }
    const { all_time } = await metricsOf(running.port);
    expect(all_time.unhandled_rejections).toBe(pids.length);
    expect(await exchange(running.port, GET('/metrics', LAST))).toContain(
      `\nwirebin_unhandled_rejections_total ${pids.length}\n`,
    );
    expect(running.said(DIED)).toEqual([]);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
  });
});

describe('a worker that dies', () => {
  test('SIGKILL: restarted within a second, only its own connections break', async () => {
    const beforeStart = performance.now();
    const running = await serve('--workers', '2', '--log-level', 'trace');
    // About twice as long as a worker takes to start, which is 0.15 s on an idle machine.
    const startTime = performance.now() - beforeStart;
    const { port } = running;
    const sockets = await times(8, async () => openSocket(port));
    const before = await Promise.all(
      sockets.map(async (socket) =>
        converse(socket, GET('/anything'), (text) => text.endsWith('}\n')),
      ),
    );
    const workers = before.map((text) => /"worker": (\d+)/.exec(text)?.[1]);
    const responses = sockets.map(async (socket) => converse(socket, GET('/delay/1', LAST)));
    await arrived(running, 2 * sockets.length);
    const [victim = 0] = childrenOf(running);
    const start = performance.now();
    process.kill(victim, 'SIGKILL');
    await until(() => running.said(RESTARTED).length === 1);
    expect(performance.now() - start).toBeLessThan(Math.max(1000, startTime));
    const [{ worker, how } = {}] = running.said(DIED);
    expect(how).toBe('SIGKILL');
    const statuses = (await Promise.all(responses)).map((text) => statusesOf(text).at(-1));
    expect(statuses).toEqual(workers.map((id) => (Number(id) === worker ? undefined : 200)));
    const conns = await times(8, async () => connOf(port));
    const expected = [1, 2, 3].filter((id) => id !== worker);
    expect(new Set(conns.map((conn) => conn.worker))).toEqual(new Set(expected));
  });

  test('an uncaught exception: restarted, and its last counts are reported', async () => {
    const environment = await preloaded(
      'throws',
      "process.on('SIGUSR2', () => { throw new Error('thrown on purpose'); })",
    );
    const running = run(['--workers=2', '--metrics-enabled'], environment);
    running.fails = true;
    await listens(running);
    const { port } = running;
    await times(10, async () => exchange(port, GET('/ip', LAST)));
    for (const pid of childrenOf(running)) process.kill(pid, 'SIGUSR2');
    await until(() => running.said(RESTARTED).length === 2);
    expect(running.said(DIED)).toMatchObject([{ how: 'exit code 1' }, { how: 'exit code 1' }]);
    const metrics = await exchange(port, GET('/metrics', LAST));
    expect(metrics).toContain('{endpoint="/ip"} 10\n');
  });

  test('a worker that cannot be forked is tried again', async () => {
    const environment = await preloaded(
      'forks',
      `const { fork } = cluster;
      let forks = 0;
      cluster.fork = (...args) => {
        if (++forks === 3) throw new Error('spawn ENOMEM');
        return fork.apply(cluster, args);
      };`,
    );
    const running = run(['--workers=2'], environment);
    await listens(running);
    const [victim = 0] = childrenOf(running);
    process.kill(victim, 'SIGKILL');
    await until(() => running.said(RESTARTED).length === 1);
    expect(running.said('worker cannot start')).toMatchObject([{ detail: 'spawn ENOMEM' }]);
  });

  test('repeatedly: restarts are delayed more and more, and the others keep serving', async () => {
    const environment = await preloaded('dies', 'if (cluster.worker?.id > 2) process.exit(7);');
    const running = run(['--workers=2'], environment);
    await listens(running);
    const [victim = 0] = childrenOf(running);
    process.kill(victim, 'SIGKILL');
    await until(() => running.said(DIED).length === 6);
    const at = running.said(DIED).map(({ time }) => Number(time));
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    // The gaps include the start. The delays are 0, 100, 200, 400 and 800 ms.
    for (const [index, min] of [0, 100, 200, 400, 800].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(min);
    }
    expect(running.said('worker cannot start').length).toBeGreaterThan(3);
    expect(statusesOf(await exchange(running.port, GET('/ip', LAST)))).toEqual([200]);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
  });
});
