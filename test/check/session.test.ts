import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import { Session } from '../../src/check/session.ts';
import { Target } from '../../src/check/target.ts';
import { Turns } from '../../src/check/turns.ts';

const session = new Session(
  new Target({ url: new URL('http://127.0.0.1'), insecure: false }),
  'http/1.1',
  1000,
  new Turns(0),
);

test('no two requests have the same target, so that none is answered from a cache', () => {
  const [first, second] = [session.unique('/range/1000'), session.unique('/range/1000')];
  expect(first).toMatch(/^\/range\/1000\?check=check-[\da-f]{12}$/);
  expect(second).not.toBe(first);
  expect(session.unique('/fault/close?at=end')).toMatch(/^\/fault\/close\?at=end&check=check-/);
});

test('a target that has a tag, or is no path, stays as it is', () => {
  const tagged = `/anything/${session.newTag()}?a=1`;
  expect([session.unique(tagged), session.unique('*')]).toEqual([tagged, '*']);
});

/** A session with a server that answers what it receives first, and closes the connection. */
const sessionWith = (response: string): Promise<Session> =>
  sessionTo((socket) => void socket.once('data', () => socket.end(response)));

async function sessionTo(
  serve: (socket: Socket) => void,
  time = 5000,
  turns = new Turns(0),
): Promise<Session> {
  const server = createServer((socket) => serve(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const target = new Target({ url: new URL(`http://127.0.0.1:${port}`), insecure: false });
  const made = new Session(target, 'http/1.1', time, turns);
  onTestFinished(() => made.close());
  return made;
}

const MIB = 1024 * 1024;
const largeResponse = (length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(length)}`;

test('the check has all of the content, and the session its beginning', async () => {
  const large = await sessionWith(largeResponse(MIB));
  const transfer = await large.send({ target: '/' });
  expect(transfer.response?.content).toHaveLength(MIB);
  expect(large.transfers).toMatchObject([{ sent: transfer.sent, ending: 'complete' }]);
  const kept = large.transfers[0]?.response?.content;
  expect(kept).toEqual(Buffer.alloc(64 * 1024, 'a'));
  // A part of the whole would keep all of it.
  expect(kept?.buffer.byteLength).toBe(64 * 1024);
});

test('content above 4 MiB is malformed, unless the response is to be large', async () => {
  const response = largeResponse(10 * MIB);
  const small = await (await sessionWith(response)).send({ target: '/' });
  expect(small.ending).toBe('malformed');
  expect(small.response?.content.length).toBeLessThan(4 * MIB);
  const large = await (await sessionWith(response)).send({ target: '/' }, { isLarge: true });
  expect(large.ending).toBe('complete');
  expect(large.response?.content).toHaveLength(10 * MIB);
});

test('a journal that cannot be read says nothing of what arrived', async () => {
  const unreadable = await sessionWith('HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n');
  await expect(unreadable.arrived('check')).rejects.toThrow(
    'the journal of the origin cannot be read: 503',
  );
});

test('the time for a response of the target is not that for the journal of an origin', async () => {
  const late = await sessionTo((socket) => {
    socket.once('data', () => {
      setTimeout(() => socket.end('HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n'), 300);
    });
  });
  const { url } = late.target;
  const direct = new Target({ url, origins: [url], insecure: false });
  await expect(direct.journal('check', 100)).rejects.toThrow('cannot be read: 503');
  await expect(late.target.journal('check', 100)).rejects.toThrow('cannot be read: timeout');
});

test('a pipelined request on a connection that is closed may be sent again', async () => {
  const closing = await sessionWith('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n');
  const check = checks.find(({ id }) => id === 'connection/pipelining');
  expect(await check?.run(closing)).toMatchObject({
    outcome: 'differs',
    found: 'closed after the first response, without Connection: close',
  });
});

test('an upload has not stalled while the target does not answer others either', async () => {
  let upload: Socket | undefined;
  const busy = await sessionTo((socket) => {
    upload ??= socket.pause();
    if (socket === upload) return;
    socket.once('data', () => {
      upload?.resume();
      // Sent once the upload is over.
      upload?.on('close', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
  }, 500);
  const check = checks.find(({ id }) => id === 'backpressure/request');
  expect(await check?.run(busy)).toMatchObject({
    outcome: 'differs',
    found: 'the client sent all 32.0 MiB',
  });
});

test('a target that sends no 100 (Continue) gets the content while it can still respond', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let received: (() => void) | undefined;
  const head = new Promise<void>((resolve) => {
    received = resolve;
  });
  const waiting = await sessionTo((socket) => {
    socket.on('data', (piece: Buffer) => {
      received?.();
      if (piece.toString().endsWith('content')) {
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }
    });
  }, 600);
  const check = checks.find(({ id }) => id === 'expect/continue');
  const verdict = check?.run(waiting);
  await head;
  // Half of its time the client waits for 100. However long the rest takes here, the other half is not over.
  await vi.advanceTimersByTimeAsync(300);
  expect(await verdict).toMatchObject({
    expected: '100 (Continue)',
    found: '204 after the content, without 100',
  });
});

test('a refused connection is an error, not a failed handshake', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const target = new Target({ url: new URL(`https://127.0.0.1:${port}`), insecure: true });
  const refused = new Session(target, 'http/1.1', 5000, new Turns(0));
  await expect(refused.handshake()).rejects.toThrow('ECONNREFUSED');
  const missing = checks.find(({ id }) => id === 'proxy-protocol/missing');
  await expect(missing?.run(refused)).rejects.toThrow('ECONNREFUSED');
});

test('each request takes a turn, also on a connection that is open', async () => {
  const turns = new Turns(0);
  const next = vi.spyOn(turns, 'next');
  const spend = vi.spyOn(turns, 'spend');
  const answering = await sessionTo(
    (socket) => void socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
    5000,
    turns,
  );
  const client = await answering.open();
  for (const target of ['/1', '/2', '/3']) await answering.sendOn(client, { target });
  expect([next.mock.calls.length, spend.mock.calls.length]).toEqual([1, 2]);
});
