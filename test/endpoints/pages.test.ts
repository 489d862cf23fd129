import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { journalEndpoint } from '../../src/endpoints/journal.ts';
import { storyEndpoint } from '../../src/endpoints/connections.ts';
import type { Endpoint } from '../../src/server/endpoint.ts';
import { Journal } from '../../src/telemetry/journal/journal.ts';
import type { JournalStorage } from '../../src/telemetry/journal/storage.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { openSocket } from '../_raw.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

/** Responses that are not read, on so many connections, and bytes of the first page of each. */
const CONNECTIONS = 4;
const RESPONSES = CONNECTIONS * 40;
const PAGE = 200_000;

/** A string of its own, as JSON.stringify makes. */
const text = (): string => Buffer.alloc(PAGE, 'x').toString('latin1');

const story = storyEndpoint({
  story: async () => ({ text: text(), next: { time: 0, events: 1 } }),
});

const storage: JournalStorage = {
  write: () => undefined,
  nextAttempt: () => 1,
  forget: () => undefined,
  wait: async () => true,
  read: () => ({
    key: text(),
    process: '',
    attempts: 1,
    count: 2,
    entries_left_out: 0,
    entries: [],
    next: 1,
  }),
};
const journal = journalEndpoint(
  new Journal(storage, '', { keepsEntries: true, secrets: false }),
  1,
);

interface Unread {
  readonly adapters: Adapters;
  /** Bytes on the heap before the requests. */
  readonly heapUsed: number;
}

/** Clients that request all responses and read no more than their windows. */
async function request(endpoint: Endpoint, path: string): Promise<Unread> {
  const adapters = await startAdapters({}, [endpoint]);
  const clients = await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      async () => new h2.FrameClient(await openSocket(adapters.port)),
    ),
  );
  onTestFinished(() => {
    for (const client of clients) client.socket.destroy();
    adapters.close();
  });
  await until(() => clients.every((client) => client.got(h2.SETTINGS).length > 1));
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  for (const client of clients) {
    const ids = Array.from({ length: RESPONSES / CONNECTIONS }, (_, at) => 2 * at + 1);
    client.send(...ids.map((id) => h2.get(id, path)));
  }
  return { adapters, heapUsed };
}

const growth = ({ heapUsed }: Unread): number => process.memoryUsage().heapUsed - heapUsed;

test.each<[string, Endpoint, string]>([
  ['a story', story, '/connections/1'],
  ['a journal', journal, '/journal/a'],
])('of a page of %s that is not read only the bytes are kept', async (_, endpoint, path) => {
  const unread = await request(endpoint, path);
  const { outcomes } = unread.adapters;
  await until(() => outcomes.length === RESPONSES);
  collectGarbage();
  expect(growth(unread)).toBeLessThan((RESPONSES * PAGE) / 4);
  expect(outcomes).toEqual(Array.from({ length: RESPONSES }, () => 200));
});

/** Bytes in the old generation of the heap. */
const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: size }) => sum + size, 0);

/** Runs a young collection. @returns the bytes that it has moved to the old generation */
function promote(): number {
  const before = oldBytes();
  collectGarbage({ type: 'minor' });
  return oldBytes() - before;
}

test('the text of a page is young garbage even if its request has waited', async () => {
  let begin: (() => void) | undefined;
  const first = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let pages = 0;
  let promoted = 0;
  const waiting = storyEndpoint({
    story: () => {
      // The page before has been sent or is kept as bytes.
      promoted += promote();
      const page = { text: text(), next: { time: 0, events: 1 } };
      return pages++ === 0 ? first.then(() => page) : page;
    },
  });
  const unread = await request(waiting, '/connections/1');
  const { connections } = unread.adapters.listener;
  const open = () => [...connections].reduce((sum, { requests }) => sum + requests.open, 0);
  await until(() => pages === 1 && open() === RESPONSES);
  // All that waits becomes old.
  collectGarbage();
  begin?.();
  await until(() => unread.adapters.outcomes.length === RESPONSES);
  promoted += promote();
  expect(promoted).toBeLessThan((RESPONSES * PAGE) / 4);
});
