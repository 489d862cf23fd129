import { asterisks } from '../../endpoints/drip.ts';
import { pingEvent } from '../../endpoints/sse.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import {
  decimal,
  described,
  duration,
  int,
  optional,
  type Parameter,
} from '../../server/params.ts';
import { invalidParameter } from '../../http/problem.ts';
import { pause } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { empty, reply } from '../../server/reply.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { pacePieces } from '../../server/pace.ts';
import { goHttpbinEcho, goHttpbinLines } from './view.ts';
import { clamped, whole } from '../params.ts';
import { goReply, JSON_TYPE, TEXT_TYPE } from './answers.ts';

const LINES = 'application/x-ndjson; charset=utf-8';
const EVENTS = 'text/event-stream; charset=utf-8';

/** As long as the original takes an event and a line to be where it bounds their number. */
const EVENT_LENGTH = 56;
const LINE_LENGTH = 172;
/** Ours have more digits. */
const MAX_EVENTS = Math.floor(MAX_REQUESTED_CONTENT / pingEvent(999_999).length);

const CONTINUE = 100;
const final = int({ min: 200, max: 599 });
/** A final status, or 100, which 200 comes behind. */
const status: Parameter<number> = {
  ...final,
  parse: (text, name) => (text === String(CONTINUE) ? CONTINUE : final.parse(text, name)),
};

type Timing = readonly [name: string, seconds: number, description: string];

/** Server-Timing as the original writes it. */
function serverTiming(entries: readonly Timing[]): string[] {
  const metrics = entries.map(
    ([name, seconds, text]) => `${name};dur=${(seconds * 1000).toFixed(2)};desc="${text}"`,
  );
  return ['Server-Timing', metrics.join(', ')];
}

/** What is paced takes this long; how long it pauses is said in whole nanoseconds, rounded up. */
function paces(count: number, seconds: number, delay: number): readonly Timing[] {
  const step = count > 1 ? Math.ceil(Math.round(seconds * 1e9) / (count - 1)) / 1e9 : seconds;
  return [
    ['total_duration', delay + seconds, 'total request duration'],
    ['initial_delay', delay, 'initial delay'],
    ['write_duration', seconds, 'duration of writes after initial delay'],
    ['pause_per_write', step, 'computed pause between writes'],
  ];
}

/** @throws Problem where both together last longer than anything may */
function checkTotal(seconds: number, delay: number, max: number): void {
  if (seconds + delay <= max) return;
  throw invalidParameter('duration', `${seconds}s`, `and delay=${delay}s exceed ${max}s together`);
}

/**
 * What takes its time, or comes in pieces.
 *
 * @param max of all durations, in seconds
 * @param maxContent of a response, in bytes
 */
export function timing(max: number, maxContent: number): readonly Endpoint[] {
  return [
    delayedEcho(max),
    drip(max, maxContent),
    stream,
    jsonl(max, maxContent),
    sse(max, maxContent),
  ];
}

const shared = { methods: 'any', group: 'timing' } as const;

/** How what comes in pieces is spread. */
const pacing = (max: number) => ({
  delay: described('How long until the first.', optional(duration(max), 0)),
  jitter: described(
    'How far off the time between two may be; 0.5 is by half.',
    optional(decimal({ min: 0, max: 1 }), 0),
  ),
});

function delayedEcho(max: number): Endpoint {
  return endpoint({
    ...shared,
    id: 'delay',
    path: '/delay/{n}',
    summary: 'Echoes the request after n seconds, or a duration such as 100ms.',
    params: { n: described('How long to wait.', duration(max)) },
    content: true,
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The request.', content: [JSON_TYPE] } },
    async handle({ request, content, params: { n } }) {
      await pause(n, request.signal);
      const fields = serverTiming([['initial_delay', n, 'initial delay']]);
      return goReply(goHttpbinEcho(request, content), { fields });
    },
  });
}

function drip(max: number, maxContent: number): Endpoint {
  return endpoint({
    ...shared,
    id: 'drip',
    path: '/drip',
    summary: 'Asterisks, spread evenly over a duration, their number said beforehand.',
    params: {},
    query: {
      // By themselves, too, they last no longer together than anything may.
      duration: described(
        'Over how long they are spread.',
        optional(duration(max), Math.min(2, max / 2)),
      ),
      delay: described('How long until the first.', optional(duration(max), Math.min(2, max / 2))),
      numbytes: described('How many bytes.', optional(whole({ min: 1, max: maxContent }), 10)),
      code: described('The status.', optional(status, 200)),
    },
    responses: { '2XX': { description: 'The status of `code`.', content: [TEXT_TYPE] } },
    async handle({ request, query: { duration: seconds, delay, numbytes, code } }) {
      checkTotal(seconds, delay, max);
      await pause(delay, request.signal);
      if (code === 204 || code === 205 || code === 304) return empty(code);
      const fields = serverTiming(paces(numbytes, seconds, delay));
      const options = { status: code === CONTINUE ? 200 : code, fields };
      const content = reply(TEXT_TYPE, asterisks(numbytes, seconds, numbytes), options);
      return { ...content, afterContinue: code === CONTINUE };
    },
  });
}

const stream = endpoint({
  ...shared,
  id: 'stream',
  path: '/stream/{n}',
  summary: 'The request n times over, each a line of JSON with its `id`, from 0.',
  params: { n: described('How many lines.', clamped({ min: 1, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [TEXT_TYPE] } },
  handle: ({ request, params: { n } }) =>
    reply(TEXT_TYPE, goHttpbinLines(request).payload('n', n), { fields: NOSNIFF }),
});

function jsonl(max: number, maxContent: number): Endpoint {
  return endpoint({
    ...shared,
    id: 'jsonl',
    path: '/jsonl',
    summary: 'The request `count` times over, each a line of JSON, spread over a duration.',
    params: {},
    query: {
      ...pacing(max),
      count: described(
        'How many.',
        optional(clamped({ min: 1, max: Math.max(1, Math.floor(maxContent / LINE_LENGTH)) }), 10),
      ),
      duration: described('Over how long they are spread.', optional(duration(max), 0)),
    },
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The lines.', content: [LINES] } },
    async handle({ request, query: { count, duration: seconds, delay, jitter } }) {
      checkTotal(seconds, delay, max);
      // Refused before the delay, throughout which nothing of it is kept.
      const lines = () => goHttpbinLines(request).payload('count', count, seconds, jitter);
      if (delay > 0) lines();
      await pause(delay, request.signal);
      return reply(LINES, lines(), { fields: NOSNIFF });
    },
  });
}

function sse(max: number, maxContent: number): Endpoint {
  return endpoint({
    ...shared,
    id: 'sse',
    path: '/sse',
    summary: 'Server-sent events, `count` of them spread over a duration.',
    params: {},
    query: {
      ...pacing(max),
      count: described(
        'How many.',
        optional(
          whole({
            min: 1,
            max: Math.max(1, Math.min(Math.floor(maxContent / EVENT_LENGTH), MAX_EVENTS)),
          }),
          10,
        ),
      ),
      duration: described(
        'Over how long they are spread.',
        optional(duration(max), Math.min(5, max)),
      ),
    },
    responses: { 200: { description: 'Events `ping`.', content: [EVENTS] } },
    async handle({ request, query: { count, duration: seconds, delay, jitter } }) {
      if (seconds === 0) throw invalidParameter('duration', '0', 'is shorter than 1ns');
      checkTotal(seconds, delay, max);
      await pause(delay, request.signal);
      const events = pacePieces(count, seconds, jitter, pingEvent);
      const trailers = serverTiming(paces(count, seconds, delay));
      return reply(EVENTS, { ...events, trailers }, { fields: ['Trailer', 'Server-Timing'] });
    },
  });
}
