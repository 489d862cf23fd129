import { asterisks } from '../../endpoints/drip.ts';
import { pacingParameters, pingEvent } from '../../endpoints/sse.ts';
import { hasNoContent } from '../../http/status.ts';
import { override, type Override } from '../../server/endpoint.ts';
import { described, duration, int, optional, type Parameter } from '../../server/params.ts';
import { invalidParameter } from '../../http/problem.ts';
import { delayed } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { empty, reply, TEXT_TYPE } from '../../server/reply.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { pacePieces } from '../../server/pace.ts';
import { goHttpbinPostView, goHttpbinLines } from './view.ts';
import { clampedInteger, goInteger } from '../params.ts';
import { goReply, JSON_TYPE } from './replies.ts';

const LINES = 'application/x-ndjson; charset=utf-8';
const EVENTS = 'text/event-stream; charset=utf-8';

/** Bytes that the original assumes for an event, and below, for a line, to limit their number. */
const EVENT_LENGTH = 56;
const LINE_LENGTH = 172;
/** Maximum number of events: wirebin's limit is lower, because its events are longer than the original assumes. */
const MAX_EVENTS = Math.floor(MAX_REQUESTED_CONTENT / pingEvent(999_999).length);

const CONTINUE = 100;
const final = int({ min: 200, max: 599 });
/** Parameter: a final status, or 100, which is followed by 200. */
const status: Parameter<number> = {
  ...final,
  parse: (text, name) => (text === String(CONTINUE) ? CONTINUE : final.parse(text, name)),
};

type Timing = readonly [name: string, seconds: number, description: string];

/** Server-Timing in the original's form. */
function serverTiming(entries: readonly Timing[]): string[] {
  const metrics = entries.map(
    ([name, seconds, text]) => `${name};dur=${(seconds * 1000).toFixed(2)};desc="${text}"`,
  );
  return ['Server-Timing', metrics.join(', ')];
}

/** Timings of a paced response. The pause is rounded up to nanoseconds. */
function pacingTimings(count: number, seconds: number, delay: number): readonly Timing[] {
  const step = count > 1 ? Math.ceil(Math.round(seconds * 1e9) / (count - 1)) / 1e9 : seconds;
  return [
    ['total_duration', delay + seconds, 'total request duration'],
    ['initial_delay', delay, 'initial delay'],
    ['write_duration', seconds, 'duration of writes after initial delay'],
    ['pause_per_write', step, 'computed pause between writes'],
  ];
}

/** Checks that duration and delay do not exceed the maximum in total. @throws Problem */
function checkTotal(seconds: number, delay: number, max: number): void {
  if (seconds + delay <= max) return;
  throw invalidParameter('duration', `${seconds}s`, `and delay=${delay}s together exceed ${max}s`);
}

/**
 * Endpoints that delay or stream.
 *
 * @param max maximum of duration and delay in total, in seconds
 * @param maxContent maximum bytes of a response
 */
export function timing(max: number, maxContent: number): readonly Override[] {
  return [
    delayedEcho(max),
    drip(max, maxContent),
    stream,
    jsonl(max, maxContent),
    sse(max, maxContent),
  ];
}

function delayedEcho(max: number): Override {
  return override('/delay/{n}', {
    summary: 'Echoes the request after n seconds, or a duration such as 100ms.',
    params: { n: described('Delay.', duration(max)) },
    content: true,
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The request.', content: [JSON_TYPE] } },
    handle: ({ request, content, params: { n } }) =>
      delayed(n, request, () => {
        const fields = serverTiming([['initial_delay', n, 'initial delay']]);
        return goReply(goHttpbinPostView(request, content), { fields });
      }),
  });
}

function drip(max: number, maxContent: number): Override {
  return override('/drip', {
    summary: 'Sends asterisks, spread evenly over a duration, with Content-Length.',
    query: {
      // Limited, because the defaults must not exceed the maximum in total either.
      duration: described(
        'Time between the first and the last byte.',
        optional(duration(max), Math.min(2, max / 2)),
      ),
      delay: described('Initial delay.', optional(duration(max), Math.min(2, max / 2))),
      numbytes: described('Number of bytes.', optional(goInteger({ min: 1, max: maxContent }), 10)),
      code: described('Status code.', optional(status, 200)),
    },
    responses: { '2XX': { description: 'The status in `code`.', content: [TEXT_TYPE] } },
    handle({ request, query: { duration: seconds, delay, numbytes, code } }) {
      checkTotal(seconds, delay, max);
      return delayed(delay, request, () => {
        if (hasNoContent(code)) return empty(code);
        const fields = serverTiming(pacingTimings(numbytes, seconds, delay));
        const options = { status: code === CONTINUE ? 200 : code, fields };
        const content = reply(TEXT_TYPE, asterisks(numbytes, seconds, numbytes), options);
        return { ...content, afterContinue: code === CONTINUE };
      });
    },
  });
}

const stream = override('/stream/{n}', {
  group: 'timing',
  params: { n: described('Number of lines.', clampedInteger({ min: 1, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [TEXT_TYPE] } },
  handle: ({ request, params: { n } }) =>
    reply(TEXT_TYPE, goHttpbinLines(request).payload('n', n), { fields: NOSNIFF }),
});

function jsonl(max: number, maxContent: number): Override {
  const maxLines = Math.max(1, Math.floor(maxContent / LINE_LENGTH));
  return override('/jsonl', {
    summary: 'The request as a line of JSON, `count` times, spread over a duration.',
    query: pacingParameters(0, max, clampedInteger({ min: 1, max: maxLines })),
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The lines.', content: [LINES] } },
    handle({ request, query: { count, duration: seconds, delay, jitter } }) {
      checkTotal(seconds, delay, max);
      // Parameters are validated before the delay. The lines are made after it, because they need memory.
      const lines = () => goHttpbinLines(request).payload('count', count, seconds, jitter);
      if (delay > 0) lines();
      return delayed(delay, request, () => reply(LINES, lines(), { fields: NOSNIFF }));
    },
  });
}

function sse(max: number, maxContent: number): Override {
  const maxCount = Math.max(1, Math.min(Math.floor(maxContent / EVENT_LENGTH), MAX_EVENTS));
  return override('/sse', {
    query: pacingParameters(5, max, goInteger({ min: 1, max: maxCount })),
    responses: { 200: { description: '`ping` events.', content: [EVENTS] } },
    handle({ request, query: { count, duration: seconds, delay, jitter } }) {
      if (seconds === 0) throw invalidParameter('duration', '0', 'is shorter than 1ns');
      checkTotal(seconds, delay, max);
      return delayed(delay, request, () => {
        const events = pacePieces(count, seconds, jitter, pingEvent);
        const trailers = serverTiming(pacingTimings(count, seconds, delay));
        return reply(EVENTS, { ...events, trailers }, { fields: ['Trailer', 'Server-Timing'] });
      });
    },
  });
}
