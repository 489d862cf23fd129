import { expect, test } from 'vitest';
import type { SentEvent } from '../_events.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { childrenOf, installed, serve, served, times, until } from './_workers.ts';

installed();
const two = served('--workers', '2', '--tap');

/** The events that a reader on its own connection gets while `act` runs. */
async function tapped(
  port: number,
  act: () => Promise<unknown>,
  query: string,
  lastEventId?: string,
): Promise<SentEvent[]> {
  const reader = await Reader.open('h2c', port, `?${query}`, lastEventId);
  reader.allow();
  await act();
  await until(() => reader.isDone);
  reader.socket.destroy();
  return reader.events;
}

const nothing = async (): Promise<void> => undefined;

/** Sends each request on a new connection, in sequence, so that the workers alternate. */
async function visit(port: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) await exchange(port, GET(path, LAST));
}

/** Sorted, because events are ordered only within a worker. */
function pathsOf(events: readonly SentEvent[]): string[] {
  const requests = events.filter(({ event }) => event === 'request');
  return requests.map(({ data }) => String(data['path'])).toSorted();
}

const paths = (name: string): string[] => Array.from({ length: 6 }, (_, at) => `/${name}/${at}`);

/** Checks that each worker's event numbers have no gaps, counting `lost` events. */
function expectAllNumbers(events: readonly SentEvent[]): void {
  const last = new Map<string, number>();
  for (const { id, event, data } of events.slice(0, -1)) {
    const own = id?.split(',').find((part) => part.startsWith(`${String(data['worker'])}.`));
    const [origin = '', number] = own?.split('-') ?? [];
    const before = last.get(origin);
    const isLost = event === 'lost';
    const count = isLost ? Number(data['count']) : 1;
    if (isLost) expect(data['last']).toBe(own);
    if (before !== undefined) expect(Number(number)).toBe(before + count);
    last.set(origin, Number(number));
  }
  expect(last.size).toBe(2);
}

test('a reader gets the events of all workers, each once and with its worker', async () => {
  const { port } = two();
  const act = async (): Promise<void> => visit(port, paths('seen'));
  const events = await tapped(port, act, 'duration=1');
  expectAllNumbers(events);
  expect(pathsOf(events)).toEqual(paths('seen'));
  for (const worker of [1, 2]) {
    const own = events.filter(({ data }) => data['worker'] === worker);
    expect(pathsOf(own)).toHaveLength(3);
    expect(own.filter(({ event }) => event === 'closed').length).toBeGreaterThanOrEqual(3);
    for (const { data } of own) expect(data['conn']).toMatch(new RegExp(`^${worker}-`));
  }
  expect(events.at(-1)?.data).toEqual({ kind: 'end', reason: 'duration' });
  const filtered = await tapped(port, act, 'duration=1&kind=request&path=/seen/*');
  expect(filtered.map(({ event }) => event)).toEqual([...Array(6).fill('request'), 'end']);
});

test('resumes in every worker, whichever worker gets the next connection', async () => {
  const { port } = two();
  const before = await tapped(port, async () => visit(port, paths('before')), 'duration=1');
  await visit(port, paths('between'));
  const known = before.at(-2)?.id ?? '';
  // Consecutive connections are on different workers.
  for (const turn of ['one', 'other']) {
    const after = await tapped(port, nothing, 'duration=0&kind=request&path=/b*', known);
    expect([turn, pathsOf(after)]).toEqual([turn, paths('between')]);
  }
  const all = await tapped(port, nothing, 'duration=0&path=/b*', 'unknown');
  expect(pathsOf(all)).toEqual([...paths('before'), ...paths('between')]);
});

test('reading stays within its budget, and lost events are counted exactly', async () => {
  const { port } = await serve('--workers', '2', '--tap');
  const requests = GET('/ip').repeat(1000) + GET('/ip', LAST);
  const act = async (): Promise<void> => {
    await times(8, async () => exchange(port, requests));
  };
  const events = await tapped(port, act, 'duration=3');
  expect(events.some(({ event }) => event === 'lost')).toBe(true);
  expectAllNumbers(events);
});

test('continues when a worker dies, with the worker that replaces it', async () => {
  const running = await serve('--workers', '2', '--tap');
  const { port } = running;
  const act = async (): Promise<void> => {
    // The first worker serves the first connection, so kill the second one.
    const [, victim = 0] = childrenOf(running).toSorted((a, b) => a - b);
    process.kill(victim, 'SIGKILL');
    await until(() => running.said('worker restarted').length === 1);
    await visit(port, paths('later'));
  };
  const events = await tapped(port, act, 'duration=3&kind=opened');
  const workers = new Set(events.slice(0, -1).map(({ data }) => data['worker']));
  expect(workers).toEqual(new Set([1, 3]));
});

test('a drain ends the stream with an end event after all others', async () => {
  const running = await serve('--workers', '2', '--tap');
  const events = await tapped(
    running.port,
    async () => {
      await visit(running.port, paths('last'));
      running.child.kill('SIGTERM');
    },
    'kind=request',
  );
  expect(events.at(-1)?.data).toEqual({ kind: 'end', reason: 'draining' });
  expect(pathsOf(events)).toEqual(paths('last'));
  expect(await running.exit).toBe(0);
});
