import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JournalView } from '../../src/telemetry/journal/entry.ts';
import { alpnOf, isHttp2, openClient, transports } from '../_client.ts';
import { everywhere, overOneProtocol } from '../_everywhere.ts';
import * as h2 from '../_frames.ts';
import { until } from '../_adapters.ts';
import { converse, GET, openPair, openSocket, POST } from '../_raw.ts';
import { startService } from '../_service.ts';
import { ask, journalOf } from '../_walk.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

everywhere(({ transport, client, running }) => {
  const post = async (key: string, target: string, body: string) =>
    client().request(target, { method: 'POST', headers: { 'x-wirebin-journal': key }, body });
  const read = (key: string, query?: string) => journalOf(running().port, key, query);
  const protocol = transport;

  test('a request without content has all of it', async () => {
    await client().request('/get', { headers: { 'x-wirebin-journal': 'none' } });
    const { entries } = await read('none', '?wait=1&until=ended');
    expect(entries).toMatchObject([{ content: { octets: 0, sha256: sha256(''), complete: true } }]);
  });

  test.each([
    ['read', '/anything?a=b&token=secret', 240_000],
    ['streamed', '/upload', 240_000],
    // Node's HTTP/2 client sends no more after the response.
    ['not read', '/status/200', 1000],
    ['of no path', '/nowhere', 1000],
  ])('content that is %s', async (name, target, size) => {
    const key = name.replaceAll(' ', '-');
    const body = 'wirebin '.repeat(size / 8);
    const { status, body: sent } = await post(key, target, body);
    const journal = await read(key, '?wait=1&until=ended');
    expect(journal).toMatchObject({ key, attempts: 0, count: 1, entries_left_out: 0 });
    const [entry] = journal.entries;
    expect(entry).toMatchObject({
      protocol,
      method: 'POST',
      target: target.replace('secret', '[redacted]'),
      content: { octets: body.length, sha256: sha256(body), complete: true },
      response: { status, octets: sent.length },
      outcome: 'sent',
    });
    expect(entry?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(entry?.raw_headers.map(([field]) => field?.toLowerCase())).toContain(
      'x-wirebin-journal',
    );
    expect(JSON.stringify(entry)).not.toContain('secret');
    expect(typeof entry?.stream).toBe(isHttp2(transport) ? 'number' : 'undefined');
  });

  test('requests of a connection, and no others', async () => {
    const other = openClient(transport, running().port);
    for (const key of ['mine', undefined, 'mine']) {
      await other.request('/get', {
        headers: key === undefined ? {} : { 'x-wirebin-journal': key },
      });
    }
    other.close();
    const { entries } = await read('mine');
    expect(entries.map(({ request }) => request)).toEqual([1, 3]);
    expect(new Set(entries.map(({ conn }) => conn)).size).toBe(1);
    expect(entries.every(({ content }) => content.sha256 === sha256(''))).toBe(true);
  });

  test('DELETE shows the entries a last time', async () => {
    await post('gone', '/post', 'a');
    const { body } = await client().request('/journal/gone', { method: 'DELETE' });
    expect(JSON.parse(body.toString())).toMatchObject({ count: 1 });
    expect(await read('gone')).toMatchObject({ count: 0, entries: [] });
  });

  test('a journal that is longer than a page, and parts of it', async () => {
    const count = 12;
    const headers = { 'x-wirebin-journal': 'long', 'x-long': 'x"'.repeat(1900) };
    for (let at = 1; at <= count; at++) await client().request(`/status/${200 + at}`, { headers });
    await read('long', `?wait=${count}&until=ended`);
    const { body } = await client().request('/journal/long');
    const whole = JSON.parse(body.toString()) as JournalView;
    expect(body.toString()).toBe(`${JSON.stringify(whole, null, 2)}\n`);
    expect(whole.next).toBeUndefined();
    expect(whole.entries.map(({ target }) => target)).toEqual(
      Array.from({ length: count }, (_, at) => `/status/${201 + at}`),
    );
    const parts = ['?limit=2', '?after=2&limit=9', '?after=11&limit=9'].map(async (query) => {
      const { entries, next } = await read('long', query);
      return [entries, next];
    });
    const { entries } = whole;
    expect(await Promise.all(parts)).toEqual([
      [entries.slice(0, 2), 2],
      [entries.slice(2, 11), 11],
      [entries.slice(11), undefined],
    ]);
    const deleted = await client().request('/journal/long', { method: 'DELETE' });
    expect(JSON.parse(deleted.body.toString())).toEqual(whole);
    expect(await read('long')).toMatchObject({ count: 0 });
  });

  test('a wait that is reached, one that is not, and one that is abandoned', async () => {
    const reached = read('awaited', '?wait=2&timeout=30');
    const abandoned = openClient(transport, running().port);
    const gone = abandoned.request('/journal/never?wait=1&timeout=60').catch(() => 'gone');
    await post('awaited', '/post', 'a');
    expect(await read('awaited', '?wait=2&timeout=0.01')).toMatchObject({ count: 1 });
    await post('awaited', '/post', 'b');
    expect(await reached).toMatchObject({ count: 2 });
    abandoned.leave();
    expect(await gone).toBe('gone');
  });

  test('a request that ends in its content', async () => {
    const { port } = running();
    const { clear, socket } = await openPair(port, alpnOf(transport));
    const frames = isHttp2(transport) ? new h2.FrameClient(socket) : undefined;
    const key = 'cut';
    if (frames) {
      frames.send(
        h2.post(1, '/post', ['x-wirebin-journal', key], ['content-length', '100']),
        h2.frame(h2.DATA, 0, 1, Buffer.from('abc')),
      );
    } else
      socket.write(POST('/post', `Content-Length: 100\r\nX-Wirebin-Journal: ${key}\r\n`, 'abc'));
    await read(key, '?wait=1');
    // The content may arrive after the header section.
    for (let octets = 0; octets < 3;) {
      const { entries } = await read(key);
      octets = entries[0]?.content.octets ?? 0;
      expect(entries).toMatchObject([{ outcome: null, response: null }]);
    }
    if (frames) frames.send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)));
    else clear.resetAndDestroy();
    const { entries } = await read(key, '?wait=1&until=ended');
    socket.destroy();
    const cause = isHttp2(transport)
      ? { by: 'client', reason: 'stream-reset', error_code: 'CANCEL' }
      : { by: 'client', reason: 'reset' };
    const content = { octets: 3, sha256: sha256('abc'), complete: false };
    expect(entries).toMatchObject([{ content, response: null, outcome: 'disconnected', cause }]);
  });

  test('content that arrives after the response', async () => {
    const { port } = running();
    const socket = await openSocket(port, alpnOf(transport));
    const key = 'late';
    if (isHttp2(transport)) {
      const frames = new h2.FrameClient(socket);
      frames.send(h2.post(1, '/status/200', ['x-wirebin-journal', key]));
      await until(() => frames.isDone(1));
      frames.send(h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from('late')));
    } else {
      const head = POST('/status/200', `Content-Length: 4\r\nX-Wirebin-Journal: ${key}\r\n`);
      await converse(socket, head, (text) => text.endsWith('}\n'));
      expect((await read(key)).entries).toMatchObject([{ content: { complete: false } }]);
      socket.write('late');
    }
    for (let complete = false; !complete;) {
      const { entries } = await read(key);
      complete = entries[0]?.content.complete ?? false;
    }
    expect((await read(key, '?wait=1&until=ended')).entries).toMatchObject([
      { content: { octets: 4, sha256: sha256('late') }, outcome: 'sent' },
    ]);
  });
});

overOneProtocol(({ client }) => {
  test.each([
    ['/journal/a%20b', 'key'],
    [`/journal/${'k'.repeat(129)}`, 'key'],
    ['/journal/k?wait=-1', 'wait'],
    ['/journal/k?until=later', 'until'],
    ['/journal/k?timeout=61', 'timeout'],
  ])('%s: 400 names %s', async (target, name) => {
    const { status, body } = await client().request(target);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(`${name}=`)]);
  });
});

const start = async (...args: string[]) => (await startService(...args)).port;

describe('of a service of its own', () => {
  test('requests that were queued have all of their content', async () => {
    const port = await start();
    const socket = await openSocket(port);
    const count = 60;
    const bodies = Array.from({ length: count }, (_, at) => `${at} `.repeat(10));
    const requests = bodies.map((body) =>
      POST('/status/200', `Content-Length: ${body.length}\r\nX-Wirebin-Journal: queued\r\n`, body),
    );
    const all = GET('/delay/0.2') + requests.join('');
    await converse(socket, all, (text) => text.split('"status"').length > count);
    const { entries } = await journalOf(port, 'queued', `?wait=${count}&until=ended`);
    const digests = entries.map(({ content }) => [content.sha256, content.complete]);
    expect(digests).toEqual(bodies.map((body) => [sha256(body), true]));
  });

  test.each([
    [['--journal-secrets'], 4],
    [[], 0],
  ])('secrets, with %j', async (args, count) => {
    const port = await start(...args);
    const secret = { authorization: 'Bearer shown', cookie: 'shown' };
    const headers = { 'x-wirebin-journal': 'k', ...secret, 'x-plain': 'b' };
    await ask('h2', port, '/get?token=shown', { headers });
    const { entries } = await journalOf(port, 'k');
    expect(JSON.stringify(entries).match(/shown/g) ?? []).toHaveLength(count);
    expect(entries[0]?.raw_headers).toContainEqual(['x-plain', 'b']);
  });

  test('the name of the instance', async () => {
    const port = await start('--name', 'blue');
    await ask('h2', port, '/get', { headers: { 'x-wirebin-journal': 'k' } });
    const { entries } = await journalOf(port, 'k');
    expect(entries).toMatchObject([{ instance: 'blue' }]);
    expect(entries[0]).not.toHaveProperty('worker');
  });

  test('nothing with --disable /journal, but /retry works', async () => {
    const port = await start('--disable', '/journal');
    const headers = { 'x-wirebin-journal': 'k' };
    for (const expected of [503, 200]) {
      expect((await ask('h2', port, '/retry/k', { headers })).status).toBe(expected);
    }
    expect((await ask('h2', port, '/journal/k')).status).toBe(404);
  });

  test('gateway-api counts attempts of /retry, and keeps no entries', async () => {
    const { port, service } = await startService('--dialect', 'gateway-api');
    const headers = { 'x-wirebin-journal': 'k' };
    await ask('http/1.1', port, '/retry/x?uuid=k&succeedAfter=0', { headers });
    expect(await service.journal?.read('k', 0, 10)).toMatchObject({ attempts: 1, count: 0 });
  });

  test.each(['httpbin', 'go-httpbin', 'postman-echo'])('%s has no journal', async (dialect) => {
    const { port, service } = await startService('--dialect', dialect);
    const headers = { 'x-wirebin-journal': 'k' };
    expect((await ask('http/1.1', port, '/get', { headers })).status).toBe(200);
    expect(service.journal).toBeUndefined();
  });

  test('responses of other dialects', async () => {
    const port = await start();
    const headers = { 'x-wirebin-journal': 'k' };
    await ask('h2c', port, '/get?dialect=httpbin', { headers });
    expect(await journalOf(port, 'k')).toMatchObject({ entries: [{ response: { status: 200 } }] });
  });

  test.each(transports)('%s: limits', async (transport) => {
    const port = await start('--journal-entries', '3', '--journal-keys', '2');
    const client = openClient(transport, port);
    const visit = async (key: string) =>
      client.request('/healthz', { headers: { 'x-wirebin-journal': key } });
    for (let count = 0; count < 5; count++) await visit('a');
    expect(await journalOf(port, 'a')).toMatchObject({ count: 5, entries_left_out: 2 });
    await visit('b');
    await visit('c');
    const kept = ['a', 'b', 'c'].map(async (key) => (await journalOf(port, key)).count);
    expect(await Promise.all(kept)).toEqual([0, 1, 1]);
  });

  test('by default an entry is kept while all checks of a run have theirs', async () => {
    const client = openClient('http/1.1', await start());
    // `wirebin check` uses 2,500 keys in 20 s, and asks for the entry of a request after a timeout of 10 s.
    for (let first = 0; first < 3000; first += 20) {
      const keys = Array.from({ length: 20 }, (_, at) => `check-${first + at}`);
      const visits = keys.map((key) =>
        client.request('/healthz', { headers: { 'x-wirebin-journal': key } }),
      );
      await Promise.all(visits);
    }
    const { body } = await client.request('/journal/check-0');
    expect(JSON.parse(String(body))).toMatchObject({ count: 1 });
  });
});
