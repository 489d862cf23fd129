import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JournalEntry } from '../../src/telemetry/journal/entry.ts';
import { alpnOf, isHttp2, transports, type Transport } from '../_client.ts';
import { sharedPlace } from '../_everywhere.ts';
import * as h2 from '../_frames.ts';
import { GET, openPair, POST } from '../_raw.ts';
import { startService } from '../_service.ts';
import { journalOf } from '../_walk.ts';

const { running } = sharedPlace('http/1.1');

type Leave = 'FIN' | 'RST' | 'RST_STREAM';

/** A request on a connection of its own. */
interface Asked {
  readonly leave: (how: Leave) => void;
  readonly send: (frames: Buffer) => void;
  readonly read: () => void;
}

let keys = 0;
const newKey = (): string => `outcome-${++keys}`;

/** Sends a request, and does not read the response. */
async function ask(
  transport: Transport,
  { path, content }: Request,
  key: string,
  { port } = running(),
): Promise<Asked> {
  const http2 = isHttp2(transport);
  const { clear, socket } = await openPair(port, alpnOf(transport));
  onTestFinished(() => void clear.destroy());
  socket.pause();
  socket.write(http2 ? framesOf(path, key, content) : messageOf(path, key, content));
  return {
    read: () => void socket.resume(),
    send: (frames) => void socket.write(frames),
    leave(how) {
      if (how === 'FIN') socket.end();
      else if (how === 'RST') clear.resetAndDestroy();
      else socket.write(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)));
    },
  };
}

function messageOf(path: string, key: string, content?: string): string {
  const journal = `X-Wirebin-Journal: ${key}\r\n`;
  if (content === undefined) return GET(path, journal);
  return POST(path, `${journal}Content-Length: 100\r\n`, content);
}

function framesOf(path: string, key: string, content?: string): Buffer {
  const journal: [string, string] = ['x-wirebin-journal', key];
  const request =
    content === undefined
      ? [h2.get(1, path, journal)]
      : [h2.post(1, path, journal), h2.frame(h2.DATA, 0, 1, Buffer.from(content))];
  return Buffer.concat([h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), ...request]);
}

async function entryWhen(
  key: string,
  condition: (entry: JournalEntry) => boolean,
): Promise<JournalEntry> {
  for (;;) {
    const [entry] = (await journalOf(running().port, key)).entries;
    if (entry && condition(entry)) return entry;
    await pause(5);
  }
}

/** The entry of a key once it has an outcome. */
async function endOf(key: string, { port } = running()): Promise<JournalEntry | undefined> {
  const { entries } = await journalOf(port, key, '?wait=1&until=ended');
  return entries[0];
}

interface Request {
  readonly path: string;
  /** Of 100 announced bytes. */
  readonly content?: string;
}

/** When the client leaves: once the journal says so. */
const MOMENTS: Readonly<
  Record<string, Request & { readonly when: (entry: JournalEntry) => boolean }>
> = {
  'in the content of the request': { path: '/anything', content: '0123456789', when: () => true },
  'while the handler waits': { path: '/delay/2', when: () => true },
  'in the content of the response': {
    path: '/bytes/10485760',
    when: ({ response }) => response !== null,
  },
  'in the content of a response over time': {
    path: '/drip?duration=60&delay=0',
    when: ({ response }) => response !== null,
  },
  'after the response': { path: '/get', when: ({ outcome }) => outcome !== null },
};

const SENT = { outcome: 'sent' };
const HALF_CLOSED = { outcome: 'sent', half_closed: true };
const LEFT = { outcome: 'disconnected', cause: { by: 'client' } };

function expected(transport: Transport, moment: string, how: Leave): object {
  if (moment === 'after the response') return SENT;
  return how === 'FIN' && !isHttp2(transport) ? HALF_CLOSED : LEFT;
}

const cases = transports.flatMap((transport) =>
  Object.keys(MOMENTS).flatMap((moment) =>
    (['FIN', 'RST', 'RST_STREAM'] as const)
      .filter((how) => how !== 'RST_STREAM' || isHttp2(transport))
      // It would take a minute.
      .filter((how) => how !== 'FIN' || isHttp2(transport) || !moment.endsWith('over time'))
      .map((how) => [transport, how, moment] as const),
  ),
);

test.each(cases)('%s: the client sends %s %s', async (transport, how, moment) => {
  const { when, ...request } = MOMENTS[moment] ?? { path: '', when: () => true };
  const key = newKey();
  const asked = await ask(transport, request, key);
  await entryWhen(key, when);
  asked.leave(how);
  if (how === 'FIN') asked.read();
  const entry = await endOf(key);
  expect(entry).toMatchObject(expected(transport, moment, how));
  if (moment === 'after the response') expect(entry).not.toHaveProperty('half_closed');
});

const PING = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));
/** The last stream, of those that a server could begin, and the error code. */
const PROTOCOL_ERROR = Buffer.concat([h2.uint32(0), h2.uint32(1)]);

interface End {
  readonly name: string;
  readonly frames: Buffer;
  readonly cause: { readonly by: string; readonly reason: string };
}

/** Frames that end an HTTP/2 connection, and who has ended it. */
const ENDS: readonly End[] = [
  {
    name: 'WINDOW_UPDATE of 0 for the connection',
    frames: h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(0)),
    cause: { by: 'wirebin', reason: 'protocol-error' },
  },
  {
    name: 'WINDOW_UPDATE above the largest window',
    frames: h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 31 - 1)),
    cause: { by: 'wirebin', reason: 'protocol-error' },
  },
  {
    name: 'too many PING frames',
    frames: Buffer.concat(Array.from({ length: 2000 }, () => PING)),
    cause: { by: 'wirebin', reason: 'flood' },
  },
  {
    name: 'GOAWAY with an error code',
    frames: h2.frame(h2.GOAWAY, 0, 0, PROTOCOL_ERROR),
    cause: { by: 'client', reason: 'closed' },
  },
];

describe.each(transports.filter(isHttp2))(
  '%s: the requests of a connection that ends by',
  (transport) => {
    test.each(ENDS)('$name', async ({ frames, cause }) => {
      const key = newKey();
      const asked = await ask(transport, { path: '/delay/5' }, key);
      asked.read();
      await entryWhen(key, () => true);
      asked.send(frames);
      const entry = await endOf(key);
      const outcome = cause.by === 'wirebin' ? 'aborted' : 'disconnected';
      expect(entry).toMatchObject({ outcome, cause });
    });
  },
);

test.each(transports)('%s: wirebin ends a response that takes too long', async (transport) => {
  const limited = await startService({ answerTimeout: 200, sweepInterval: 20 });
  const key = newKey();
  const asked = await ask(transport, { path: '/sse?count=100&duration=60' }, key, limited);
  asked.read();
  // On HTTP/1.x a client may send FIN and read on.
  if (!isHttp2(transport)) asked.leave('FIN');
  const cause = { by: 'wirebin', reason: 'answer-timeout' };
  expect(await endOf(key, limited)).toMatchObject({ outcome: 'aborted', cause });
});
