import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { Dispatch } from '../../src/server/dispatch.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { text } from '../../src/server/reply.ts';
import type { Connection } from '../../src/net/connection.ts';
import { dispatchOptions } from '../_dispatch.ts';
import { FakeExchange } from '../_exchange.ts';

// Work of the previous test counts for the iteration in which it began.
beforeEach(() => nextTurn());

/** Milliseconds, more than the budget of an iteration. */
const LONG = 2;

const handled: string[] = [];
const busy = endpoint({
  id: 'busy',
  methods: 'any',
  path: '/busy',
  group: 'content',
  summary: '',
  responses: {},
  content: true,
  handle({ request }) {
    handled.push(request.rawTarget.split('?')[1] ?? '');
    const end = performance.now() + LONG;
    while (performance.now() < end);
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
