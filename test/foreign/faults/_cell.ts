import type { Arrival } from './_arrivals.ts';
import type { Case } from './_case.ts';
import type { Report } from './_program.ts';
import { words } from './_table.ts';

/** A request as the client reports it, and as the origin received it. */
export interface Outcome {
  readonly report: Report;
  readonly arrivals: readonly Arrival[];
}

/** Milliseconds by which a timer may be early. */
const EARLY = 200;

/** What a cell says of a case: `200, 5 bytes; saw 103; 2 attempts on one connection`. */
export function caseCell(
  { isEcho = false, isExpect = false, length }: Case,
  { report, arrivals }: Outcome,
  next?: Outcome,
): string {
  const { error, seen } = report;
  const parts = [cameWords(report, isEcho), seenWords(seen), words(error)];
  if (arrivals.length !== 1) parts.push(attempts(arrivals, report));
  if (isExpect) parts.push(contentSent(arrivals, length));
  if (next) parts.push(nextWords(arrivals, next));
  return parts.filter((part) => part !== '').join('; ');
}

/** The status, and how much content has come. */
function cameWords({ status, received, error }: Report, isEcho: boolean): string {
  // How much arrives before an error depends on the buffers on the way.
  if (error !== '') return status;
  const bytes = isEcho ? '' : `, ${received} bytes`;
  // libcurl before 7.66 takes what is no status line for content of HTTP/0.9.
  return (status === '' ? 'no status' : status) + bytes;
}

/** Interim statuses and trailers that the client's API shows. */
function seenWords(seen: string): string {
  if (seen === '') return '';
  const all = seen.split('; ');
  const interim = all.filter((word) => /^1\d\d$/.test(word));
  const trailers = all.filter((word) => !interim.includes(word));
  const names = trailers.map((word) => word.replace('trailer ', ''));
  return [
    ...(interim.length === 0 ? [] : [`saw ${interim.join(', ')}`]),
    ...(names.length === 0 ? [] : [`trailer ${names.join(', ')}`]),
  ].join('; ');
}

/** Above it, the number of attempts depends on the time limit. */
const MANY = 3;

function attempts(arrivals: readonly Arrival[], { error }: Report): string {
  const count = arrivals.length;
  if (count === 0) return 'not sent';
  const connections = new Set(arrivals.map(({ connection }) => connection)).size;
  const on = connections === 1 ? 'one connection' : 'new connections';
  const last = arrivals.at(-1)?.protocol ?? '';
  const isFallback = last !== arrivals[0]?.protocol;
  const isLimited = count > MANY || error.startsWith('no end');
  return `${isLimited ? 'many' : count} attempts on ${on}${isFallback ? `, then ${last}` : ''}`;
}

function contentSent(arrivals: readonly Arrival[], length: number): string {
  const last = arrivals.at(-1);
  if (!last) return '';
  if (last.received < length) return 'content not sent';
  // A busy machine adds to a wait.
  const seconds = Math.floor(((last.answeredAfter ?? 0) + EARLY) / 1000);
  return seconds === 0 ? 'content sent' : `content sent, response after ${seconds} s`;
}

function nextWords(before: readonly Arrival[], { report, arrivals }: Outcome): string {
  const outcome = [report.status, words(report.error)].filter((part) => part !== '').join('; ');
  const parts = [outcome === '' ? 'nothing' : outcome];
  if (arrivals.length > 1) parts.push(attempts(arrivals, report));
  return `then ${[...parts, ...where(before, arrivals)].join(', ')}`;
}

/** The connection of the second request. */
function where(before: readonly Arrival[], arrivals: readonly Arrival[]): string[] {
  if (arrivals.length === 0) return ['not sent'];
  // The time limit decides which connection the last of many attempts has.
  if (before.length > MANY) return [];
  const isSame = arrivals.at(-1)?.connection === before.at(-1)?.connection;
  return [isSame ? 'same connection' : 'new connection'];
}
