import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { alpnOf, isHttp2, isSecure, openClient } from '../_client.ts';
import { everywhere } from '../_everywhere.ts';
import { DATA, END_STREAM, frame, FrameClient, post } from '../_frames.ts';
import { openSocket, POST, statusesOf } from '../_raw.ts';
import { ask, journalOf } from '../_walk.ts';

everywhere(({ transport, client, running }) => {
  const read = (key: string, query?: string) => journalOf(running().port, key, query);
  const statusOf = async (target: string, method = 'GET'): Promise<number | 'error'> => {
    const other = openClient(transport, running().port);
    const outcome = other.request(target, { method }).then(
      ({ status }) => status,
      () => 'error' as const,
    );
    return outcome.finally(() => other.close());
  };

  test('fails the first attempts, then works', async () => {
    const target = '/retry/counted?fail=2&with=429&then=201';
    for (const [at, status] of [429, 429, 201, 201].entries()) {
      const received = await client().request(target, { method: at % 2 === 0 ? 'POST' : 'PUT' });
      expect(received.status).toBe(status);
      expect(JSON.parse(received.body.toString())).toMatchObject({ attempt: at + 1, status });
    }
    expect(await read('counted')).toMatchObject({
      attempts: 4,
      count: 4,
      entries: [
        { attempt: 1, method: 'POST', response: { status: 429 } },
        { attempt: 2, method: 'PUT', response: { status: 429 } },
        { attempt: 3, response: { status: 201 } },
        { attempt: 4, response: { status: 201 } },
      ],
    });
  });

  test('only an attempt that does not fail reads the content before its response', async () => {
    const socket = await openSocket(running().port, alpnOf(transport));
    const target = '/retry/content?fail=1';
    if (isHttp2(transport)) {
      const frames = new FrameClient(socket);
      frames.send(post(1, target));
      await until(() => frames.isDone(1));
      frames.send(post(3, target), frame(DATA, 0, 3, Buffer.from('con')));
      await read('content', '?wait=2');
      expect(frames.isDone(3)).toBe(false);
      frames.send(frame(DATA, END_STREAM, 3, Buffer.from('tent')));
      await until(() => frames.isDone(3));
    } else {
      let received = '';
      socket.on('data', (piece: Buffer) => (received += piece.toString('latin1')));
      socket.write(POST(target, 'Content-Length: 7\r\n'));
      await until(() => received.includes('}'));
      socket.write(`content${POST(target, 'Content-Length: 7\r\n', 'con')}`);
      await read('content', '?wait=2');
      expect(statusesOf(received)).toEqual([503]);
      socket.write('tent');
      await until(() => statusesOf(received).length === 2);
      expect(statusesOf(received)).toEqual([503, 200]);
    }
    socket.destroy();
    const { entries } = await read('content', '?wait=2&until=ended');
    expect(entries[1]).toMatchObject({
      content: { octets: 7, complete: true },
      response: { status: 200 },
    });
  });

  test('counts each key for itself, and anew after DELETE', async () => {
    for (const expected of [503, 200]) expect(await statusOf('/retry/one')).toBe(expected);
    expect(await statusOf('/retry/other')).toBe(503);
    expect(await statusOf('/journal/one', 'DELETE')).toBe(200);
    for (const expected of [503, 200]) expect(await statusOf('/retry/one')).toBe(expected);
  });

  test.each([
    ['close', true],
    ['reset', true],
    ['truncate-tls', isSecure(transport)],
    ['rst-stream', isHttp2(transport)],
    ['goaway', isHttp2(transport)],
    ['content-length', true],
    ['chunk', !isHttp2(transport)],
    ['head', true],
    // Node's HTTP/2 client waits for the end of what it takes for a frame.
    ...(isHttp2(transport) ? [] : ([['garbage', true]] as const)),
  ] as const)('%s, then works', async (kind, isAvailable) => {
    const target = `/retry/${kind}?fail=2&with=${kind}`;
    const failure = isAvailable ? 'error' : 400;
    for (const expected of [failure, failure, 200]) expect(await statusOf(target)).toBe(expected);
    const journal = await read(kind, '?wait=3&until=ended');
    expect(journal).toMatchObject({ attempts: 3, count: 3 });
    const { entries } = journal;
    expect(entries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const response = isAvailable ? { fault: kind } : { status: 400 };
    expect(entries).toMatchObject([{ response }, { response }, { response: { status: 200 } }]);
    expect(entries[2]).toMatchObject({ outcome: 'sent' });
    if (!isAvailable || !['close', 'reset', 'truncate-tls', 'rst-stream'].includes(kind)) return;
    const aborted = { outcome: 'aborted', cause: { by: 'wirebin', reason: 'fault' } };
    expect(entries).toMatchObject([aborted, aborted, { outcome: 'sent' }]);
  });

  test('a stall of which the client has had enough', async () => {
    const other = openClient(transport, running().port);
    const stalled = other.request('/retry/stall?with=stall').catch(() => 'gone');
    const { entries: begun } = await read('stall', '?wait=1');
    expect(begun).toMatchObject([{ outcome: null }]);
    other.leave();
    const { entries } = await read('stall', '?wait=1&until=ended');
    expect(entries).toMatchObject([{ outcome: 'disconnected', cause: { by: 'client' } }]);
    expect(await stalled).toBe('gone');
  });

  test.each([
    ['/retry/%20', 'key'],
    [`/retry/${'k'.repeat(129)}`, 'key'],
    ['/retry/k?with=700', 'with'],
    ['/retry/k?with=raw', 'with'],
    ['/retry/k?with=frame', 'with'],
    ['/retry/k?at=middle', 'at'],
    ['/retry/k?then=199', 'then'],
    ['/retry/k?fail=-1', 'fail'],
  ])('%s: 400 names %s', async (target, name) => {
    const { status, body } = await ask(transport, running().port, target);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(`${name}=`)]);
  });
});
