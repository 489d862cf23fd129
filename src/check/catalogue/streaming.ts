import { setTimeout as pause } from 'node:timers/promises';
import { topic, type Rule, type TopicCheck } from '../check.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, type FieldLine, type Transfer } from '../message.ts';
import { tagged, uploadOf } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import type { Session } from '../session.ts';
import { PROMPT } from './bounds.ts';
import { rawRequest } from './refusal.ts';
import { hasOwnContent } from './response.ts';

const STREAMING = {
  section: 'RFC 9110 7.7',
  level: 'quality',
  risk: 'latency',
  phase: 'timed',
} as const;

/** Milliseconds between the first and the last byte of a streamed response. */
const SPREAD = 2 * PROMPT;

/** Fraction of the duration: a piece sent at 0 or 0.5 of it was held back if it arrives after this. */
const LATE = 0.95;
/** Fraction of the duration: pieces sent a whole duration apart were held back if they arrive within this. */
const SOON = 0.25;

/** Number of pieces of a streamed response, sent a quarter of `SPREAD` apart. */
const PIECES = 5;
/** Milliseconds: pieces that arrive closer together count as one burst. */
const GAP = SPREAD / 16;
/** Number of attempts if pieces come in bursts, which a busy machine also causes. */
const ATTEMPTS = 3;

/** Whether the first byte arrives long before the last, and the pieces between them one by one. */
async function receivedAsSent(
  session: Session,
  target: string,
  attempts = ATTEMPTS,
): Promise<Verdict> {
  const start = performance.now();
  /** Bytes of content that have arrived by each time. */
  const arrivals: { readonly at: number; readonly length: number }[] = [];
  const note = (length: number): void => {
    if (length > (arrivals.at(-1)?.length ?? 0))
      arrivals.push({ at: performance.now() - start, length });
  };
  let transfer: Transfer;
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const stream = client.start(tagged(session.newTag(), { target: session.unique(target) }));
    transfer = session.record(
      await client.finish(stream, session.time, () => {
        note(stream.contentLength);
        return false;
      }),
    );
  } else {
    const until = ({ response }: { readonly response: Transfer['response'] }): boolean => {
      note(response?.content.length ?? 0);
      return false;
    };
    transfer = await session.send({ target }, { until });
  }
  if (transfer.ending !== 'complete') return fail('a complete response', transfer.ending, transfer);
  const { duration } = transfer;
  const all = arrivals.at(-1)?.length ?? 0;
  const timeOf = (length: number): number =>
    Math.round(Math.min(arrivals.find((each) => each.length >= length)?.at ?? Infinity, duration));
  const [first, half] = [timeOf(1), timeOf(all / 2)];
  const found = `the first byte of content after ${first} ms, half of it after ${half} of ${Math.round(duration)}`;
  if (half >= LATE * duration) return differs(found, transfer);
  const bursts = arrivals.filter(({ at }, each) => at - (arrivals[each - 1]?.at ?? -GAP) >= GAP);
  if (bursts.length >= PIECES - 1) return pass();
  return attempts > 1
    ? receivedAsSent(session, target, attempts - 1)
    : differs(`${PIECES} pieces that were sent one by one came in ${bursts.length}`, transfer);
}

/** For a message that is forwarded when it is complete. */
const UNBUFFERED = {
  response: {
    advice: 'Do not buffer responses.',
    directives: {
      nginx: [['location', 'proxy_buffering off;']],
      lighttpd: [['', 'server.stream-response-body = 1']],
    },
  },
  request: {
    advice: 'Do not buffer requests.',
    directives: {
      nginx: [['location', 'proxy_request_buffering off;']],
      lighttpd: [['', 'server.stream-request-body = 1']],
    },
  },
} as const satisfies Readonly<Record<string, Remedy>>;

/** A check of content that is sent in pieces. */
function streams(
  id: `streaming/${string}`,
  rule: string,
  target: string,
  more: Partial<Rule> = {},
): TopicCheck {
  return {
    ...more,
    id,
    rule,
    remedy: UNBUFFERED.response,
    run: (session) => receivedAsSent(session, target),
  };
}

/** Bytes of each half of an upload. */
const HALF = 10_000;

/** Uploads two halves, the second one `SPREAD` milliseconds later, unless a final response comes before. */
async function upload(
  session: Session,
  path: string,
  fields: readonly FieldLine[] = [],
): Promise<Transfer> {
  const half = 'x'.repeat(HALF);
  const target = session.unique(path);
  const tag = session.newTag();
  const { time } = session;
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const stream = client.start(
      tagged(tag, { method: 'POST', target, fields, content: half + half }),
    );
    await client.sendContent(stream, Buffer.from(half), time, undefined, false);
    const isAnswered = await client.until(() => stream.head !== undefined, SPREAD);
    if (!isAnswered) await client.sendContent(stream, Buffer.from(half), time);
    return session.record(await client.finish(stream, time));
  }
  const client = await session.openHttp1();
  const others = fields.map((line) => line.join(': '));
  const lines = [`Content-Length: ${2 * HALF}`, ...others];
  const request = rawRequest(session, tag, { method: 'POST', target, lines, content: half });
  return session.record(
    await client.exchange(Buffer.from(request), 'POST', { time }, async (reader) => {
      await pause(SPREAD);
      if (reader.hasHead) return '';
      client.write(Buffer.from(half));
      return half;
    }),
  );
}

/** A check that request content is forwarded as it arrives. */
function uploadStreams(
  id: `streaming/${string}`,
  rule: string,
  fields: readonly FieldLine[] = [],
  more: Partial<Rule> = {},
): TopicCheck {
  return {
    ...more,
    id,
    rule,
    remedy: UNBUFFERED.request,
    async run(session) {
      const transfer = await upload(session, '/upload', fields);
      const { response } = transfer;
      if (response?.status !== 200) return fail('200', outcomeOf(transfer), transfer);
      const { timing } = uploadOf(response) ?? {};
      if (!timing)
        return fail('200 of the origin', '200, without what the origin received', transfer);
      const between = Number(timing.last_byte_ms) - Number(timing.first_byte_ms);
      return between >= SOON * SPREAD
        ? pass()
        : differs(
            `the origin received within ${Math.round(between)} ms what was sent in ${SPREAD} ms`,
            transfer,
          );
    },
  };
}

/**
 * RFC 10036: the field asks intermediaries to forward a message as it arrives. It is advisory, so that those which do not
 * know it break no rule. Of the RFC, only the abstract and parts of its drafts could be read.
 */
const INCREMENTAL = ['Incremental', '?1'] as const;
const INCREMENTAL_RULE = { section: 'RFC 10036 3' } as const;

/** Checks of what the target forwards as it arrives, and what it buffers. */
export const streamingChecks = topic(STREAMING, [
  streams(
    'streaming/response',
    'Response content is forwarded as it arrives.',
    `/drip?numbytes=${PIECES}&duration=${SPREAD / 1000}`,
  ),
  streams(
    'streaming/response-length',
    'Response content with Content-Length is forwarded as it arrives.',
    `/range/1000?chunk_size=${1000 / PIECES}&duration=${SPREAD / 1000}`,
  ),
  streams(
    'streaming/events',
    'Server-sent events are forwarded as they arrive.',
    `/sse?count=${PIECES}&duration=${SPREAD / 1000}`,
  ),
  streams(
    'streaming/incremental-response',
    'Response content with Incremental: ?1 is forwarded as it arrives.',
    `/sse?count=${PIECES}&duration=${SPREAD / 1000}&header=${encodeURIComponent(INCREMENTAL.join(':'))}`,
    INCREMENTAL_RULE,
  ),
  {
    id: 'streaming/head',
    remedy: UNBUFFERED.response,
    rule: 'Whether the header section of a response is forwarded before its content arrives.',
    level: 'info',
    async run(session) {
      const transfer = await session.send({ target: `/drip?numbytes=2&duration=${SPREAD / 1000}` });
      const { response, firstByte = Infinity } = transfer;
      if (!response) return differs(outcomeOf(transfer), transfer);
      return firstByte < LATE * SPREAD
        ? pass()
        : differs(`after ${Math.round(firstByte)} ms`, transfer);
    },
  },
  uploadStreams('streaming/upload', 'Request content is forwarded as it arrives.'),
  uploadStreams(
    'streaming/incremental-upload',
    'Request content with Incremental: ?1 is forwarded as it arrives.',
    [INCREMENTAL],
    INCREMENTAL_RULE,
  ),
  {
    id: 'streaming/early-response',
    remedy: UNBUFFERED.request,
    section: 'RFC 9110 7.5',
    rule: 'A final response that the origin sends before it has received all of the content is forwarded at once.',
    async run(session) {
      const transfer = await upload(session, '/early?status=413');
      const { firstByte = Infinity } = transfer;
      if (transfer.response?.status !== 413) return fail('413', outcomeOf(transfer), transfer);
      if (firstByte >= SPREAD) return differs('not before all of the content', transfer);
      if (transfer.ending !== 'complete') return differs(outcomeOf(transfer), transfer);
      return hasOwnContent(transfer)
        ? pass()
        : fail('413 with the content of the origin', '413 with other or no content', transfer);
    },
  },
]);
