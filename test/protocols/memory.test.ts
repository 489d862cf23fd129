import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { endpoint } from '../../src/http/endpoint.ts';
import { int } from '../../src/http/params.ts';
import { reply } from '../../src/http/reply.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import { isHttp2, isSecure, openClient, transports, type Client } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { GET, openSocket } from '../_raw.ts';

const MB = 1_000_000;
const declared = {
  methods: 'any',
  group: 'content',
  summary: '',
  responses: {},
} as const;

/** Waits for the test with its content. */
function kept(answers: (() => void)[]) {
  return endpoint({
    ...declared,
    id: 'kept',
    path: '/kept',
    content: true,
    params: {},
    handle: ({ content }) =>
      new Promise((resolve) => {
        answers.push(() => resolve(reply('text/plain', String(content.length))));
      }),
  });
}

const filled = endpoint({
  ...declared,
  id: 'filled',
  path: '/filled/{n}',
  params: { n: int({ min: 0, max: 100 * MB }) },
  handle: ({ params: { n } }) => reply('text/plain', Buffer.alloc(n)),
});

interface Place {
  readonly adapters: Adapters;
  readonly client: Client;
  readonly answers: (() => void)[];
}

async function open(transport: Client['transport']): Promise<Place> {
  const answers: (() => void)[] = [];
  const limits = { maxBodySize: 8 * MB, maxContentMemory: 22, maxSessionMemory: 64 };
  const adapters = await startAdapters(limits, [kept(answers), filled]);
  const client = openClient(transport, adapters.port);
  onTestFinished(() => {
    client.close();
    adapters.close();
  });
  return { adapters, client, answers };
}

/** Asks for an answer and takes none of it. @returns what goes */
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

test.each(transports)('%s: contents that are kept leave no room for more', async (transport) => {
  const { adapters, answers, client } = await open(transport);
  const holders = [0, 1].map(() => openClient(transport, adapters.port));
  onTestFinished(() => holders.forEach((holder) => holder.close()));
  const content = Buffer.alloc(8 * MB);
  const headers = { 'content-length': String(content.length) };
  const post = { method: 'POST', body: content, headers };
  const holding = holders.map((holder) => holder.request('/kept', post));
  await until(() => answers.length === 2);
  const refused = await client.request('/kept', post);
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  expect(JSON.parse(refused.body.toString())).toMatchObject({ type: '/problems/overloaded' });
  expect((await client.request('/healthz')).status).toBe(200);
  const small = client.request('/kept', { method: 'POST', body: 'small' });
  await until(() => answers.length === 3);
  for (const answer of answers) answer();
  expect((await small).body.toString()).toBe('5');
  for (const held of holding) expect((await held).body.toString()).toBe(String(8 * MB));
  const next = client.request('/kept', post);
  await until(() => answers.length === 4);
  answers[3]?.();
  expect((await next).status).toBe(200);
  expect(adapters.defects).toEqual([]);
});

test.each(transports)('%s: an answer that nobody takes leaves no room', async (transport) => {
  const { adapters, client } = await open(transport);
  const target = `/filled/${20 * MB}`;
  const go = await askOnly(transport, adapters.port, target);
  await until(() => adapters.outcomes.includes(200));
  expect((await client.request(target)).status).toBe(503);
  expect((await client.request(`/filled/${64 * 1024}`)).status).toBe(200);
  go();
  await pause(100);
  const answer = await client.request(target);
  expect([answer.status, answer.body.length]).toEqual([200, 20 * MB]);
  expect(adapters.defects).toEqual([]);
});

test.each(transports)('%s: what has been taken makes room again', async (transport) => {
  const { client } = await open(transport);
  for (let count = 0; count < 5; count++) {
    expect((await client.request(`/filled/${20 * MB}`)).body).toHaveLength(20 * MB);
  }
});
