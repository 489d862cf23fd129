import { expect, test } from 'vitest';
import { endpoint } from '../../src/server/endpoint.ts';
import { text } from '../../src/server/reply.ts';
import { startAdapters, until } from '../_adapters.ts';
import { converse, exchange, GET, LAST, openSocket, POST, statusesOf } from '../_raw.ts';

const rest = { group: 'content', summary: '', responses: {} } as const;

/** Numbers of trailer lines that fill the memory, if it is not released. */
const LINES = [1900, 1600, 60, 60];
/** More fields than a request may have uncounted. */
const FIELDS = Array.from({ length: 60 }, (_, at) => `x-${at}: b\r\n`).join('');

test('trailers that come after the response take no memory for good', async () => {
  const adapters = await startAdapters({ maxContentMemory: 1 });
  for (const lines of LINES) {
    const socket = await openSocket(adapters.port);
    const head = POST('/zeros/3', 'Transfer-Encoding: chunked\r\n', '1\r\nx\r\n');
    await converse(socket, head, (received) => received.includes('\r\n\r\n'));
    const next = `0\r\n${'a:b\r\n'.repeat(lines)}\r\n${GET('/healthz', LAST)}`;
    expect(statusesOf(await converse(socket, next))).toEqual([200]);
  }
  expect(statusesOf(await exchange(adapters.port, GET('/healthz', FIELDS + LAST)))).toEqual([200]);
});

test('a large head of a request behind the last response is not waited for', async () => {
  const called: boolean[] = [];
  const last = endpoint({
    ...rest,
    path: '/last',
    handle: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { ...text('last'), close: true };
    },
  });
  /** Sends an interim response once the request is over. */
  const late = endpoint({
    ...rest,
    path: '/late',
    handle: ({ request }) =>
      new Promise((_, reject) => {
        request.whenFinished(() => {
          setImmediate(() => {
            request.sendLarge(() => {
              called.push(request.sendInformation(103));
              reject(new Error('aborted'));
            });
          });
        });
      }),
  });
  const adapters = await startAdapters({}, [last, late]);
  const received = await exchange(adapters.port, GET('/last') + GET('/late'));
  expect(statusesOf(received)).toEqual([200]);
  await until(() => called.length > 0);
  expect(called).toEqual([false]);
});

test('a function for the end of a request that is over is called at once', async () => {
  let isCalled = false;
  const over = endpoint({
    ...rest,
    path: '/over',
    handle: ({ request }) => {
      request.whenFinished(() => {
        setImmediate(() => {
          request.whenFinished(() => {
            isCalled = true;
          });
        });
      });
      return text('over');
    },
  });
  const adapters = await startAdapters({}, [over]);
  await exchange(adapters.port, GET('/over', LAST));
  await until(() => isCalled);
});
