import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from './_adapters.ts';
import { installed } from './_process.ts';
import { exchange, GET, LAST, statusesOf } from './_raw.ts';
import { freePort } from './_system.ts';

const installation = installed('bundled');
const WAYS = [
  ['one process', []],
  ['two workers', ['--workers', '2']],
] as const;

/** The command that starts wirebin. */
function command(port: number, args: readonly string[]): string {
  const start = [process.execPath, installation().main].map((path) => `"${path}"`).join(' ');
  return `${start} --port ${port} --host 127.0.0.1 --log-requests ${args.join(' ')}`;
}

async function healthy(port: number): Promise<boolean> {
  const answer = await exchange(port, GET('/healthz', LAST)).catch(() => '');
  return statusesOf(answer)[0] === 200;
}

const listens = (port: number): Promise<void> => expect.poll(() => healthy(port)).toBe(true);

/** So that a line with it is kept together in a pipe. */
const LONG = '/anything/'.padEnd(3500, 'x');

const REQUESTS = 880;

/** Asks so often that the lines are more than a pipe and two processes hold. */
async function askMuch(port: number): Promise<void> {
  for (let asked = 0; asked < REQUESTS; asked += 11) {
    const answers = await exchange(port, `${GET(LONG).repeat(10)}${GET('/ip', LAST)}`);
    expect(statusesOf(answers)).toHaveLength(11);
  }
}

if (existsSync('/dev/full')) {
  test('it serves and stops on a full disk', async () => {
    const port = await freePort();
    const start = command(port, ['--workers', '2']);
    const running = installation().shell(`exec ${start} > /dev/full`);
    await listens(port);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    expect(running.stderr).toBe('');
  });
}

test('it serves and stops with standard output in a file that may not grow', async () => {
  const port = await freePort();
  const file = join(installation().root, `log-${port}`);
  // Of 512 or 1024 bytes, as the shell likes it.
  const limited = `ulimit -f 8; exec ${command(port, [])} >> "${file}"`;
  const running = installation().shell(limited);
  await listens(port);
  await exchange(port, `${GET(LONG)}${GET(LONG)}${GET('/ip', LAST)}`);
  expect(await healthy(port)).toBe(true);
  // Once there is room, what could not be written comes.
  const { length } = readFileSync(file);
  truncateSync(file);
  await until(() => readFileSync(file).length > length / 2);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
  expect(running.stderr).toBe('');
});

/** Takes the first lines, and the rest when a byte comes on descriptor 3. */
const READER = `
  const fs = require('fs');
  const first = Buffer.alloc(4096);
  process.stdout.write(first.subarray(0, fs.readSync(0, first)));
  fs.readSync(3, first);
  process.stdin.pipe(process.stdout);`;

/** Starts it with its standard output in a pipe of which only the first lines are read, until standard input ends. */
async function intoPipe(args: readonly string[]) {
  const port = await freePort();
  const left = `{ ${command(port, args)} 3<&- & echo $! >&2; wait $!; echo "exit $?" >&2; }`;
  const right = `"${process.execPath}" -e "${READER}"`;
  const running = installation().shell(`exec 3<&0; ${left} | ${right}`);
  await listens(port);
  const pid = Number.parseInt(running.stderr, 10);
  onTestFinished(() => {
    running.child.stdin?.end();
    if (!running.stderr.includes('exit')) process.kill(pid, 'SIGKILL');
  });
  await askMuch(port);
  return { running, pid };
}

test.each(WAYS)(
  '%s: it serves while its pipe is not read, and then says how much was lost',
  async (_, args) => {
    const { running, pid } = await intoPipe(args);
    running.child.stdin?.end('go on');
    const lost = (): number[] =>
      running.said('log lines were dropped').map(({ lines }) => Number(lines));
    const all = (): number =>
      lost().reduce((sum, lines) => sum + lines, running.said('request').length);
    await until(() => all() === REQUESTS + 1);
    expect(lost()).toHaveLength(args.length === 0 ? 1 : 2);
    process.kill(pid, 'SIGTERM');
    expect(await running.exit).toBe(0);
    expect(running.stderr).toBe(`${pid}\nexit 0\n`);
  },
);

test('it stops while its pipe is not read', async () => {
  const { running, pid } = await intoPipe(['--workers', '2']);
  process.kill(pid, 'SIGTERM');
  await until(() => running.stderr.endsWith('exit 0\n'));
  running.child.stdin?.end('go on');
  await running.exit;
});

test('NODE_DEBUG=wirebin writes the life of each connection to standard error, which need not be read', async () => {
  const env = { ...process.env, NODE_DEBUG: 'wirebin' };
  const running = installation().run(['--port', '0', '--host', '127.0.0.1'], { env });
  await running.listens();
  const { port } = running;
  expect(await healthy(port)).toBe(true);
  await until(() => running.stderr.includes('connection closed'));
  expect(running.stderr).toMatch(
    /^WIREBIN \d+: connection opened \{"conn":"1","peer":"127\.0\.0\.1"/m,
  );
  expect(running.stdout).not.toContain('connection opened');
  running.child.stderr?.destroy();
  for (let request = 0; request < 3; request++) expect(await healthy(port)).toBe(true);
  running.child.kill();
  expect(await running.exit).toBe(0);
});
