import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { int } from '../../src/server/params.ts';
import { pullSource, repeatable } from '../../src/server/payload.ts';
import { reply } from '../../src/server/reply.ts';
import { settled, startAdapters, until, type Adapters, type GivenLimits } from '../_adapters.ts';
import { isHttp2, isSecure, openClient, transports, type Client } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, openSocket, statusesOf } from '../_raw.ts';

const MB = 1_000_000;
const declared = {
  methods: 'any',
  group: 'content',
  summary: '',
  responses: {},
} as const;

/** TLS makes a difference only to how much of a response a client that does not read leaves unsent. */
const protocols = ['http/1.1', 'h2'] as const;

/** Keeps its content until the test lets it respond. */
function kept(responses: (() => void)[]) {
  return endpoint({
    ...declared,
    path: '/kept',
    content: true,
    handle: ({ content }) =>
      new Promise((resolve) => {
        responses.push(() => resolve(reply('text/plain', String(content.length))));
      }),
  });
}

const filled = endpoint({
  ...declared,
  path: '/filled/{n}',
  params: { n: int({ min: 0, max: 100 * MB }) },
  handle: ({ params: { n } }) => reply('text/plain', Buffer.alloc(n)),
});

interface Place {
  readonly adapters: Adapters;
  readonly client: Client;
  readonly responses: (() => void)[];
}

const CONTENT = 3 * MB;
const POST = {
  method: 'POST',
  body: Buffer.alloc(CONTENT),
  headers: { 'content-length': String(CONTENT) },
};
/** Two contents fit in memory. */
const CONTENTS = { maxContentMemory: 8 };
/** One response fits in memory. */
const RESPONSE = 3 * MB;
const RESPONSES = { maxContentMemory: 4 };

async function open(transport: Client['transport'], given: GivenLimits): Promise<Place> {
  const responses: (() => void)[] = [];
  const limits = { maxBodySize: CONTENT, maxOpenRequests: 100, ...given };
  const adapters = await startAdapters(limits, [kept(responses), filled]);
  const client = openClient(transport, adapters.port);
  return { adapters, client, responses };
}

/** Requests a response and reads none of it. @returns a function that disconnects */
async function askOnly(transport: Client['transport'], port: number, target: string) {
  const secure = isSecure(transport);
  if (isHttp2(transport)) {
    const socket = await openSocket(port, secure ? ['h2'] : undefined);
    new h2.FrameClient(socket).send(h2.get(1, target));
    return () => socket.destroy();
  }
  const socket = await openSocket(port, secure ? ['http/1.1'] : undefined);
  socket.pause().write(GET(target));
  return () => socket.destroy();
}

test.each(protocols)('%s: request contents in memory leave no room for more', async (transport) => {
  const { adapters, responses, client } = await open(transport, CONTENTS);
  const holders = [0, 1].map(() => openClient(transport, adapters.port));
  onTestFinished(() => holders.forEach((holder) => holder.close()));
  const holding = holders.map((holder) => holder.request('/kept', POST));
  await until(() => responses.length === 2);
  const refused = await client.request('/kept', POST);
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  expect(JSON.parse(refused.body.toString())).toMatchObject({ type: '/problems/overloaded' });
  expect((await client.request('/healthz')).status).toBe(200);
  const small = client.request('/kept', { method: 'POST', body: 'small' });
  await until(() => responses.length === 3);
  for (const respond of responses) respond();
  expect((await small).body.toString()).toBe('5');
  for (const held of holding) expect((await held).body.toString()).toBe(String(CONTENT));
  const next = client.request('/kept', POST);
  await until(() => responses.length === 4);
  responses[3]?.();
  expect((await next).status).toBe(200);
  expect(adapters.defects).toEqual([]);
});

test.each(protocols)(
  '%s: memory of content is reserved while it is processed',
  async (transport) => {
    const { adapters, responses, client } = await open(transport, CONTENTS);
    const leavers = [0, 1].map(() => openClient(transport, adapters.port));
    const leaving = leavers.map((leaver) => leaver.request('/kept', POST).catch(() => 'left'));
    await until(() => responses.length === 2);
    for (const leaver of leavers) leaver.leave();
    await Promise.all(leaving);
    await settled(adapters);
    expect((await client.request('/kept', POST)).status).toBe(503);
    for (const respond of responses) respond();
    const next = client.request('/kept', POST);
    await until(() => responses.length === 3);
    responses[2]?.();
    expect((await next).status).toBe(200);
    expect(adapters.defects).toEqual([]);
  },
);

test.each(transports)('%s: a response that is not read leaves no room', async (transport) => {
  // The kernel takes some of a response over HTTP/1.1; over HTTP/2, none beyond the window.
  const size = isHttp2(transport) ? RESPONSE : 20 * MB;
  const { adapters, client } = await open(transport, { maxContentMemory: size / MB + 1 });
  const target = `/filled/${size}`;
  const go = await askOnly(transport, adapters.port, target);
  await until(() => adapters.outcomes.includes(200));
  expect((await client.request(target)).status).toBe(503);
  expect((await client.request(`/filled/${64 * 1024}`)).status).toBe(200);
  go();
  await settled(adapters);
  const response = await client.request(target);
  expect([response.status, response.body.length]).toEqual([200, size]);
  expect(adapters.defects).toEqual([]);
});

test.each(protocols)('%s: a response that was read makes room again', async (transport) => {
  const { client } = await open(transport, RESPONSES);
  for (let count = 0; count < 2; count++) {
    expect((await client.request(`/filled/${RESPONSE}`)).body).toHaveLength(RESPONSE);
  }
});

test.each(protocols)('%s: requests above the limit of open requests', async (transport) => {
  const { adapters, client } = await open(transport, { maxOpenRequests: 2 });
  const others = [0, 1, 2].map(() => openClient(transport, adapters.port));
  onTestFinished(() => others.forEach((other) => other.close()));
  const holding = others.slice(0, 2).map((other) => other.request('/hold'));
  await until(() => adapters.held.length === 2);
  for (const sent of [{}, { method: 'POST', body: Buffer.alloc(MB) }]) {
    const refused = await client.request('/hold', sent);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.body).toHaveLength(0);
  }
  for (const held of adapters.held) held.respond();
  for (const held of holding) expect((await held).status).toBe(200);
  expect((await client.request('/healthz')).status).toBe(200);
  expect(adapters.defects).toEqual([]);
});

test('one connection does not take all places of open requests', async () => {
  const adapters = await startAdapters({ maxOpenRequests: 10 });
  const greedy = new h2.FrameClient(await openSocket(adapters.port));
  const others = [openClient('h2c', adapters.port), openClient('http/1.1', adapters.port)];
  onTestFinished(() => {
    others.forEach((other) => other.close());
  });
  greedy.send(...Array.from({ length: 11 }, (_, at) => h2.get(1 + 2 * at, '/hold')));
  await until(() => greedy.got(h2.HEADERS).length === 2);
  expect(adapters.held).toHaveLength(9);
  const [first, second] = others.map((other) => other.request('/hold'));
  await until(() => adapters.held.length === 10);
  expect((await Promise.race([first, second]))?.status).toBe(503);
  for (const held of adapters.held) held.respond();
  await Promise.all([first, second]);
});

test.each(protocols)('%s: the fields of open requests are counted', async (transport) => {
  const { adapters } = await open(transport, { maxContentMemory: 1 });
  const headers = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x${at}`, 'y']));
  const clients = [0, 1, 2, 3].map(() => openClient(transport, adapters.port));
  onTestFinished(() => clients.forEach((client) => client.close()));
  const [last, ...others] = clients;
  const holding = others.map((client) => client.request('/hold', { headers }));
  await until(() => adapters.held.length === 3);
  expect((await last?.request('/hold', { headers }))?.status).toBe(503);
  for (const held of adapters.held) held.respond();
  for (const held of holding) expect((await held).status).toBe(200);
  expect((await last?.request('/healthz', { headers }))?.status).toBe(200);
});

/** Statuses of requests whose trailers have 900 lines. They stay open, but for one that is refused. */
async function withTrailers(transport: string, path: string, port: number): Promise<() => string> {
  const lines = Array.from({ length: 900 }, (_, at) => [`x${at}`, 'y']);
  if (transport === 'http/1.1') {
    const socket = await openSocket(port);
    let received = '';
    socket.on('data', (piece: Buffer) => (received += piece.toString('latin1')));
    const trailers = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n${trailers}\r\n`,
    );
    return () => statusesOf(received).join();
  }
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': path }, { waitForTrailers: true });
  let status = '';
  stream.on('wantTrailers', () => stream.sendTrailers(Object.fromEntries(lines)));
  stream.on('response', (headers) => (status = String(headers[':status'])));
  stream.on('error', () => undefined).resume();
  stream.end('x');
  return () => status;
}

test.each(protocols.flatMap((transport) => ['/kept', '/hold'].map((path) => [transport, path])))(
  '%s %s: the trailers of open requests are counted',
  async (transport = '', path = '') => {
    const { adapters, responses } = await open('h2', { maxContentMemory: 1 });
    const statuses = await Promise.all(
      [0, 1, 2, 3].map(() => withTrailers(transport, path, adapters.port)),
    );
    await until(() => statuses.some((status) => status() !== ''));
    expect(statuses.map((status) => status()).toSorted()).toEqual(['', '', '', '503']);
    for (const held of adapters.held) held.respond();
    responses.forEach((respond) => respond());
    await until(() => statuses.every((status) => status() !== ''));
    expect(statuses.map((status) => status()).toSorted()).toEqual(['200', '200', '200', '503']);
    const late = await withTrailers(transport, '/healthz', adapters.port);
    await until(() => late() === '405');
  },
);

test.each([
  ['h2c', undefined],
  ['h2', ['h2']],
])('%s: a refused request need not complete its content', async (_, alpn) => {
  const adapters = await startAdapters({ maxOpenRequests: 1 });
  const client = new h2.FrameClient(await openSocket(adapters.port, alpn));
  client.send(h2.get(1, '/hold'), h2.post(3, '/hold'));
  await until(() => client.reset(3) === 0);
  expect(client.isDone(3)).toBe(true);
  expect(client.got(h2.HEADERS, 1)).toHaveLength(0);
});

test('a request on a half-closed connection is refused in favor of others', async () => {
  const { adapters, responses, client } = await open('http/1.1', CONTENTS);
  const head = `POST /kept HTTP/1.1\r\nHost: x\r\nContent-Length: ${CONTENT}\r\n\r\n`;
  const received = [0, 1].map(async () => {
    const socket = await openSocket(adapters.port);
    const response = converse(socket, head);
    socket.end(POST.body);
    return response;
  });
  await until(() => responses.length === 2);
  const third = client.request('/kept', POST);
  await until(() => responses.length === 3);
  expect(statusesOf(await Promise.race(received))).toEqual([503]);
  responses.forEach((respond) => respond());
  expect((await third).status).toBe(200);
  const statuses = (await Promise.all(received)).flatMap((text) => statusesOf(text));
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 503]);
});

test('https/1.1: shared pieces are smaller while many requests are open, because TLS copies them', async () => {
  const KiB = 1024;
  const length = 1024 * KiB;
  const memory = Buffer.alloc(length);
  const asked: number[] = [];
  const next = (size: number): Uint8Array => {
    asked.push(size);
    return memory.subarray(0, size);
  };
  const path = '/shared';
  const handle = () =>
    reply(
      'text/plain',
      repeatable(() => pullSource(length, next, true)),
    );
  const adapters = await startAdapters({}, [endpoint({ ...declared, path, handle })]);
  const client = openClient('https/1.1', adapters.port);
  expect((await client.request(path)).body).toHaveLength(length);
  expect(asked[0]).toBe(256 * KiB);
  const others = new TcpConnection(new Socket());
  for (let at = 0; at < 1000; at++) others.requests.nextNumber();
  onTestFinished(() => {
    for (let at = 0; at < 1000; at++) others.requests.noteFinished();
  });
  asked.length = 0;
  expect((await client.request(path)).body).toHaveLength(length);
  // A rest of at most two windows is one piece.
  expect(asked).toEqual([...Array.from({ length: 14 }, () => 64 * KiB), 128 * KiB]);
});
