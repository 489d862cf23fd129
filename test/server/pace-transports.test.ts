import { afterAll, expect, onTestFinished, test } from 'vitest';
import { until } from '../_adapters.ts';
import { DATA, FrameClient, get, openingWith } from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { sharedService } from '../_shared.ts';

const MiB = 1024 ** 2;

const running = sharedService('--max-body-size', String(10 * MiB));
afterAll(() => expect(running().logged).toEqual([]));

/** Sends so many requests at once, with windows of one byte, and waits until each window is full. */
async function askOften(count: number, target: string): Promise<void> {
  const client = new FrameClient(await openSocket(running().port), openingWith(1));
  onTestFinished(() => void client.socket.destroy());
  client.send(...Array.from({ length: count }, (_, at) => get(2 * at + 1, target)));
  await until(() => client.got(DATA).length === count, 'each has its byte', 14_000);
}

const paced = [
  '/drip?dialect=httpbin&numbytes=10485760&duration=0.001',
  '/drip?dialect=httpbin&numbytes=10485760&duration=0',
  '/drip?dialect=go-httpbin&numbytes=10485760&duration=1ms&delay=0',
  '/drip?dialect=go-httpbin&numbytes=10485760&duration=0&delay=0',
  '/range/10485760?chunk_size=10485760&duration=0.001',
  '/range/10485760?dialect=httpbin&chunk_size=10485760&duration=0.001',
  '/range/10485760?dialect=go-httpbin&chunk_size=10485760&duration=1ms',
];

function memoryInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each(paced)('%s: data that is due is queued in pieces', async (target) => {
  const before = memoryInUse();
  await askOften(20, target);
  // The total is 200 MiB.
  expect(memoryInUse() - before).toBeLessThan(60 * MiB);
});

test.each([
  '/range/10485760?chunk_size=1&duration=0.001',
  '/range/10485760?dialect=httpbin&chunk_size=1&duration=0.001',
  '/range/10485760?dialect=go-httpbin&chunk_size=1&duration=1ms',
  '/drip?dialect=httpbin&numbytes=10485760&duration=0.001',
  '/drip?dialect=go-httpbin&numbytes=10485760&duration=1ms&delay=0',
])('%s: millions of pieces cost nothing', async (target) => {
  await askOften(1, target);
  const { user, system } = process.cpuUsage();
  await askOften(50, target);
  const used = process.cpuUsage({ user, system });
  // One iteration of the event loop for each took more than three seconds.
  expect((used.user + used.system) / 1e6).toBeLessThan(1.5);
});
