import { setTimeout as pause } from 'node:timers/promises';
import { differs, fail, pass, type Check } from '../check.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { contentObject, objectOf, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { PROMPT } from './bounds.ts';
import { rawRequest } from './refusal.ts';

const STREAMING = {
  section: 'RFC 9110 7.7',
  level: 'quality',
  risk: 'latency',
  phase: 'timed',
} as const;

/** Milliseconds between the first and the last byte of what is streamed. */
const SPREAD = 2 * PROMPT;

/** A check that the first byte comes long before the last. */
function streams(id: `streaming/${string}`, rule: string, target: string): Check {
  return {
    ...STREAMING,
    id,
    rule,
    observes: 'arrival',
    async run(session) {
      const start = performance.now();
      let firstContent: number | undefined;
      const note = (length: number): void => {
        if (length > 0) firstContent ??= performance.now() - start;
      };
      let transfer: Transfer;
      if (session.front === 'h2') {
        const client = await session.openHttp2();
        const stream = client.start(tagged(session.newTag(), { target: session.unique(target) }));
        transfer = session.record(
          await client.finish(stream, session.time, () => {
            note(stream.content.length);
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
      if (transfer.ending !== 'complete')
        return fail('a complete response', transfer.ending, transfer);
      const { duration } = transfer;
      const first = Math.min(firstContent ?? Infinity, duration);
      const found = `the first byte of content after ${Math.round(first)} ms of ${Math.round(duration)}`;
      return first < PROMPT ? pass() : differs(found, transfer);
    },
  };
}

/** Bytes of each half of an upload. */
const HALF = 10_000;

/**
 * Uploads two halves, the second one `SPREAD` milliseconds after the first, unless there is a final response by then.
 */
async function upload(session: Session, path: string): Promise<Transfer> {
  const half = 'x'.repeat(HALF);
  const target = session.unique(path);
  const tag = session.newTag();
  const { time } = session;
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const stream = client.start(tagged(tag, { method: 'POST', target, content: half + half }));
    await client.sendContent(stream, Buffer.from(half), time, undefined, false);
    const isAnswered = await client.until(() => stream.head !== undefined, SPREAD);
    if (!isAnswered) await client.sendContent(stream, Buffer.from(half), time);
    return session.record(await client.finish(stream, time));
  }
  const client = await session.openHttp1();
  const lines = [`Content-Length: ${2 * HALF}`];
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

/** What is forwarded as it comes, and what is held back. */
export const streamingChecks: readonly Check[] = [
  streams(
    'streaming/response',
    'Response content is forwarded as it arrives.',
    `/drip?numbytes=5&duration=${SPREAD / 1000}`,
  ),
  streams(
    'streaming/response-length',
    'Response content with Content-Length is forwarded as it arrives.',
    `/range/1000?chunk_size=200&duration=${SPREAD / 1000}`,
  ),
  streams(
    'streaming/events',
    'Server-sent events are forwarded as they arrive.',
    `/sse?count=4&duration=${SPREAD / 1000}`,
  ),
  {
    ...STREAMING,
    id: 'streaming/head',
    rule: 'Whether the header section of a response is forwarded before its content arrives.',
    level: 'info',
    observes: 'arrival',
    async run(session) {
      const transfer = await session.send({ target: `/drip?numbytes=2&duration=${SPREAD / 1000}` });
      const { firstByte = Infinity } = transfer;
      return firstByte < PROMPT ? pass() : differs(`after ${Math.round(firstByte)} ms`, transfer);
    },
  },
  {
    ...STREAMING,
    id: 'streaming/upload',
    rule: 'Request content is forwarded as it arrives.',
    observes: 'arrival',
    async run(session) {
      const transfer = await upload(session, '/upload');
      const { response } = transfer;
      if (response?.status !== 200) return fail('200', outcomeOf(transfer), transfer);
      const timing = objectOf(contentObject(response)?.['timing']);
      const between = Number(timing?.['last_byte_ms']) - Number(timing?.['first_byte_ms']);
      return between >= PROMPT
        ? pass()
        : differs(
            `the origin received within ${Math.round(between)} ms what was sent in ${SPREAD} ms`,
            transfer,
          );
    },
  },
  {
    ...STREAMING,
    id: 'streaming/early-response',
    section: 'RFC 9110 7.5',
    rule: 'A final response that the origin sends before it has received all of the content is forwarded at once.',
    observes: 'arrival',
    async run(session) {
      const transfer = await upload(session, '/early?status=413');
      const { firstByte = Infinity } = transfer;
      if (transfer.response?.status !== 413) return fail('413', outcomeOf(transfer), transfer);
      return firstByte < SPREAD ? pass() : differs('not before all of the content', transfer);
    },
  },
];
