import { setTimeout as pause } from 'node:timers/promises';
import type { RequestMessage } from '../message.ts';
import { newTag, tagged, withTag } from '../origin.ts';
import type { Session } from '../session.ts';
import { Unjudged } from '../unjudged.ts';
import type { Verdict } from '../verdict.ts';

/** Milliseconds from the end of a control request to the next one. */
const INTERVAL = 150;
/** Maximum number of measurements: another follows if the control allows no verdict. */
const ATTEMPTS = 3;

/**
 * How long the target and the machine take for a response that the target has no reason to hold back, in milliseconds:
 * the shortest and the longest time of several. Without such a response, 0 and Infinity.
 */
export interface Control {
  readonly least: number;
  readonly most: number;
}

/**
 * Whether something was held back: whether it took at least `bound` longer than the control.
 *
 * @param time in milliseconds
 * @param bound in milliseconds
 * @returns undefined if that depends on which time of the control is subtracted: the machine may be the cause
 */
export function isHeldBack(time: number, bound: number, control: Control): boolean | undefined {
  if (time - control.least < bound) return false;
  return time - control.most >= bound ? true : undefined;
}

/** The control of the time between two events, each of which is late by as much as a response takes. */
export const jitterOf = ({ least, most }: Control): Control => ({ least: 0, most: most - least });

/** What the control took, in words. */
export const controlText = ({ least, most }: Control): string =>
  most === Infinity
    ? 'no other response came'
    : `other responses took ${Math.round(least)} to ${Math.round(most)} ms`;

/**
 * Judges a measured time by a control, which is measured once before, as the target may serve one request at a time, and
 * then beside it on other connections, so that a busy machine delays both.
 *
 * @param request of the control; its response is complete at once
 * @param judge returns undefined if the control took too long or too different times for a verdict
 * @throws Unjudged if there is none after `ATTEMPTS`
 */
export async function judgedByControl<Measured>(
  session: Session,
  request: RequestMessage,
  measure: () => Promise<Measured>,
  judge: (measured: Measured, control: Control) => Verdict | undefined,
): Promise<Verdict> {
  for (let attempt = 1; ; attempt++) {
    const end = new AbortController();
    const before = await controlTimes(session, request);
    const [measured, beside] = await Promise.all([
      measure().finally(() => end.abort()),
      controlTimesUntil(end.signal, session, request),
    ]);
    const control = controlOf([...before, ...beside]);
    const verdict = judge(measured, control);
    if (verdict) return verdict;
    if (attempt === ATTEMPTS) throw new Unjudged(`too busy to be timed: ${controlText(control)}`);
  }
}

/** Sends the request again and again until the signal aborts, each time on a new connection. */
async function controlTimesUntil(
  signal: AbortSignal,
  session: Session,
  request: RequestMessage,
): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    times.push(...(await controlTimes(session, request)));
    await pause(INTERVAL, undefined, { signal }).catch(() => undefined);
  }
  return times;
}

/** Milliseconds that the response takes on a new connection; none without 200, since refusals may come at once. */
async function controlTimes(session: Session, request: RequestMessage): Promise<number[]> {
  const client = await session.open();
  const tag = newTag();
  const message = tagged(tag, { ...request, target: withTag(request.target, tag) });
  // Not recorded: it would stand for the arrival of what is judged.
  const { ending, duration, response } = await client.send(message, { time: session.time });
  client.close();
  return ending === 'complete' && response?.status === 200 ? [duration] : [];
}

function controlOf(times: readonly number[]): Control {
  return times.length === 0
    ? { least: 0, most: Infinity }
    : { least: Math.min(...times), most: Math.max(...times) };
}
