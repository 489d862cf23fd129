import type { StdioOptions } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { usageOf } from '../../bench/soak/sample.ts';
import * as h2 from '../_frames.ts';
import { heldBy, TELLS_WHAT_IT_HOLDS } from '../_held.ts';
import { INSPECTED } from '../_inspected.ts';
import { Installation, type Running } from '../_process.ts';
import { honest } from './attack.ts';
import { PATIENCE } from '../_adapters.ts';
import { MINUTES, SEED, VALGRIND } from './form.ts';
import { frameInput, type FrameInput } from './frame-inputs.ts';

const CLIENTS = 8;
/** Milliseconds between drains. */
const DRAIN_INTERVAL = 60_000;
/** MiB resident, as for other attacks (docs/measured/hostile.md). */
const MEMORY = 300;
/** Megabytes for inspected connections, with WIREBIN_TEST_INSPECT. */
const INSPECT_MEMORY = INSPECTED ? 8 : 0;
/** MiB in use that may be kept: code, and statistics of connections. */
const KEPT = 12 + INSPECT_MEMORY;
const MEMCHECK = ['valgrind', '--quiet', '--undef-value-errors=no', '--num-callers=30'];
/** MiB, as on Node 20: later ones may take a hundred more for young objects, whatever happens. */
const SEMI_SPACE = '--max-semi-space-size=16';
/** The order in which native objects are collected, and when, has ended processes. */
const COLLECTS = ['--import', 'data:text/javascript,setInterval(gc,100).unref()'];
const NODE = VALGRIND
  ? [...MEMCHECK, '--error-exitcode=99', process.execPath, '--jitless']
  : [process.execPath, SEMI_SPACE, ...TELLS_WHAT_IT_HOLDS, ...COLLECTS];
/**
 * Seconds for a header section, a request and an idle connection, so that all are closed within PATIENCE. On a
 * busy machine an honest handshake took longer than 1 s, and under valgrind it takes longer than 4.
 */
const LIMIT = VALGRIND ? 20 : 4;
const SETTINGS = [
  ...'--port=0 --host=127.0.0.1 --max-resets=100000 --drain-delay=0 --drain-timeout=2'.split(' '),
  '--max-duration=1',
  '--metrics-enabled',
  ...(INSPECTED ? [`--inspect-memory=${INSPECT_MEMORY}`] : []),
  ...['header', 'request', 'idle'].map((what) => `--${what}-timeout=${LIMIT}`),
];
// What is freed is used again soon, so that glibc finds a heap that is damaged.
const env = { GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0', ...process.env };

const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];

const installation = new Installation();
afterAll(() => installation.remove());

let connections = 0;

test(`frames and clients that leave, for ${MINUTES} minutes`, async () => {
  const end = performance.now() + MINUTES * 60_000;
  do await untilDrain(Math.min(end, performance.now() + DRAIN_INTERVAL));
  while (performance.now() < end);
  console.log(`${connections} connections`);
});

/** Attacks a new service until then, and drains it while clients still attack. */
async function untilDrain(end: number): Promise<void> {
  const service = installation.runBy(NODE, SETTINGS, { env, stdio });
  await service.listens();
  await honest(service.port);
  const before = { ...usageOf(service.child.pid ?? 0), memory: await inUse(service) };
  const first = connections;
  const over = new AbortController();
  let responses = Promise.resolve();
  const attacks = Array.from({ length: CLIENTS }, async () => {
    while (!over.signal.aborted) {
      // On a busy machine more connections would wait to be accepted from second to second.
      await responses.catch(() => undefined);
      await attackOnce(service, SEED + connections++);
    }
  });
  while (performance.now() < end && service.ended === undefined) {
    await pause(1000);
    responses = honest(service.port);
    await responses.catch((error: unknown) => fail(service, first, error));
  }
  over.abort();
  await Promise.all(attacks);
  if (service.ended === undefined) await returned(service, before);
  const late = Array.from({ length: CLIENTS }, () => attackOnce(service, SEED + connections++));
  service.child.kill('SIGTERM');
  const exit = await Promise.race([service.exit, pause(PATIENCE, 'it still runs')]);
  await Promise.all(late);
  // 1: requests were aborted.
  if (exit !== 0 && exit !== 1) fail(service, first, exit);
  // Node warns of --jitless.
  if (!VALGRIND) expect(service.stderr).toBe('');
}

function fail({ ended, stdout, stderr }: Running, first: number, error: unknown): never {
  const seeds = `seed ${SEED}, connections ${first} to ${connections}`;
  throw new Error(`${seeds}; ended with ${ended}: ${String(error)}\n${stdout}${stderr}`);
}

/** MiB in use once garbage is collected; not measured under valgrind. */
async function inUse({ child }: Running): Promise<number> {
  return VALGRIND ? 0 : (await heldBy(child)).memory;
}

async function returned(
  service: Running,
  { descriptors, memory }: { descriptors: number; memory: number },
): Promise<void> {
  const usage = (): ReturnType<typeof usageOf> => usageOf(service.child.pid ?? 0);
  let end = performance.now() + PATIENCE;
  // On a busy machine a thousand clients that have left may still wait to be accepted: as long as some close.
  for (let open = usage().descriptors; open > descriptors && performance.now() < end;) {
    await pause(200);
    const now = usage().descriptors;
    if (now < open) end = performance.now() + PATIENCE;
    open = now;
  }
  expect(usage().descriptors).toBeLessThanOrEqual(descriptors);
  // Before garbage is collected, which V8 does late.
  if (!VALGRIND) expect(usage().memory).toBeLessThan(MEMORY);
  let held = await inUse(service);
  while (held > memory + KEPT && performance.now() < end) {
    await pause(500);
    held = await inUse(service);
  }
  expect(held).toBeLessThanOrEqual(memory + KEPT);
}

/** A client, the same for the same seed. */
async function attackOnce({ port }: Running, seed: number): Promise<void> {
  const [input] = fc.sample(frameInput, { numRuns: 1, seed });
  if (!input) return;
  const clear = connect(port, '127.0.0.1');
  clear.on('error', () => undefined);
  const closed = new Promise((resolve) => void clear.once('close', resolve));
  const options = { socket: clear, rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  const socket = input.isSecure ? tls.connect(options) : clear;
  socket.on('error', () => undefined).on('data', () => undefined);
  if (!input.reads) socket.pause();
  for (const { bytes, pause: time } of input.writes) {
    if (clear.destroyed) return;
    socket.write(bytes);
    await pause(time);
  }
  leave(socket, clear, input);
  await Promise.race([closed, pause(300)]);
  clear.destroy();
}

function leave(socket: Socket, clear: Socket, { leave: how }: FrameInput): void {
  switch (how) {
    case 'FIN':
      socket.end();
      break;
    case 'RST':
      clear.resetAndDestroy();
      break;
    case 'close':
      clear.destroy();
      break;
    case 'GOAWAY':
      socket.end(h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
      break;
    case 'half a frame':
      socket.end(h2.get(2 ** 31 - 1, '/get').subarray(0, 20));
      break;
  }
}
