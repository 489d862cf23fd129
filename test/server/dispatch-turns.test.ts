import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Dispatch } from '../../src/server/dispatch.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { text } from '../../src/server/reply.ts';
import type { Connection } from '../../src/net/connection.ts';
import { dispatchOptions } from '../_dispatch.ts';
import { FakeExchange } from '../_exchange.ts';

/** Milliseconds, more than the budget of an iteration. */
const LONG = 2;

/** The time that requests take. */
let time = 0;

// Work of the previous test counts for the iteration in which it began.
beforeEach(async () => {
  time = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => now.mockRestore());
  await nextTurn();
});

const handled: string[] = [];
const declared = { methods: 'any', group: 'content', summary: '', responses: {} } as const;
const busy = endpoint({
  ...declared,
  path: '/busy',
  content: true,
  handle({ request }) {
    handled.push(request.rawTarget.split('?')[1] ?? '');
    time += LONG;
    return text('done');
  },
});

const content = (): Readable => Readable.from([Buffer.from('x')]);

/** Dispatches a request of a connection. */
function requests() {
  handled.length = 0;
  const dispatch = new Dispatch(dispatchOptions([busy]));
  return (name: string, connection?: Connection, incoming?: Readable): FakeExchange => {
    const exchange = new FakeExchange(`/busy?${name}`, { connection, incoming });
    dispatch.run(exchange);
    return exchange;
  };
}

test('requests of a connection that have used up the budget wait, those of others do not', async () => {
  const send = requests();
  const { connection } = send('1a');
  const waiting = [send('1b', connection), send('1c', connection)];
  send('2a');
  expect(handled).toEqual(['1a', '2a']);
  await nextTurn();
  expect(handled).toEqual(['1a', '2a', '1b']);
  waiting[1]?.leave();
  await nextTurn();
  await nextTurn();
  expect(handled).toEqual(['1a', '2a', '1b']);
  expect(waiting.map(({ sent }) => sent.length)).toEqual([1, 0]);
});

test('requests with content take turns too', async () => {
  const send = requests();
  const { connection } = send('1a', undefined, content());
  const others = ['1b', '1c'].map((name) => send(name, connection, content()));
  for (let before = 0; handled.length < 3;) {
    await nextTurn();
    // The first may run at the end of an iteration, and the next at its beginning.
    expect(handled.length - before).toBeLessThan(3);
    before = handled.length;
  }
  await nextTurn();
  expect(others.map(({ sent }) => sent.length)).toEqual([1, 1]);
});

/** Dispatches large requests, without the limits of other tests. */
function dispatchLarge(maxContentMemory = 1024): Dispatch {
  handled.length = 0;
  const limits = { maxHeaderSize: 1e5, maxFields: 1000, maxTargetSize: 1e5, maxContentMemory };
  return new Dispatch({ ...dispatchOptions([busy]), ...limits });
}

const MANY_FIELDS = ['Host', 'a'].concat(
  Array.from({ length: 200 }, (_, at) => [`x-${at}`, '']).flat(),
);

const order = (): string[] => handled.map((query) => query.split('&')[0] ?? '');

test.each([
  ['fields', { fields: MANY_FIELDS }],
  ['a value', { fields: ['Host', 'a', 'X-Forwarded-For', '1,'.repeat(2100)] }],
  ['a target', { target: 'x'.repeat(3000) }],
])('requests with much in %s wait for those of others, small ones do not', async (_, given) => {
  const dispatch = dispatchLarge();
  const send = (name: string, { fields = ['Host', 'a'], target = '' } = {}): void => {
    dispatch.run(new FakeExchange(`/busy?${name}&${target}`, { fields }));
  };
  for (const name of ['1', '2', '3']) send(name, given);
  send('small');
  expect(order()).toEqual(['1', 'small']);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(order()).toEqual(['1', 'small', '2', '3']);
});

test('the memory of the fields of large requests is counted', async () => {
  const dispatch = dispatchLarge(0.12);
  const sent = ['1', '2', '3'].map((name) => {
    const exchange = new FakeExchange(`/busy?${name}`, { fields: MANY_FIELDS });
    dispatch.run(exchange);
    return exchange.sent;
  });
  // The first does not wait.
  await nextTurn();
  await nextTurn();
  expect(sent.map(([response]) => response?.status)).toEqual([200, 200, 503]);
});

test('a request with content that its handler does not get waits, too, and its content with it', async () => {
  const status = endpoint({
    ...declared,
    path: '/status',
    handle: () => text('done'),
  });
  const dispatch = new Dispatch(dispatchOptions([busy, status]));
  const { connection } = new FakeExchange('/busy');
  dispatch.run(new FakeExchange('/busy', { connection }));
  const incoming = content();
  const exchange = new FakeExchange('/status', { method: 'POST', incoming, connection });
  dispatch.run(exchange);
  expect(exchange.sent).toHaveLength(0);
  expect(incoming.readableFlowing).toBe(null);
  await vi.waitFor(() => expect(exchange.sent).toHaveLength(1));
});
