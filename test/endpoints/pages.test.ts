import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { journalEndpoint } from '../../src/endpoints/journal.ts';
import { storyEndpoint } from '../../src/endpoints/connections.ts';
import type { Endpoint } from '../../src/server/endpoint.ts';
import { Journal } from '../../src/telemetry/journal/journal.ts';
import type { JournalStorage } from '../../src/telemetry/journal/storage.ts';
import { startAdapters, until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { openSocket } from '../_raw.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Responses that are not read, and bytes of the first page of each. */
const RESPONSES = 100;
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
  read: () => ({ key: text(), attempts: 1, count: 2, entries_left_out: 0, entries: [], next: 1 }),
};
const journal = journalEndpoint(
  new Journal(storage, '', { keepsEntries: true, secrets: false }),
  1,
);

test.each<[string, Endpoint, string]>([
  ['a story', story, '/connections/1'],
  ['a journal', journal, '/journal/a'],
])('of a page of %s that is not read only the bytes are kept', async (_, endpoint, path) => {
  const adapters = await startAdapters({}, [endpoint]);
  const client = new h2.FrameClient(await openSocket(adapters.port));
  onTestFinished(() => {
    client.socket.destroy();
    adapters.close();
  });
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  client.send(...Array.from({ length: RESPONSES }, (_stream, at) => h2.get(2 * at + 1, path)));
  await until(() => adapters.outcomes.length === RESPONSES);
  collectGarbage();
  expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan((RESPONSES * PAGE) / 4);
  expect(adapters.outcomes).toEqual(Array.from({ length: RESPONSES }, () => 200));
});
