import { setTimeout as pause } from 'node:timers/promises';
import { unlessInterrupted } from '../../check/exit.ts';
import type { Target } from '../../check/target.ts';
import { errorText } from '../../net/error-text.ts';
import { FixedRate } from '../load/fixed-rate.ts';
import { mergedRate } from '../load/merged-load.ts';
import { ask } from '../ask.ts';
import type { Side } from '../measure.ts';
import type { Scenario } from '../scenarios.ts';
import { Arrivals } from './arrivals.ts';
import { JournalReader } from './journal-reader.ts';
import { Ledger, type Account } from './ledger.ts';
import { Marks, numberIn } from './marks.ts';
import { runInShell } from './shell.ts';
import { Timeline } from './timeline.ts';
import type { Measured } from './view.ts';

/** Milliseconds for the rest of the journal, when no request is open. */
const LAST_LOOK = 10_000;

/** A load in which a command is run. */
export interface DuringLoad {
  readonly side: Side;
  readonly scenario: Scenario;
  readonly target: Target;
  /** What the journal is read from: the origin if it can be reached directly, otherwise the target. */
  readonly journal: Target;
  readonly command: string;
  /** In requests per second. */
  readonly rate: number;
  /** Before the command, and again after it. */
  readonly seconds: number;
  /** Limit of each request, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Loads the target at a rate, runs the command meanwhile, and finds out what became of each request. */
export async function measureDuring(load: DuringLoad): Promise<Measured> {
  const { side, scenario, journal, command, rate, timeout, signal } = load;
  const [ledger, marks] = [new Ledger(), new Marks()];
  const reader = new JournalReader(journal, timeout);
  try {
    const arrivals = await unlessInterrupted(watched(load, ledger, marks, reader), signal);
    const { ran, lagP99, timeline, notSent } = await whileWatched(
      typeof arrivals === 'string' ? undefined : arrivals,
      // Without the journal, nothing would be forgotten that is entered.
      () => runUnderLoad(load, typeof arrivals === 'string' ? undefined : { ledger, marks }),
      signal,
    );
    if (typeof arrivals !== 'string') {
      await unlessInterrupted(arrivals.finish(LAST_LOOK), signal);
    }
    const loaded = { ran, lagP99, rate, timeline, notSent };
    const measured = { scenario, protocol: side.protocol, command, ...loaded };
    if (typeof arrivals === 'string') return { ...measured, account: undefined, notes: [arrivals] };
    const account = ledger.account();
    return { ...measured, account, notes: unknownNotes(arrivals, account) };
  } finally {
    reader.close();
  }
}

/** Watches which requests arrive while work is done. */
async function whileWatched<T>(
  arrivals: Arrivals | undefined,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const isOver = new AbortController();
  const watching = arrivals?.watch(isOver.signal);
  try {
    return await work();
  } finally {
    isOver.abort();
    // It reads on a connection that is closed then.
    await unlessInterrupted(Promise.resolve(watching), signal);
  }
}

const PROBLEM = 'Requests that failed are not known to be lost:';

/** Sends a marked request, and looks for it in the journal. @returns why it is not there, if so */
async function watched(
  { target, side, scenario, timeout }: DuringLoad,
  ledger: Ledger,
  marks: Marks,
  reader: JournalReader,
): Promise<Arrivals | string> {
  const { fields = [] } = scenario;
  const marked = { ...scenario, fields: [...marks.fieldsOf(0, marks.probeKey), ...fields] };
  const { failure } = await ask(target, side.protocol, marked, timeout);
  if (failure !== undefined) return `${PROBLEM} ${failure} with the field of the journal.`;
  try {
    const page = await reader.read(marks.probeKey);
    const [entry] = page.entries;
    if (!entry) {
      return `${PROBLEM} the origin keeps no journal of them (--journal-entries), or it is that of another origin.`;
    }
    if (numberIn(entry) === undefined) {
      return `${PROBLEM} what is between removes X-Wirebin-Bench, or adds so many fields that the journal leaves it out.`;
    }
    return new Arrivals(ledger, marks, (key) => reader.read(key), { key: marks.probeKey, page });
  } catch (error) {
    return `${PROBLEM} the journal of the origin cannot be read: ${errorText(error)}.`;
  }
}

/** Why some requests are unknown. */
function unknownNotes({ hasChanged }: Arrivals, { unknown }: Account): string[] {
  if (hasChanged) {
    return [
      'The journal is not of one process alone: the origin was restarted, or is one of several.',
    ];
  }
  return unknown > 0
    ? [
        'The journal did not keep requests until they were read: try a lower --rate, or more --journal-memory.',
      ]
    : [];
}

/** What a load has done. */
type RanUnderLoad = Pick<Measured, 'ran' | 'lagP99' | 'timeline' | 'notSent'>;

/** @param marked records each request, and gives it fields to find it by; undefined if there is no journal to search */
function runUnderLoad(
  { side, command, rate, seconds, timeout, signal }: DuringLoad,
  marked: { readonly ledger: Ledger; readonly marks: Marks } | undefined,
): Promise<RanUnderLoad> {
  return side.onSlots(signal, async (slots, prepare) => {
    const timeline = new Timeline(performance.now() + seconds * 1000);
    let settled = 0;
    const senders = slots.all.map((slot) => ({
      send(now: number, done: (failure: string | undefined) => void): void {
        const number = marked?.ledger.add();
        const settle = (failure: string | undefined): void => {
          settled++;
          if (number !== undefined) marked?.ledger.settle(number, failure === undefined);
          done(failure);
        };
        const fields = number === undefined ? [] : marked?.marks.fieldsOf(number);
        slot.send(now, settle, prepare(fields ?? []));
      },
    }));
    const load = new FixedRate(
      { all: senders },
      (due, end, failure) => timeline.record(due, end, failure),
      { rate, timeout, seconds: Infinity, warmUp: 0 },
    );
    const sending = load.run(signal);
    // It fails when the run is interrupted, which is noticed below.
    sending.catch(() => undefined);
    try {
      await pause(seconds * 1000, undefined, { signal });
      timeline.began(performance.now());
      const ran = await runInShell(command, signal);
      timeline.ended(ran.end);
      await pause(seconds * 1000, undefined, { signal });
      load.stop();
      const { lagP99 } = mergedRate([await sending]);
      // Those that waited for a slot for too long have a result, but no slot.
      return { ran, lagP99, timeline, notSent: timeline.all.requests - settled };
    } finally {
      load.stop();
    }
  });
}
