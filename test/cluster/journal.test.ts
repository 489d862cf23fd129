import { expect, test } from 'vitest';
import type { JournalView } from '../../src/telemetry/journal/entry.ts';
import * as h2 from '../_frames.ts';
import { exchange, GET, LAST, openSocket, POST } from '../_raw.ts';
import { until } from '../_adapters.ts';
import { replace, sharedCluster, startCluster } from './_cluster.ts';
import { times } from './_workers.ts';
import { journalOf } from '../_walk.ts';

const two = sharedCluster('--name', 'replica-7', '--journal-entries', '200');

/** The numbers of the workers in the entries. */
function workersIn({ entries }: JournalView): Set<number | undefined> {
  return new Set(entries.map(({ worker }) => worker));
}

test('attempts are counted exactly, whichever worker gets them', async () => {
  const { port } = two();
  const responses = await times(100, async () =>
    exchange(port, POST('/retry/exact?fail=60', `Content-Length: 2\r\n${LAST}`, 'ok')),
  );
  const statuses = responses.map((text) => text.slice(9, 12));
  expect(statuses.filter((status) => status === '503')).toHaveLength(60);
  expect(statuses.filter((status) => status === '200')).toHaveLength(40);
  const journal = await journalOf(port, 'exact', '?wait=100&until=ended');
  expect(journal).toMatchObject({ attempts: 100, count: 100, entries_left_out: 0 });
  expect(workersIn(journal).size).toBe(2);
  const attempts = journal.entries.map(({ attempt = 0 }) => attempt);
  expect(attempts.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  for (const entry of journal.entries) {
    expect(entry).toMatchObject({
      instance: 'replica-7',
      content: { octets: 2, complete: true },
      outcome: 'sent',
    });
  }
});

test('a request is in the journal of every worker once its response has been read', async () => {
  const { port } = two();
  for (let count = 1; count <= 20; count++) {
    await exchange(port, GET('/get', `X-Wirebin-Journal: at-once\r\n${LAST}`));
    const journal = await journalOf(port, 'at-once');
    expect(journal.entries.map(({ response }) => response?.status)).toEqual(
      Array.from({ length: count }, () => 200),
    );
  }
  const { entries } = await journalOf(port, 'at-once');
  const order = entries.map(({ time }) => time);
  expect(order).toEqual(order.toSorted());
  await exchange(port, `DELETE /journal/at-once HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`);
  expect(await journalOf(port, 'at-once')).toMatchObject({ count: 0, entries: [] });
});

test('a long journal is read page by page, whichever worker is asked', async () => {
  const { port } = two();
  const fields = `X-Wirebin-Journal: long\r\nX-Long: ${'x'.repeat(3900)}\r\n${LAST}`;
  await times(40, async () => exchange(port, GET('/get', fields)));
  const all = await journalOf(port, 'long', '?wait=40&until=ended');
  expect(workersIn(all).size).toBe(2);
  expect(new Set(all.entries.map(({ conn }) => conn)).size).toBe(40);
  const part = await journalOf(port, 'long', '?after=10&limit=20');
  expect(part).toEqual({ ...all, entries: all.entries.slice(10, 30), next: 30 });
});

test('a wait ends when another worker gets the request', async () => {
  const { port } = two();
  const waiting = times(4, async () => journalOf(port, 'awaited', '?wait=2&timeout=30'));
  const sent = times(2, async () =>
    exchange(port, GET('/get', `X-Wirebin-Journal: awaited\r\n${LAST}`)),
  );
  for (const { count } of await waiting) expect(count).toBe(2);
  await sent;
});

test('streams that nghttp2 has refused are known to the next reader, whichever worker had them', async () => {
  const { port } = two();
  await times(4, async () => {
    const client = new h2.FrameClient(await openSocket(port));
    h2.acknowledgePings(client);
    client.send(h2.get(1, '/get', ['X-Upper', 'a']));
    await until(() => client.reset(1) !== undefined);
  });
  const rejected = await journalOf(port, 'rejected');
  expect(rejected.count).toBe(4);
  expect(workersIn(rejected).size).toBe(2);
});

test('what a worker had reported is kept when it dies', async () => {
  const cluster = await startCluster();
  const { port } = cluster;
  const socket = await openSocket(port);
  socket.write(GET('/delay/60', 'X-Wirebin-Journal: lost\r\n'));
  const { entries } = await journalOf(port, 'lost', '?wait=1&timeout=30');
  expect(entries).toMatchObject([{ outcome: null, response: null, target: '/delay/60' }]);
  for (const worker of cluster.workers.slice()) await replace(cluster, worker);
  const after = await journalOf(port, 'lost');
  expect(after.entries).toEqual([{ ...entries[0], outcome: 'lost' }]);
});
