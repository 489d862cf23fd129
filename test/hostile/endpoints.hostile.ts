import type { Socket } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { table } from '../../bench/report.ts';
import { DIALECT_NAMES, type DialectName } from '../../src/server/dialect.ts';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import { extremeTargets } from '../_extremes.ts';
import {
  END_HEADERS,
  END_STREAM,
  fieldBlock,
  frame,
  FrameClient,
  HEADERS,
  PING,
  PREFACE,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../_frames.ts';
import { operationsOf, type Operation, type Operations, type Parameter } from '../_openapi.ts';
import { exchange, GET, LAST, openSocket } from '../_raw.ts';
import { besieged, TRIES, type Toll } from './_siege.ts';
import { echoOf } from '../_echo.ts';

// Every endpoint of every dialect, with the largest and the smallest values of its parameters, by
// clients that take no more of the responses than a window. They are read from what the service documents, so that
// a new one is attacked unasked. The short form attacks several endpoints at once; the long form each alone and in
// all ways, and it writes the table.

/** A path for the long form of one alone. */
const ONLY = process.env['HOSTILE_ENDPOINTS'];
const IS_LONG = ONLY !== undefined;
const PAGE = new URL('../../docs/measured/hostile-endpoints.md', import.meta.url);

const BOUND: Toll = { memory: 300, wait: IS_LONG ? 1500 : 400 };

/** Endpoints that are attacked together. */
const ENDPOINTS = IS_LONG ? 1 : 4;
const STREAMS = 250;
/** Combinations of parameters that are asked for together. */
const TOGETHER = IS_LONG ? 24 : Infinity;
/** Milliseconds in which a service has read what they ask for, whatever it holds up. */
const HEARD = 60_000;
/** Connections of HTTP/1.1 with a request each. */
const CONNECTIONS = IS_LONG ? 250 : 50;
/** Milliseconds that clients stay. */
const STAY = IS_LONG ? 500 : 50;
/** Times that clients come and leave at once. */
const ROUNDS = IS_LONG ? 2 : 1;

/** 28 KB in JSON, with what is in the target. */
const LONG_FIELD = '"'.repeat(14_000);
/** As large as content can be that is not counted, and six times that in JSON. */
const CONTENT = '\0'.repeat(60_000);

/** What waits on HTTP/1.1 for a client that has ended its side, and may have gone, does so to its end. */
const MAX_DURATION = 5;

const siege = besieged(
  [
    `--max-duration=${MAX_DURATION}`,
    '--metrics-enabled',
    '--tap',
    '--allow-raw',
    '--hostname-enabled',
    '--env-prefix=HOSTILE_',
  ],
  { heap: 1024, connects: true, inspectMemory: 16 },
);
/** What is asked for of endpoints that show what others did. */
const JOURNAL = 'hostile';
let story = '1';

beforeAll(async () => {
  story = await leaveTraces();
});

/** Fills a journal and the story of a connection. @returns the id of the connection */
async function leaveTraces(): Promise<string> {
  const client = openClient('h2c', siege.port);
  const fields = { 'x-wirebin-journal': JOURNAL, 'x-long': 'x'.repeat(3900) };
  for (let at = 0; at < 100; at++) await client.request('/status/204', { headers: fields });
  const { body } = await client.request('/get');
  client.close();
  return echoOf(body).conn.id;
}

interface Asked {
  readonly method: string;
  readonly accept: string | undefined;
  readonly target: string;
  readonly hasContent: boolean;
}

interface Clients {
  /** Waits until the service has read all that they ask for. */
  heard(): Promise<unknown>;
  leave(): void;
}
type Come = (asked: readonly Asked[]) => Promise<Clients>;

/** The request of a number: all of them over and over, every other time with a long field. */
function requestOf(asked: readonly Asked[], at: number): Asked & { readonly isLong: boolean } {
  const one = asked[at % asked.length];
  if (!one) throw new Error('there is nothing to ask');
  return { ...one, isLong: Math.floor(at / asked.length) % 2 === 1 };
}

function streams(window: number): Come {
  const initialWindow = Buffer.concat([Buffer.from([0, 4]), uint32(window)]);
  const connectionWindow = frame(WINDOW_UPDATE, 0, 0, uint32(2 ** 30));
  const opening = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, initialWindow), connectionWindow]);
  return async (asked) => {
    const client = new FrameClient(await openSocket(siege.port), opening);
    const frames = Array.from({ length: STREAMS }, (_, at) => {
      const { method, target, accept, isLong } = requestOf(asked, at);
      const block = fieldBlock([
        [':method', method],
        [':scheme', 'http'],
        [':authority', 'x'],
        [':path', target],
        ...(accept === undefined ? [] : ([['accept', accept]] as const)),
        ...(isLong ? ([['x-long', LONG_FIELD]] as const) : []),
      ]);
      return headers(2 * at + 1, block);
    });
    await written(client.socket, Buffer.concat([...frames, frame(PING, 0, 0, Buffer.alloc(8))]));
    return {
      heard: () => until(() => client.ended || client.got(PING).length > 0, 'PING', HEARD),
      leave: () => client.socket.destroy(),
    };
  };
}

const MAX_FRAME = 16_384;
const CONTINUATION = 9;

function headers(stream: number, block: Buffer): Buffer {
  const first = block.subarray(0, MAX_FRAME);
  const rest = block.subarray(MAX_FRAME);
  if (rest.length === 0) return frame(HEADERS, END_HEADERS | END_STREAM, stream, first);
  const begin = frame(HEADERS, END_STREAM, stream, first);
  return Buffer.concat([begin, frame(CONTINUATION, END_HEADERS, stream, rest)]);
}

const connections: Come = async (asked) => {
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, at) => {
      const { method, target, accept, hasContent, isLong } = requestOf(asked, at);
      const content = hasContent ? CONTENT : '';
      const length = content === '' ? '' : `Content-Length: ${content.length}\r\n`;
      const accepts = accept === undefined ? '' : `Accept: ${accept}\r\n`;
      const fields = `${accepts}${length}${isLong ? `X-Long: ${LONG_FIELD}\r\n` : ''}`;
      const socket = (await openSocket(siege.port)).pause();
      await written(socket, `${method} ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n${content}`);
      return socket;
    }),
  );
  return {
    heard: () => exchange(siege.port, GET('/healthz', LAST)),
    leave: () => sockets.forEach((socket) => socket.destroy()),
  };
};

/** Once the system has it, or the service has closed the connection. */
function written(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
  });
}

async function stay(come: Come, asked: readonly Asked[]): Promise<void> {
  const clients = await come(asked);
  await clients.heard();
  await pause(STAY);
  clients.leave();
}

async function leaveAtOnce(come: Come, asked: readonly Asked[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) (await come(asked)).leave();
}

const ways: Readonly<Record<string, (asked: readonly Asked[]) => Promise<void>>> = IS_LONG
  ? {
      'windows of 0': (asked) => stay(streams(0), asked),
      'windows of 0, left at once': (asked) => leaveAtOnce(streams(0), asked),
      'windows of 1': (asked) => stay(streams(1), asked),
      'windows of 1, left at once': (asked) => leaveAtOnce(streams(1), asked),
      'windows of 64 KiB': (asked) => stay(streams(2 ** 16), asked),
      'HTTP/1.1': (asked) => stay(connections, asked),
      'HTTP/1.1, left at once': (asked) => leaveAtOnce(connections, asked),
    }
  : {
      all: async (asked) => {
        await stay(streams(0), asked);
        await stay(streams(2 ** 16), asked);
        await leaveAtOnce(connections, asked);
      },
    };

const anything = { name: 'any', in: 'query', schema: { type: 'object' } };

/** What gateway-api has: it documents nothing. */
const UNDOCUMENTED: Operations = {
  '/{path}': {
    get: operation(
      { name: 'path', in: 'path', schema: { type: 'string' }, example: 'x' },
      { name: 'delay', in: 'query', schema: { enum: ['1ms', `${MAX_DURATION}s`] } },
      anything,
    ),
    post: operation(anything),
  },
  '/health': { get: operation(anything) },
  '/status/{code}': {
    get: operation({ name: 'code', in: 'path', schema: { enum: [200, 599] } }, anything),
  },
};

function operation(...parameters: Parameter[]): Operation {
  return { operationId: '', tags: [], parameters, responses: {} };
}

async function documented(dialect: DialectName): Promise<Operations> {
  const client = openClient('http/1.1', siege.port);
  const { body } = await client.request(`/openapi.json?dialect=${dialect}`);
  client.close();
  return operationsOf(JSON.parse(body.toString()));
}

/** Those that are not wirebin's own over again. */
async function operationsIn(dialect: DialectName): Promise<[path: string, Operations[string]][]> {
  if (dialect === 'gateway-api') return Object.entries(UNDOCUMENTED);
  const all = Object.entries(await documented(dialect));
  if (dialect === 'wirebin') return all;
  const standard = await documented('wirebin');
  return all.filter(([path, item]) => JSON.stringify(item) !== JSON.stringify(standard[path]));
}

/** GET or what there is instead, and POST where it is taken. */
function requestsTo(path: string, item: Operations[string], dialect: DialectName): Asked[] {
  const [first = ''] = Object.keys(item);
  const methods = new Set([item['get'] ? 'get' : first, ...(item['post'] ? ['post'] : [])]);
  return [...methods].flatMap((method) => {
    const { [method]: described } = item;
    if (!described) return [];
    const hasContent = method === 'post' && described.requestBody !== undefined;
    const known = path.replace('/journal/{key}', `/journal/${JOURNAL}`);
    const filled = known.replace('/connections/{id}', `/connections/${story}`);
    return extremeTargets(filled, described).flatMap((target) =>
      acceptedBy(described).map((accept) => ({
        method: method.toUpperCase(),
        target: `${target}${target.includes('?') ? '&' : '?'}dialect=${dialect}`,
        hasContent,
        accept,
      })),
    );
  });
}

/** The media types that a client may choose from; undefined if it has no choice. */
function acceptedBy({ responses }: Operation): (string | undefined)[] {
  const types = Object.keys(responses[200]?.content ?? {});
  return types.length > 1 ? types : [undefined];
}

/** Requests by what is attacked with them: the paths of the endpoints. */
function attackedTogether(
  operations: readonly (readonly [path: string, item: Operations[string]])[],
  dialect: DialectName,
): [paths: string, requests: Asked[]][] {
  const chosen = operations.filter(([path]) => !IS_LONG || ONLY === 'all' || ONLY === path);
  const groups = Array.from({ length: Math.ceil(chosen.length / ENDPOINTS) }, (_, at) =>
    chosen.slice(at * ENDPOINTS, (at + 1) * ENDPOINTS),
  );
  return groups.map((group) => [
    group.map(([path]) => path).join(' '),
    // In turns, so that the first requests are to all of them.
    interleave(group.map(([path, item]) => requestsTo(path, item, dialect))),
  ]);
}

function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();
}

interface Worst extends Toll {
  readonly memoryBy: string;
  readonly waitBy: string;
}
/** By path. */
const worst = new Map<string, Worst>();

function note(path: string, by: string, { memory, wait }: Toll): void {
  const before = worst.get(path) ?? { memory: 0, wait: 0, memoryBy: '', waitBy: '' };
  worst.set(path, {
    ...(memory > before.memory
      ? { memory, memoryBy: by }
      : { memory: before.memory, memoryBy: before.memoryBy }),
    ...(wait > before.wait ? { wait, waitBy: by } : { wait: before.wait, waitBy: before.waitBy }),
  });
}

/** The least of several tries, which end as soon as it is within its bound. */
async function tollOf(attack: () => Promise<void>): Promise<Toll> {
  let least = { memory: Infinity, wait: Infinity };
  for (let tries = 0; tries < TRIES && !isBearable(least); tries++) {
    const { memory, wait } = await siege.toll(attack);
    least = { memory: Math.min(memory, least.memory), wait: Math.min(wait, least.wait) };
  }
  return least;
}

function isBearable({ memory, wait }: Toll): boolean {
  return memory < BOUND.memory && wait < BOUND.wait;
}

function report(dialect: DialectName, tolls: ReadonlyMap<string, Toll>): void {
  const [[large, { memory }] = ['', BOUND]] = [...tolls].toSorted(
    ([, one], [, other]) => other.memory - one.memory,
  );
  const [[slow, { wait }] = ['', BOUND]] = [...tolls].toSorted(
    ([, one], [, other]) => other.wait - one.wait,
  );
  process.stdout.write(
    `  ${dialect}: resident ${memory.toFixed(0)} MiB at most (${large}), ` +
      `${wait.toFixed(0)} ms busy before an honest response (${slow})\n`,
  );
}

test.each(DIALECT_NAMES)(
  'no endpoint of %s takes much memory, or holds up an honest client',
  async (dialect) => {
    const tolls = new Map<string, Toll>();
    for (const [path, all] of attackedTogether(await operationsIn(dialect), dialect)) {
      for (let at = 0; at < all.length; at += TOGETHER) {
        const asked = all.slice(at, at + TOGETHER);
        for (const [way, attack] of Object.entries(ways)) {
          const toll = await tollOf(() => attack(asked));
          tolls.set(`${path}, ${way}, ${at}`, toll);
          note(path, `${dialect}, ${way}`, toll);
        }
      }
      if (IS_LONG) process.stdout.write(`  ${dialect}: ${path}, ${all.length} requests\n`);
    }
    report(dialect, tolls);
    expect([...tolls].filter(([, toll]) => !isBearable(toll))).toEqual([]);
    await siege.recover();
  },
  IS_LONG ? 7_200_000 : 300_000,
);

test.runIf(ONLY === 'all')('the table of docs/measured/hostile-endpoints.md', () => {
  const rows = [...worst]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { memory, memoryBy, wait, waitBy }]) => [
      `\`${path}\``,
      memory.toFixed(0),
      memoryBy,
      wait.toFixed(0),
      waitBy,
    ]);
  const head = ['Path', 'MiB resident', 'by', 'ms busy', 'by'];
  const [before = '', , after = ''] = readFileSync(PAGE, 'utf8').split(/<!-- \/?endpoints -->/);
  const page = `${before}<!-- endpoints -->\n\n${table(head, rows)}\n\n<!-- /endpoints -->${after}`;
  writeFileSync(PAGE, page);
  expect(after).not.toBe('');
});
