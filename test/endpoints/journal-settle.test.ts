import { expect, test } from 'vitest';
import { journalEndpoint } from '../../src/endpoints/journal.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { serialize } from '../../src/server/request-cost.ts';
import { text } from '../../src/server/reply.ts';
import { Journal } from '../../src/telemetry/journal/journal.ts';
import { JournalStore } from '../../src/telemetry/journal/store.ts';
import { startAdapters } from '../_adapters.ts';
import { exchange, GET, LAST, statusesOf } from '../_raw.ts';

/** A large job, of which one runs at a time. */
const large = endpoint({
  path: '/large',
  group: 'content',
  summary: '',
  responses: {},
  handle: ({ request }) => serialize(request, () => text('large')),
});

let settle = (): void => undefined;
const settled = new Promise<void>((resolve) => {
  settle = resolve;
});

test('a reader that waits for what clients have to acknowledge holds up no large job', async () => {
  const limits = { keys: 10, entries: 10, bytes: 1_000_000, lifetime: 60_000 };
  const journal = new Journal(new JournalStore(limits, 'process'), 'x', {
    secrets: false,
    keepsEntries: true,
    settleRejections: () => settled,
  });
  const adapters = await startAdapters({}, [journalEndpoint(journal, 60), large]);
  const read = exchange(adapters.port, GET('/journal/rejected', LAST));
  expect(statusesOf(await exchange(adapters.port, GET('/large', LAST)))).toEqual([200]);
  settle();
  expect(statusesOf(await read)).toEqual([200]);
});
