import { expect, test } from 'vitest';
import type { SentEvent } from '../_events.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { until } from '../_adapters.ts';
import { replace, sharedCluster, startCluster } from './_cluster.ts';
import { times } from './_workers.ts';

const two = sharedCluster('--tap');

type Events = readonly SentEvent[];

/** The events that a reader on its own connection gets while `act` runs, until these are all. */
async function tapped(
  port: number,
  query: string,
  act: () => Promise<unknown>,
  areAll: (events: Events) => boolean,
): Promise<Events> {
  const reader = await Reader.open('h2c', port, `?${query}`);
  reader.allow();
  await act();
  await until(() => reader.isDone || areAll(reader.events));
  reader.socket.destroy();
  return reader.events;
}

/** The events after one; all that are kept, if it is unknown. */
async function after(port: number, id: string, query = ''): Promise<Events> {
  const reader = await Reader.open('h2c', port, `?duration=0${query}`, id);
  reader.allow();
  await until(() => reader.isDone);
  reader.socket.destroy();
  expect(reader.events.at(-1)?.data).toEqual({ kind: 'end', reason: 'duration' });
  return reader.events.slice(0, -1);
}

/** Sends each request on a new connection, in sequence, so that the workers alternate. */
async function visit(port: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) await exchange(port, GET(path, LAST));
}

/** Sorted, because events are ordered only within a worker. */
function pathsOf(events: Events): string[] {
  const requests = events.filter(({ event }) => event === 'request');
  return requests.map(({ data }) => String(data['path'])).toSorted();
}

const paths = (name: string): string[] => Array.from({ length: 6 }, (_, at) => `/${name}/${at}`);

/** The number of the last event of each ring, by the id that an event has. */
function cursorsOf(id = ''): Map<string, number> {
  return new Map(
    id.split(',').map((part) => {
      const [origin = '', number] = part.split('-');
      return [origin, Number(number)];
    }),
  );
}

/** The ring and number of an event. */
function placeOf({ id, data }: SentEvent): [origin: string, number: number] {
  const own = [...cursorsOf(id)].find(([ring]) => ring.startsWith(`${String(data['worker'])}.`));
  return own ?? ['', NaN];
}

const ofWorker = (events: Events, worker: number): Events =>
  events.filter(({ data }) => data['worker'] === worker);
const count = (events: Events, kind: string): number =>
  events.filter(({ event }) => event === kind).length;

test('a reader gets the events of all workers, each once and with its worker', async () => {
  const { port } = two();
  const act = async (): Promise<void> => visit(port, paths('seen'));
  const events = await tapped(port, '', act, (seen) =>
    [1, 2].every((worker) => count(ofWorker(seen, worker), 'closed') >= 3),
  );
  expect(pathsOf(events)).toEqual(paths('seen'));
  for (const worker of [1, 2]) {
    const own = ofWorker(events, worker);
    expect(pathsOf(own)).toHaveLength(3);
    for (const { data } of own) expect(data['conn']).toMatch(new RegExp(`^${worker}-`));
    const numbers = own.map((event) => placeOf(event)[1]);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? NaN) + at));
  }
  const filter = 'kind=request&path=/seen/*';
  const filtered = await tapped(port, filter, act, ({ length }) => length >= 6);
  expect(filtered.map(({ event }) => event)).toEqual(Array(6).fill('request'));
});

test('resumes in every worker, whichever worker gets the next connection', async () => {
  const { port } = two();
  const before = await tapped(
    port,
    'kind=request&path=/b*',
    async () => visit(port, paths('before')),
    ({ length }) => length >= 6,
  );
  await visit(port, paths('between'));
  const known = before.at(-1)?.id ?? '';
  // Consecutive connections are on different workers.
  for (const turn of ['one', 'other']) {
    const later = await after(port, known, '&kind=request&path=/b*');
    expect([turn, pathsOf(later)]).toEqual([turn, paths('between')]);
  }
  const all = await after(port, 'unknown', '&path=/b*');
  expect(pathsOf(all)).toEqual([...paths('before'), ...paths('between')]);
});

test('lost events are counted exactly', async () => {
  const { port } = await startCluster('--tap');
  await visit(port, paths('first'));
  const known = (await after(port, 'unknown')).at(-1)?.id ?? '';
  // More than each worker keeps.
  const requests = GET('/status/204').repeat(1049) + GET('/status/204', LAST);
  await times(2, async () => exchange(port, requests));
  const events = await after(port, known, '&kind=closed');
  const lost = events.filter(({ event }) => event === 'lost');
  expect(lost).toHaveLength(2);
  for (const event of lost) {
    const [origin, number] = placeOf(event);
    expect(event.data['count']).toBe(number - (cursorsOf(known).get(origin) ?? NaN));
    expect(event.data['last']).toBe(`${origin}-${number}`);
  }
});

test('continues when a worker dies, with the worker that replaces it', async () => {
  const cluster = await startCluster('--tap');
  const { port } = cluster;
  const act = async (): Promise<void> => {
    // The first worker serves the first connection, so kill the second one.
    await replace(cluster, cluster.workers[1]);
    await visit(port, paths('later'));
  };
  const events = await tapped(port, 'kind=opened', act, ({ length }) => length >= 6);
  const workers = new Set(events.map(({ data }) => data['worker']));
  expect(workers).toEqual(new Set([1, 3]));
});

test('a drain ends the stream with an end event after all others', async () => {
  const cluster = await startCluster('--tap');
  let stopped: Promise<number> | undefined;
  const act = async (): Promise<void> => {
    await visit(cluster.port, paths('last'));
    stopped = cluster.primary.drain();
  };
  const events = await tapped(cluster.port, 'kind=request', act, () => false);
  expect(events.at(-1)?.data).toEqual({ kind: 'end', reason: 'draining' });
  expect(pathsOf(events)).toEqual(paths('last'));
  expect(await stopped).toBe(0);
});
