import { Stories } from '../src/telemetry/story/stories.ts';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';
import { AnyPath } from '../src/endpoints/respond/any-path.ts';
import { openApiDocument } from '../src/pages/openapi.ts';
import { wantsContent } from '../src/server/endpoint.ts';
import type { Payload } from '../src/server/payload.ts';
import type { Reply } from '../src/server/reply.ts';
import { Journal } from '../src/telemetry/journal/journal.ts';
import { JournalStore } from '../src/telemetry/journal/store.ts';
import { plainDialects } from './_dialects.ts';
import { LARGE_CONTENTS, RULES, type Asked } from './_descriptions.ts';
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
const dialect = plainDialects(endpoints).default;
/** With patterns that a regular expression would match in cubic time. */
const described = new AnyPath(
  { maxDuration: 10, allowRaw: false, allowedRedirectDomains: [], disable: [] },
  RULES.map((text) => ({ text, place: 'rule' })),
);
export const ACCEPTED = ['text/html', 'text/plain', 'application/json'];

const operations = operationsOf(
  JSON.parse(JSON.stringify(openApiDocument(endpoints, state))) as unknown,
);

/** Every path. */
export const paths = Object.keys(operations);

/** POST of every path that has it, otherwise a method other than GET, with content if the endpoint reads any. */
export const requestsWithContent: readonly [operation: string, asked: readonly Asked[]][] =
  Object.entries(operations).flatMap(([path, methods]): [string, Asked[]][] => {
    const found = ['post', 'put', 'patch', 'delete'].find((method) => method in methods);
    const operation = found === undefined ? undefined : methods[found];
    if (found === undefined || !operation) return [];
    const method = found.toUpperCase();
    const target = extremeTargets(path.replace('{key}', KEY), operation).find(isAnswered) ?? path;
    const contents = operation.requestBody ? LARGE_CONTENTS : [{ fields: [], content: undefined }];
    const asked = contents.map(({ fields = [], content }) => ({ target, method, fields, content }));
    return [[`${method} ${path}`, asked]];
  });

/** GET of every path that has it, with each media type. Those of a key and an id have something to show. */
export const largestRequests: readonly [path: string, targets: readonly string[]][] =
  Object.entries(operations).flatMap(([path, { get }]) =>
    get ? [[path, extremeTargets(path.replace('{key}', KEY), get).filter(isAnswered)]] : [],
  );

/** Whether it does not wait for a million entries. */
function isAnswered(target: string): boolean {
  return !target.includes('wait=1000000');
}

const NO_CONTENT = Buffer.alloc(0);

/** Milliseconds after which a client of a delayed response leaves. */
const PATIENCE = 20;
/** Milliseconds for any other response, also on a busy machine. */
const LIMIT = 30_000;

/** Whether the response waits for minutes before it begins. */
function isDelayed(target: string): boolean {
  return /[?&]delay=300\b|^\/delay\/300$/.test(target);
}

/** @returns the reply, or undefined if it is a problem or takes too long */
export function replyTo(target: string, accept: string): Promise<Reply | undefined> {
  return replyOf({ target, fields: ['Accept', accept] });
}

/** As `replyTo`, with content as well, and for any path that is described. */
export async function replyOf({
  target,
  method = 'GET',
  fields = [],
  content = NO_CONTENT,
}: Asked): Promise<Reply | undefined> {
  const exchange = new FakeExchange(target, { method, fields: ['Host', 'a', ...fields] });
  const timer = setTimeout(() => exchange.leave(), isDelayed(target) ? PATIENCE : LIMIT);
  try {
    const path = exchange.target?.path ?? '';
    const own = dialect.router.find(path);
    const match = described.find(exchange, path, !own, dialect) ?? own;
    if (!match) throw new Error(`nothing is at ${target}`);
    // As dispatch does, since to decide takes time too.
    const isRead = content.length > 0 && wantsContent(match.endpoint, exchange);
    return await match.endpoint.respond(exchange, match.segments, isRead ? content : NO_CONTENT);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    // Some endpoints limit their open requests.
    exchange.finish();
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
