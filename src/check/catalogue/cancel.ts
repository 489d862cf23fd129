import { setTimeout as pause } from 'node:timers/promises';
import { FrameType, uint32 } from '../../wire/http2/frame.ts';
import { topic, type TopicCheck } from '../check.ts';
import { differs, notApplicable, pass, type Verdict } from '../verdict.ts';
import type { RequestMessage } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { metOften } from './fault.ts';
import { answeredByTarget } from './received.ts';

const CANCEL = {
  section: 'RFC 9110 9.2',
  level: 'quality',
  risk: 'latency',
  needs: ['journal'],
  phase: 'timed',
} as const;

/** Seconds within which the origin learns that the client has ended its request. */
const CANCEL_TIME = 1.5;
/** Number of canceled requests: some targets miss one now and then. */
const CANCELS = 8;
/** HTTP/2 error code CANCEL (RFC 9113 7). */
export const ERROR_CANCEL = 8;

/** How a client ends its request. */
type CancelKind = 'close' | 'reset' | 'rst-stream';

const WORDS: Readonly<Record<CancelKind, string>> = {
  close: 'FIN',
  reset: 'RST',
  'rst-stream': 'RST_STREAM',
};

/** Begins a request. @returns a function that cancels it */
export async function begin(
  session: Session,
  message: RequestMessage,
  how: CancelKind,
): Promise<() => void> {
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const { id } = client.start(message);
    return how === 'rst-stream'
      ? () => client.sendFrame(FrameType.rstStream, 0, id, uint32(ERROR_CANCEL))
      : () => client.close(how);
  }
  const client = await session.openHttp1();
  void session.sendOn(client, message);
  return () => client.close(how === 'reset' ? 'reset' : 'close');
}

/**
 * When the client cancels: in the middle of the response, or before it begins; `after` in milliseconds from the arrival of
 * the request at the origin.
 */
const MOMENTS = {
  // On HTTP/1.1 the origin takes a FIN for a half-close until writing fails, so it has to be writing. By then the target
  // has the head of the response: mitmproxy misses some RST_STREAM that come together with it.
  content: { suffix: '', words: '', target: '/drip?numbytes=400&duration=4', after: 300 },
  wait: {
    suffix: '-waiting',
    words: ' before the response has begun',
    target: '/delay/1',
    after: 0,
  },
} as const;
type Moment = keyof typeof MOMENTS;

/**
 * Judges whether the origin learns that the client has canceled a request.
 *
 * @param cancel ends the request
 * @param after milliseconds from the arrival of the request
 */
export async function whenCanceled(
  session: Session,
  tag: string,
  cancel: () => void,
  after = 0,
): Promise<Verdict> {
  const [begun] = await session.arrived(tag, `?wait=1&timeout=${CANCEL_TIME}`);
  if (!begun) return notApplicable('the request did not reach the origin before the client left');
  await pause(after);
  const start = performance.now();
  cancel();
  const entry = await session.ended(tag, CANCEL_TIME);
  const { outcome, half_closed: isHalfClosed = false } = entry ?? {};
  if (outcome === 'sent' && isHalfClosed) return pass('FIN arrived before the response began');
  // The time measured includes the request to the journal.
  const time = Math.round(performance.now() - start);
  return outcome === 'aborted' || outcome === 'disconnected'
    ? pass(`${outcome} after ${time} ms`)
    : differs('not canceled');
}

function cancelBy(how: CancelKind, moment: Moment): TopicCheck {
  const { suffix, words, target, after } = MOMENTS[moment];
  return {
    id: `cancel/${how}${suffix}`,
    rule: `A request whose client disconnects with ${WORDS[how]}${words} is canceled at the origin.`,
    ...(how === 'rst-stream' && {
      section: 'RFC 9113 8.7',
      rule: `A request whose client resets its stream${words} is canceled at the origin.`,
      fronts: ['h2'],
    }),
    run(session) {
      const meet = async (): Promise<Verdict> => {
        const tag = session.newTag();
        const cancel = await begin(session, tagged(tag, { target: session.unique(target) }), how);
        return whenCanceled(session, tag, cancel, after);
      };
      return metOften(meet, ({ outcome }) => outcome !== 'pass', CANCELS);
    },
  };
}

/** When a stream is reset, in parts of the time that another response has taken to begin. */
const AS_IT_BEGINS = Array.from({ length: 16 }, (_, at) => (at + 1) / 8);

/** Number of batches: mitmproxy misses one of 16 in some runs, and none in others. */
const BATCHES = 3;

/** Judges streams that are reset as the response begins: proxies lose an RST_STREAM that they read together with a head. */
async function resetAtHead(session: Session): Promise<Verdict> {
  const { target } = MOMENTS.content;
  const { transfer } = await session.echo();
  const { firstByte } = transfer;
  if (firstByte === undefined) return answeredByTarget({ transfer });
  const tags: string[] = [];
  for (const part of AS_IT_BEGINS) {
    const tag = session.newTag();
    const message = tagged(tag, { target: session.unique(target) });
    const cancel = await begin(session, message, 'rst-stream');
    await pause(part * firstByte);
    cancel();
    tags.push(tag);
  }
  const entries = await Promise.all(tags.map((tag) => session.ended(tag, CANCEL_TIME)));
  // One that is canceled before it is forwarded does not arrive.
  const arrived = entries.filter((entry) => entry !== undefined);
  const missed = arrived.filter(
    ({ outcome }) => outcome !== 'aborted' && outcome !== 'disconnected',
  );
  if (missed.length > 0) return differs(`${missed.length} of ${tags.length} not canceled`);
  return arrived.length > 0 ? pass(`${arrived.length} canceled`) : notApplicable('none arrived');
}

const canceled = (['content', 'wait'] as const).flatMap((moment) => [
  cancelBy('close', moment),
  cancelBy('reset', moment),
  cancelBy('rst-stream', moment),
]);

/** Checks of clients that cancel while the origin works on the response. */
export const cancelChecks = topic(CANCEL, [
  ...canceled,
  {
    id: 'cancel/rst-stream-at-head',
    section: 'RFC 9113 8.7',
    rule: `Each of ${AS_IT_BEGINS.length} requests whose client resets its stream as the response begins is canceled at the origin.`,
    fronts: ['h2'],
    run: (session) =>
      metOften(
        () => resetAtHead(session),
        ({ outcome }) => outcome !== 'pass',
        BATCHES,
      ),
  },
]);
