import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from './_adapters.ts';
import { installed, Running } from './_process.ts';
import { converse, exchange, GET, LAST, openSocket, statusesOf } from './_raw.ts';

const installation = installed();

/** `npm start` in a process group of its own, as a shell starts it; the package has been built. */
async function npmStart(): Promise<{ running: Running; group: number }> {
  const flags = ['--silent', '--ignore-scripts', '--no-update-notifier'];
  const settings = ['--port', '0', '--host', '127.0.0.1', '--log-requests'];
  const child = spawn('npm', ['start', ...flags, '--', ...settings], {
    cwd: installation().root,
    detached: true,
  });
  const running = new Running(child);
  const group = -(child.pid ?? NaN);
  onTestFinished(() => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // None of the group is left.
    }
  });
  await running.listens();
  return { running, group };
}

test('SIGTERM for npm stops the service', async () => {
  const { running } = await npmStart();
  const { port } = running;
  expect(statusesOf(await exchange(port, GET('/ip', LAST)))).toEqual([200]);
  running.child.kill('SIGTERM');
  await running.exit;
  expect(running.said('stopped')).toHaveLength(1);
  const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [{ code: string }];
  expect(error.code).toBe('ECONNREFUSED');
});

test('Ctrl-C, which npm passes on to a process that has it already, is one signal', async () => {
  const { running, group } = await npmStart();
  const socket = await openSocket(running.port);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  const answers = converse(socket, `${GET('/ip')}${GET('/delay/1', LAST)}`);
  await until(() => received.length > 0);
  process.kill(group, 'SIGINT');
  expect(statusesOf(await answers)).toEqual([200, 200]);
  await running.exit;
  expect(running.said('stopped')).toMatchObject([{ cut: 0 }]);
});
