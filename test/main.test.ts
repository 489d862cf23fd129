import { describe, expect, test } from 'vitest';
import { until } from './_adapters.ts';
import { VERSION } from '../src/version.ts';
import { openClient, transports } from './_client.ts';
import { installed, type Running } from './_process.ts';
import { exchange, GET, LAST, openSocket, statusesOf } from './_raw.ts';

// What only a process shows; test/cli/run.test.ts has the rest.
const installation = installed('bundled');
/** A file for each source, as published. */
const published = installed();

const run = (...args: string[]): Running => installation().run(args);

/** Starts a service on a free loopback port, and waits until it listens. */
async function serve(...args: string[]): Promise<Running> {
  const running = run('--port', '0', '--host', '127.0.0.1', ...args);
  await running.listens();
  return running;
}

describe('the command line', () => {
  test('an exit code, and one line of an error', async () => {
    const [version, wrong] = [run('-v'), run('--prot', '1')];
    expect([await version.exit, version.stdout]).toEqual([0, `${VERSION}\n`]);
    expect([await wrong.exit, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(/^wirebin: unknown option --prot; did you mean --port\?[^\n]*\n$/);
  });

  test('--help into a closed pipe', async () => {
    const node = `"${process.execPath}"`;
    const running = installation().shell(
      `trap '' PIPE; { while echo; do :; done 2>&-; ${node} "${installation().main}" --help; echo "exit $?" >&2; } | true`,
    );
    await running.exit;
    expect(running.stderr).toBe('exit 0\n');
  });

  test('bench: a report, exit 0, or 3 if the machine was too busy', async () => {
    const load = ['--rounds', '1', '--duration', '100ms', '--connections', '1'];
    const args = ['--self', '--only', 'healthz', '--protocol', 'http/1.1', ...load];
    const running = run('bench', ...args);
    expect([0, 3]).toContain(await running.exit);
    expect(running.stderr).toMatch(/^1 row of 1 round: about \d+ seconds?\n/);
    expect(running.stdout).toMatch(/^scenario .*\nhealthz +http\/1\.1 /m);
  });
});

// With 50, it is the package.json of a dependency that cannot be read, which then seems not to be installed.
test.each([40, 50, 60])(
  'with %i file descriptors it starts, or says in one line that they are too few',
  async (limit) => {
    const limited = `ulimit -n ${limit}; exec "${process.execPath}" "${published().main}" --port 0 --host 127.0.0.1`;
    const running = published().shell(limited);
    await until(() => running.lines.length > 0 || running.ended !== undefined);
    if (running.lines.length > 0) {
      // Node 20 opens all modules at once and needs more than 100; later versions open one at a time.
      expect(process.versions.node).not.toMatch(/^20\./);
      expect(running.stderr).toBe('');
      return;
    }
    expect(await running.exit).toBe(1);
    expect(running.stderr).toBe(
      'wirebin: too few file descriptors to start; raise the limit, for example with ulimit -n 1024\n',
    );
  },
);

describe('a service', () => {
  test('serves all transports, without standard output too, and ends with 0 at SIGTERM', async () => {
    const running = await serve('--log-requests');
    for (const transport of transports) {
      const client = openClient(transport, running.port);
      expect((await client.request('/healthz')).body.toString()).toBe('OK');
      client.close();
    }
    running.child.kill('SIGHUP');
    await until(() => running.said('certificate reloaded').length === 1);
    const { port } = running;
    running.child.stdout?.destroy();
    for (let at = 0; at < 20; at++) {
      expect(statusesOf(await exchange(port, GET('/ip', LAST)))).toEqual([200]);
    }
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    expect(running.stderr).toBe('');
  });

  test('with --lean it says that HTTP/2 is by its own frames, which serve it', async () => {
    const running = await serve('--lean');
    expect(running.lines[0]).toMatchObject({ h2_engine: 'wirebin' });
    const client = openClient('h2c', running.port);
    expect((await client.request('/healthz')).body.toString()).toBe('OK');
    client.close();
  });

  test('without free descriptors it loses connections, and recovers later', async () => {
    const limited = `ulimit -n 200; exec "${process.execPath}" "${installation().main}" --port 0 --host 127.0.0.1`;
    const running = installation().shell(limited);
    await running.listens();
    const sockets = await Promise.all(
      Array.from({ length: 400 }, () => openSocket(running.port).catch(() => undefined)),
    );
    for (const socket of sockets) socket?.destroy();
    expect(running.ended).toBeUndefined();
    // Descriptors become available once the server notices the closed connections.
    const statuses = async (): Promise<number[]> =>
      statusesOf(await exchange(running.port, GET('/healthz', LAST)).catch(() => ''));
    await expect.poll(statuses).toEqual([200]);
    expect(running.stderr).toBe('');
  });
});
