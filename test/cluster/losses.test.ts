import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openSocket } from '../_raw.ts';
import { childrenOf, installed, run } from './_workers.ts';
import { contentOf } from '../_walk.ts';

const installation = installed();

/** Runs in each process before wirebin: no worker can be restarted, and a signal makes `accept` fail. */
const BROKEN = `
  import cluster from 'node:cluster';
  import { Server } from 'node:net';
  if (cluster.worker?.id > 2) process.exit(7);
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    process.on('SIGUSR2', () => this.emit('error', new Error('accept EMFILE')));
    return listen.apply(this, args);
  };`;

test('the primary survives a failed accept, and closes connections that no worker can take', async () => {
  const file = join(installation().root, 'broken.mjs');
  await writeFile(file, BROKEN);
  const running = run(['--workers=2', '--metrics-enabled'], { NODE_OPTIONS: `--import=${file}` });
  await running.listens();
  running.child.kill('SIGUSR2');
  await until(() => running.said('a connection was lost').length === 1);
  expect(running.said('a connection was lost')).toMatchObject([{ detail: 'accept EMFILE' }]);
  expect(await contentOf(running.port, '/metrics/history')).toHaveProperty('minutes');

  for (const pid of childrenOf(running)) process.kill(pid, 'SIGKILL');
  await until(() => running.said('worker died').length >= 2);
  const socket = await openSocket(running.port);
  await once(socket.resume(), 'end');
  socket.destroy();
});
