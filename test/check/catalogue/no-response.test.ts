import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { listening } from '../_gateway-server.ts';
import { bench } from '../_run.ts';

const started = bench();

const knownFacts = async () => {
  const { facts } = await started().reference({ scheme: 'http' }, []);
  return { ...facts, fronts: ['http/1.1'] as const };
};

test.each([
  ['origin/garbage', 'no response\n'],
  ['origin/no-status', 'HTTP/1.1\r\nContent-Type: text/plain\r\n'],
])('%s: forwarding %j is a finding, even if nothing follows', async (id, bytes) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    socket.write(bytes);
  });
  const chosen = checks.filter((check) => check.id === id);
  const proxy = await listening(server, 'http');
  const { results } = await started().run(proxy, chosen, await knownFacts(), 500);
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([
    ['fail', 'the malformed response'],
  ]);
});

const CONTROL =
  'a well-formed request of this kind does not reach the origin: no response (timeout)';

test.each([
  ['framing/version', / HTTP\/3\.7\r\n/, ['fail', 'no response in time']],
  ['framing/version', /^/, ['not-applicable', CONTROL]],
  ['method/trace', /^TRACE /, ['not-applicable', 'no response (timeout)']],
  ['hop/loop', /\r\nvia:/i, ['not-applicable', 'no response (timeout)']],
])('%s, where requests with %s get no response', async (id, unanswered, expected) => {
  const behind = await started().gateway({ scheme: 'http' });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      if (unanswered.test(bytes.toString('latin1'))) return;
      const onward = connect(Number(behind.url.port), '127.0.0.1');
      onward.on('error', () => undefined).write(bytes);
      socket.pipe(onward).pipe(socket);
    });
  });
  const chosen = checks.filter((check) => check.id === id);
  const silent = await listening(server, 'http');
  const { results } = await started().run(silent, chosen, await knownFacts(), 500);
  await behind.close();
  expect(results.map(({ outcome, found, reason }) => [outcome, found ?? reason])).toEqual([
    expected,
  ]);
});

test('a fault that the client is not told of in time is no pass', async () => {
  const behind = await started().gateway({ scheme: 'http' });
  const server = createServer((socket) => {
    const onward = connect(Number(behind.url.port), '127.0.0.1');
    onward.on('error', () => undefined);
    socket.on('error', () => undefined);
    socket.pipe(onward).pipe(socket, { end: false });
    socket.once('close', () => onward.destroy());
  });
  const chosen = checks.filter(({ id }) => id === 'truncation/content-length');
  const silent = await listening(server, 'http');
  const { results } = await started().run(silent, chosen, await knownFacts(), 500);
  await behind.close();
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['not-applicable', 'neither the end of the response nor an error in time'],
  ]);
});

test.each([
  ['and the journal has it', [], ['fail', 'the content arrives; 200 in place of the echo']],
  ['and there is no journal', ['journal'], ['fail', '200 in place of the echo']],
])('an echo that does not end is a finding, %s', async (_name, unmet, expected) => {
  const behind = await started().gateway({ scheme: 'http' });
  const server = createServer((socket) => {
    const onward = connect(Number(behind.url.port), '127.0.0.1');
    onward.on('error', () => undefined);
    socket.on('error', () => undefined).pipe(onward);
    onward.once('data', (bytes) => {
      socket.write(bytes.subarray(0, 1000));
      onward.resume();
    });
    socket.once('close', () => onward.destroy());
  });
  const chosen = checks.filter(({ id }) => id === 'content/upload-16k');
  const facts = await knownFacts();
  const left = Array.from(facts.met['http/1.1']).filter((need) => !unmet.includes(need));
  const met = { ...facts.met, 'http/1.1': new Set(left) };
  const slow = await listening(server, 'http');
  const { results } = await started().run(slow, chosen, { ...facts, met }, 500);
  await behind.close();
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([expected]);
});

test.each([
  ['origin/bytes-after', 'GET'],
  ['origin/head-with-content', 'HEAD'],
])('%s: bytes that come some time after the response are found', async (id, method) => {
  const behind = await started().gateway({ scheme: 'http' });
  const server = createServer((socket) => {
    const onward = connect(Number(behind.url.port), '127.0.0.1');
    onward.on('error', () => undefined).pipe(socket);
    socket.on('error', () => undefined).pipe(onward);
    socket.once('close', () => onward.destroy());
    socket.once('data', (bytes: Buffer) => {
      if (!bytes.toString('latin1').startsWith(`${method} /raw`)) return;
      const late = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
      onward.once('data', () => setTimeout(() => socket.write(late), 100));
    });
  });
  const chosen = checks.filter((check) => check.id === id);
  const proxy = await listening(server, 'http');
  const { results } = await started().run(proxy, chosen, await knownFacts());
  await behind.close();
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([
    ['fail', 'bytes after its end'],
  ]);
});

test('empty content whose end does not arrive has not arrived', async () => {
  const behind = await started().gateway({ scheme: 'http' });
  const server = createServer((socket) => {
    const onward = connect(Number(behind.url.port), '127.0.0.1');
    onward.on('error', () => undefined).resume();
    socket.on('error', () => undefined).once('close', () => onward.destroy());
    socket.on('data', (bytes: Buffer) => {
      onward.write(bytes.toString('latin1').replace(/0\r\n\r\n$/, ''), 'latin1');
      setTimeout(() => onward.destroy(), 100);
    });
  });
  const chosen = checks.filter(({ id }) => id === 'content/upload-empty-unknown-length');
  const proxy = await listening(server, 'http');
  const { results } = await started().run(proxy, chosen, await knownFacts(), 500);
  await behind.close();
  expect(results.map(({ outcome, expected, found }) => [outcome, expected, found])).toEqual([
    ['fail', 'the content arrives', 'no response (timeout)'],
  ]);
});

test('a chunk is waited for while the origin has refused its size, as by tinyproxy 1.11', async () => {
  const server = createServer((socket) => {
    const onward = connect(started().originPort, '127.0.0.1');
    onward.on('error', () => undefined);
    socket.on('error', () => undefined).once('close', () => onward.destroy());
    socket.on('data', (bytes: Buffer) => {
      onward.write(bytes);
      if (bytes.includes('10000000000000002')) onward.resume();
      else onward.pipe(socket);
    });
  });
  const chosen = checks.filter(({ id }) => id === 'framing/chunk-size-overflow');
  const proxy = await listening(server, 'http');
  const { results } = await started().run(proxy, chosen, await knownFacts(), 500);
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([
    ['pass', 'waits for the rest'],
  ]);
});

test('103 in the segment of a response is not judged by a connection that the origin has closed after it', async () => {
  // Reuses a connection that is closed without Connection: close, and answers 502 then, as Jetty 12.1 at times.
  let isStale = false;
  const server = createServer((socket) => {
    const onward = connect(started().originPort, '127.0.0.1');
    onward.on('error', () => undefined).pipe(socket);
    socket.on('error', () => undefined).once('close', () => onward.destroy());
    socket.on('data', (bytes: Buffer) => {
      const isRaw = bytes.includes(' /raw');
      if (isRaw && isStale) socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      else onward.write(bytes);
      isStale = false;
      onward.once('data', (received: Buffer) => {
        isStale = isRaw && !received.includes('Connection: close');
      });
    });
  });
  const ids = ['interim/103', 'interim/103-forwarded', 'interim/103-joined'];
  const chosen = checks.filter(({ id }) => ids.includes(id));
  const proxy = await listening(server, 'http');
  const { results } = await started().run(proxy, chosen, await knownFacts(), 3000);
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'pass']));
});
