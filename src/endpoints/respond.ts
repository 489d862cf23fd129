import { invalid } from '../http/problem.ts';
import { parseQuery, type QueryPairs } from '../http/query.ts';
import { turns } from '../net/scheduler.ts';
import { endpoint, hasQuery, queryOf, type Endpoint } from '../server/endpoint.ts';
import { described, optional, repeated, required } from '../server/params.ts';
import { TEXT_TYPE } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { nosniffDoc } from '../server/safety.ts';
import { arrayOf, shape, textLike } from '../server/schema.ts';
import type { Journal } from '../telemetry/journal/journal.ts';
import { journalKey } from './journal.ts';
import { checkDescription } from './respond/contradictions.ts';
import { describedJson, DescriptionReader, isObject } from './respond/describe.ts';
import type { Description } from './respond/parameters.ts';
import { describedReply, reserveDescription, type ReplyOptions } from './respond/reply.ts';

/** Maximum descriptions in a sequence as JSON. A query has no room for many more. */
const MAX_SEQUENCE = 100;

const anyResponse = {
  description: 'The response as described, with any status, fields and content.',
  content: ['*/*', TEXT_TYPE],
  fields: nosniffDoc,
};
/** Attempts are journalled. */
const attempted = {
  ...anyResponse,
  fields: { ...nosniffDoc, 'X-Wirebin-Process': 'Who has responded.' },
};

/** A description in the form of a query. */
const asQuery = required(textLike('body=busy'), (text) => text);

const SEQUENCE = new Set(['first', 'then']);

/** Whether a description without `content=echo` is in the query, so that content is not read. */
function isInQuery(request: Request): boolean {
  return (
    hasQuery(request) &&
    !queryOf(request).some(
      (pair) => isEcho(pair) || (SEQUENCE.has(pair[0]) && parseQuery(pair[1]).some(isEcho)),
    )
  );
}

function isEcho([name, value]: QueryPairs[number]): boolean {
  return name === 'content' && value === 'echo';
}

/**
 * /respond, and /respond/{key} if there is a journal, which counts the attempts.
 *
 * @param options of all described responses
 */
export function respond(options: ReplyOptions, journal: Journal | undefined): readonly Endpoint[] {
  const reader = new DescriptionReader(options.maxDuration);
  const single = singleResponse(reader, options);
  return journal ? [single, inTurn(reader, journal, options)] : [single];
}

/** /respond itself. */
export function singleResponse(reader: DescriptionReader, options: ReplyOptions): Endpoint {
  return endpoint({
    methods: 'any',
    path: '/respond',
    group: 'fields',
    summary: 'The response that the query describes, or without a query the content as JSON.',
    query: reader.parameters,
    queryEncoding: 'latin1',
    strictQuery: true,
    exampleQuery: 'status=200&body=hello&delay=100ms',
    curl: "curl -sSi 'localhost:8080/respond?status=503&header=Retry-After:1&body=no&delay=100ms'",
    content: (request) => !isInQuery(request),
    contentSchema: reader.schema,
    reserves: true,
    responses: { 200: anyResponse },
    handle({ request, query, content }) {
      const isJson = content.length > 0 && !hasQuery(request);
      const description = isJson ? reader.readJson(describedJson(content), 'content') : query;
      checkDescription(description);
      reserveDescription(description, request);
      return describedReply(description, request, content, options);
    },
  });
}

/** Responses to the attempts of a key, one after the other. The last one repeats. */
function inTurn(reader: DescriptionReader, journal: Journal, options: ReplyOptions): Endpoint {
  return endpoint({
    id: 'respond_in_turn',
    methods: 'any',
    path: '/respond/{key}',
    group: 'fields',
    summary: 'As /respond, for each attempt of the key; /journal/{key} lists all of them.',
    params: { key: journalKey },
    query: {
      first: described('A query of /respond, `&` as %26; may repeat.', repeated(asQuery)),
      // oxlint-disable-next-line unicorn/no-thenable -- a parameter's name, and no function
      then: described('For all later attempts.', optional(asQuery, undefined)),
    },
    queryEncoding: 'latin1',
    strictQuery: true,
    exampleQuery: 'first=body%3Dbusy&then=body%3Ddone',
    curl: "curl -sS --retry 2 'localhost:8080/respond/a3?first=status=503&then=body=done'",
    content: (request) => !isInQuery(request),
    contentSchema: shape({ first: arrayOf(reader.schema), then: reader.schema }, ['first', 'then']),
    reserves: true,
    responses: { 200: attempted },
    async handle({ request, params: { key }, query: { first, then }, content }) {
      const isJson = content.length > 0 && !hasQuery(request);
      const given = isJson
        ? sequenceOf(reader, describedJson(content))
        : queriedSequence(reader, first, then);
      // To parse a query of 16 KB takes up to a millisecond, which counts.
      turns.count(request.receivedAt, request.connection);
      const descriptions: Description[] = [];
      for (const description of given) {
        descriptions.push(description);
        reserveDescription(description, request);
        // A hundred with 900 field lines each take 75 ms.
        if (turns.isSpent()) await turns.waitForTurn(request.connection);
      }
      if (descriptions.length === 0) throw invalid('first or then is required');
      const attempt = await journal.attempt(request, key);
      const description = descriptions[Math.min(attempt, descriptions.length) - 1];
      if (!description) throw new RangeError('attempts are counted from 1');
      return describedReply(description, request, content, options);
    },
  });
}

/** Reads the descriptions of a sequence in a query, one at a time. @throws Problem */
function* queriedSequence(
  reader: DescriptionReader,
  first: readonly string[],
  then: string | undefined,
): Generator<Description> {
  for (const [at, text] of first.entries()) yield reader.readText(text, `first[${at}]`);
  if (then !== undefined) yield reader.readText(then, 'then');
}

/** Reads the descriptions of a sequence as JSON, one at a time. @throws Problem */
function* sequenceOf(reader: DescriptionReader, value: unknown): Generator<Description> {
  const { first = [], then, ...others } = isObject(value) ? value : { content: value };
  const [other] = Object.keys(others);
  if (other !== undefined || !Array.isArray(first)) {
    throw invalid('content: an object with `first`, a list, and `then`, and no other members');
  }
  if (first.length > MAX_SEQUENCE) throw invalid(`content.first has more than ${MAX_SEQUENCE}`);
  for (const [at, each] of first.entries()) yield reader.readJson(each, `content.first[${at}]`);
  if (then !== undefined) yield reader.readJson(then, 'content.then');
}
