import { Stories } from '../src/telemetry/story/stories.ts';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';
import { openApiDocument } from '../src/pages/openapi.ts';
import type { Payload } from '../src/server/payload.ts';
import type { Reply } from '../src/server/reply.ts';
import { Journal } from '../src/telemetry/journal/journal.ts';
import { JournalStore } from '../src/telemetry/journal/store.ts';
import { plainDialects } from './_dialects.ts';
import { FakeExchange } from './_exchange.ts';
import { extremeTargets } from './_extremes.ts';
import { operationsOf } from './_openapi.ts';
import { GET } from './_raw.ts';
import { openConnection, receive, startInspection } from './inspect/_inspection.ts';

// What every endpoint makes for one request, with the largest values of its parameters.

const KEY = 'A';
const LONG = 'x'.repeat(3900);

/** 100 entries with 3.9 KB each. */
function filledJournal(): Journal {
  const limits = { keys: 10, entries: 100, bytes: 16_000_000, lifetime: 600_000 };
  const options = { secrets: true, keepsEntries: true };
  const journal = new Journal(new JournalStore(limits, 'process'), '', options);
  for (let at = 0; at < limits.entries; at++) {
    journal.journalRequested(new FakeExchange('/', { fields: ['Host', 'a', 'X-A', LONG] }), KEY);
  }
  return journal;
}

/** The story of a connection with pipelined requests, under the id that is asked for. */
function longStories(): Pick<Stories, 'story'> {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  receive(inspection, connection, 'http/1.1', GET('/', `X-A: ${'x'.repeat(800)}\r\n`).repeat(100));
  const stories = new Stories(inspection, true);
  return { story: (_, ...rest) => stories.story(connection.id, ...rest) };
}

const state = { ...completeState, journal: filledJournal(), stories: longStories() };
const endpoints = allEndpoints(state);
const { router } = plainDialects(endpoints).default;
export const ACCEPTED = ['text/html', 'text/plain', 'application/json'];

/** GET of every path that has it, with each media type. Those of a key and an id have something to show. */
export const largestRequests: readonly [path: string, targets: readonly string[]][] =
  Object.entries(
    operationsOf(JSON.parse(JSON.stringify(openApiDocument(endpoints, state)))),
  ).flatMap(([path, { get }]) =>
    get ? [[path, extremeTargets(path.replace('{key}', KEY), get).filter(isAnswered)]] : [],
  );

/** Whether it does not wait for a million entries. */
function isAnswered(target: string): boolean {
  return !target.includes('wait=1000000');
}

/** Milliseconds after which a client of a delayed response leaves. */
const PATIENCE = 20;

/** @returns the reply, its problem or undefined if it takes too long */
export async function replyTo(target: string, accept: string): Promise<Reply | undefined> {
  const exchange = new FakeExchange(target, { fields: ['Host', 'a', 'Accept', accept] });
  const match = router.find(exchange.target?.path ?? '');
  if (!match) throw new Error(`nothing is at ${target}`);
  const timer = setTimeout(() => exchange.leave(), PATIENCE);
  try {
    return await match.endpoint.respond(exchange, match.segments, Buffer.alloc(0));
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The first pieces of a payload that is not in memory. */
export async function piecesOf(
  payload: Exclude<Payload, string | Uint8Array>,
  count: number,
): Promise<(string | Uint8Array)[]> {
  const pieces: (string | Uint8Array)[] = [];
  while (pieces.length < count) {
    const piece = payload.next(32 * 1024);
    if (piece === undefined) break;
    if (piece !== null) pieces.push(piece);
    else if (payload.kind === 'timed') {
      try {
        await payload.wait(AbortSignal.timeout(PATIENCE));
      } catch {
        break;
      }
    }
  }
  return pieces;
}
