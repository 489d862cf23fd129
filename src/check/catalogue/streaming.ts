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
import {
  controlText,
  isHeldBack,
  jitterOf,
  judgedByControl,
  type Control,
} from './timing-control.ts';

const STREAMING = {
  section: 'RFC 9110 7.7',
  level: 'quality',
  risk: 'latency',
  phase: 'timed',
} as const;

/** Milliseconds between the first and the last byte of a streamed response. */
const SPREAD = 2 * PROMPT;
/** Number of pieces of a streamed response. */
const PIECES = 5;

/** Milliseconds by which the first piece, or the header section, is late if it was held back. */
const HELD = SPREAD / 6;
/** Fraction of the duration: a piece sent at 0.5 of it was held back if it arrives after this. */
const LATE = 0.85;
/** Milliseconds: pieces that arrive closer together count as one burst. */
const GAP = SPREAD / 16;

/** A streamed response. */
interface Stream {
  /** @param duration in seconds, from the request to the last piece */
  readonly target: (duration: number) => string;
  /** Milliseconds after the request at which the origin sends the first piece. Default: 0. */
  readonly begins?: number;
}

/** A streamed response as it was received. */
interface Reception {
  readonly transfer: Transfer;
  /** Bytes of content that have arrived by each time, in milliseconds after the request. */
  readonly arrivals: readonly { readonly at: number; readonly length: number }[];
}

/** Requests a response, and notes when its content arrives. */
async function receive(session: Session, target: string): Promise<Reception> {
  const arrivals: { readonly at: number; readonly length: number }[] = [];
  let start = performance.now();
  const note = (length: number): void => {
    if (length > (arrivals.at(-1)?.length ?? 0))
      arrivals.push({ at: performance.now() - start, length });
  };
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    start = performance.now();
    const stream = client.start(tagged(session.newTag(), { target: session.unique(target) }));
    const received = client.finish(stream, session.time, () => {
      note(stream.contentLength);
      return false;
    });
    return { transfer: session.record(await received), arrivals };
  }
  const client = await session.openHttp1();
  start = performance.now();
  const until = ({ response }: { readonly response: Transfer['response'] }): boolean => {
    note(response?.content.length ?? 0);
    return false;
  };
  const transfer = await session.sendOn(client, { target }, { until });
  // `until` is not asked about the last piece.
  note(transfer.response?.content.length ?? 0);
  return { transfer, arrivals };
}

/** Whether the first piece arrives long before the last, and those between them one by one. */
function receivedAsSent(
  { transfer, arrivals }: Reception,
  begins: number,
  control: Control,
): Verdict | undefined {
  if (transfer.ending !== 'complete') return fail('a complete response', transfer.ending, transfer);
  const { duration } = transfer;
  const all = arrivals.at(-1)?.length ?? 0;
  const timeOf = (length: number): number =>
    Math.round(Math.min(arrivals.find((each) => each.length >= length)?.at ?? Infinity, duration));
  const [first, half] = [timeOf(1), timeOf(all / 2)];
  const bursts = arrivals.filter(({ at }, each) => at - (arrivals[each - 1]?.at ?? -GAP) >= GAP);
  const found = (text: string): Verdict => differs(`${text}; ${controlText(control)}`, transfer);
  const step = (SPREAD - begins) / (PIECES - 1);
  const isHeld = [
    isHeldBack(first - begins, HELD, control),
    isHeldBack(half, LATE * (duration - control.least), control),
  ];
  if (isHeld.some((held) => held === true)) {
    const whole = Math.round(duration);
    return found(
      `the first byte of content after ${first} ms, half of it after ${half} of ${whole}`,
    );
  }
  // A piece that arrives in one burst with the next one was late by a step, or by at most a gap less.
  const isJoined = bursts.length < PIECES - 1 && isHeldBack(step, GAP, jitterOf(control));
  if (isJoined === true)
    return found(`${PIECES} pieces that were sent one by one came in ${bursts.length}`);
  return isJoined === false && isHeld.every((held) => held === false) ? pass() : undefined;
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
  { target, begins = 0 }: Stream,
  more: Partial<Rule> = {},
): TopicCheck {
  return {
    ...more,
    id,
    rule,
    remedy: UNBUFFERED.response,
    run: (session) =>
      judgedByControl(
        session,
        { target: target(0) },
        () => receive(session, target(SPREAD / 1000)),
        (reception, control) => receivedAsSent(reception, begins, control),
      ),
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
    run: (session) =>
      judgedByControl(
        session,
        { method: 'POST', target: '/upload', fields, content: 'content' },
        () => upload(session, '/upload', fields),
        receivedApart,
      ),
  };
}

/** Whether the origin has received the halves of an upload apart. */
function receivedApart(transfer: Transfer, control: Control): Verdict | undefined {
  const { response } = transfer;
  if (response?.status !== 200) return fail('200', outcomeOf(transfer), transfer);
  const { timing } = uploadOf(response) ?? {};
  if (!timing) return fail('200 of the origin', '200, without what the origin received', transfer);
  const between = Number(timing.last_byte_ms) - Number(timing.first_byte_ms);
  const isHeld = isHeldBack(SPREAD - between, PROMPT, jitterOf(control));
  if (isHeld === undefined) return undefined;
  const received = `the origin received within ${Math.round(between)} ms what was sent in ${SPREAD} ms`;
  return isHeld ? differs(`${received}; ${controlText(control)}`, transfer) : pass();
}

/** Whether an early response has come before all of the request was sent. */
function respondedEarly(transfer: Transfer, control: Control): Verdict | undefined {
  const { firstByte = Infinity } = transfer;
  if (transfer.response?.status !== 413) return fail('413', outcomeOf(transfer), transfer);
  if (firstByte >= SPREAD) {
    const isHeld = isHeldBack(firstByte, HELD, control) === true;
    return isHeld ? differs('not before all of the content', transfer) : undefined;
  }
  if (transfer.ending !== 'complete') return differs(outcomeOf(transfer), transfer);
  return hasOwnContent(transfer)
    ? pass()
    : fail('413 with the content of the origin', '413 with other or no content', transfer);
}

/**
 * RFC 10036: the field asks intermediaries to forward a message as it arrives. It is advisory, so that those which do not
 * know it break no rule. Of the RFC, only the abstract and parts of its drafts could be read.
 */
const INCREMENTAL = ['Incremental', '?1'] as const;
const INCREMENTAL_RULE = { section: 'RFC 10036 3' } as const;

/** @param duration in seconds */
const events = (duration: number): string => `/sse?count=${PIECES}&duration=${duration}`;

/** @param duration in seconds */
const twoBytes = (duration: number): string => `/drip?numbytes=2&duration=${duration}`;

/** Checks of what the target forwards as it arrives, and what it buffers. */
export const streamingChecks = topic(STREAMING, [
  streams('streaming/response', 'Response content is forwarded as it arrives.', {
    target: (duration) => `/drip?numbytes=${PIECES}&duration=${duration}`,
  }),
  streams(
    'streaming/response-length',
    'Response content with Content-Length is forwarded as it arrives.',
    {
      target: (duration) => `/range/1000?chunk_size=${1000 / PIECES}&duration=${duration}`,
      begins: SPREAD / PIECES,
    },
  ),
  streams('streaming/events', 'Server-sent events are forwarded as they arrive.', {
    target: events,
  }),
  streams(
    'streaming/incremental-response',
    'Response content with Incremental: ?1 is forwarded as it arrives.',
    {
      target: (duration) =>
        `${events(duration)}&header=${encodeURIComponent(INCREMENTAL.join(':'))}`,
    },
    INCREMENTAL_RULE,
  ),
  {
    id: 'streaming/head',
    remedy: UNBUFFERED.response,
    rule: 'Whether the header section of a response is forwarded before its content arrives.',
    level: 'info',
    run: (session) =>
      judgedByControl(
        session,
        { target: twoBytes(0) },
        () => session.send({ target: twoBytes(SPREAD / 1000) }),
        (transfer, control) => {
          const { response, firstByte = Infinity } = transfer;
          if (!response) return differs(outcomeOf(transfer), transfer);
          const isHeld = isHeldBack(firstByte, HELD, control);
          if (isHeld === undefined) return undefined;
          const found = `after ${Math.round(firstByte)} ms; ${controlText(control)}`;
          return isHeld ? differs(found, transfer) : pass();
        },
      ),
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
    run: (session) =>
      judgedByControl(
        session,
        { target: '/anything' },
        () => upload(session, '/early?status=413'),
        respondedEarly,
      ),
  },
]);
