import { isVerdict, type Check } from './check.ts';
import type { FrontName } from './front.ts';
import type { Facts } from './probe.ts';
import type { Result } from './result.ts';

export const ANSWERS = ['yes', 'no', 'partly', 'not seen'] as const;
export type Answer = (typeof ANSWERS)[number];

/** An answer with a few words. Those of `not seen` say why; others may be empty. */
export interface Said {
  readonly answer: Answer;
  readonly words: string;
}

/** What an answer needs of a result. */
export interface Seen extends Pick<Result, 'front' | 'outcome'> {
  readonly id: string;
  readonly found?: string | undefined;
  readonly reason?: string | undefined;
}

/** What an answer needs of a run. */
export interface SeenRun {
  readonly facts: Pick<
    Facts,
    'fronts' | 'tls' | 'settings' | 'origins' | 'pooling' | 'ignoresQuery' | 'met'
  >;
  readonly results: readonly Seen[];
  /** Whether the run was interrupted, or why it ended early: checks without a result may have been selected. */
  readonly isInterrupted: boolean;
  readonly stopped?: string | undefined;
}

/** What a result says of a capability. */
export interface Reading {
  readonly answer: 'yes' | 'no' | 'partly';
  readonly words: string;
}

/** A check that a capability rests on. */
export interface Source {
  readonly id: Check['id'];
  /** What it is about, where a capability has several sources: `after 503`. */
  readonly label?: string;
  /** What a result with a verdict says; undefined if it says nothing of the capability. */
  readonly read: (result: Seen) => Reading | undefined;
  /** What the reason of one without a verdict says. */
  readonly readReason?: (reason: string) => Reading | undefined;
  /** Other checks of the same: the first that does not say `no` is heard. */
  readonly or?: readonly Source[];
  /** Whether the answer is complete without this check. */
  readonly isOptional?: boolean;
}

/** What a capability rests on. */
export interface Grounds {
  readonly sources: readonly Source[];
  /** What the facts alone say. */
  readonly byFacts?: (facts: SeenRun['facts']) => Said | undefined;
  /** The only protocol of clients that the capability is for. */
  readonly front?: FrontName;
  /** Whether `yes` is the bad news: one source proves it, and `no` takes all of them. */
  readonly isRisk?: boolean;
}

export const yes = (words = ''): Reading => ({ answer: 'yes', words });
export const no = (words = ''): Reading => ({ answer: 'no', words });
export const partly = (words = ''): Reading => ({ answer: 'partly', words });

/** What a source says on one front side, or why it says nothing. */
interface Note extends Said {
  readonly label: string;
  readonly front: FrontName;
}

/** The answer of all sources on each front side of the target. */
export function answerOf(grounds: Grounds, run: SeenRun): Said {
  const { sources, front: only, byFacts, isRisk = false } = grounds;
  const known = byFacts?.(run.facts);
  if (known) return known;
  const fronts = run.facts.fronts.filter((front) => only === undefined || front === only);
  if (fronts.length === 0)
    return { answer: 'not seen', words: `the target does not offer ${only} to clients` };
  const notes = sources.flatMap((source) => fronts.flatMap((front) => noted(source, front, run)));
  const answers = new Set(notes.map(({ answer }) => answer));
  const answer = summed(answers, isRisk);
  const isSilent = answers.size === 1 && answers.has('not seen');
  if (!isSilent) return { answer, words: wordsOf(notes, fronts, answer) };
  // Further sources often say nothing because the first one does.
  const [first] = sources;
  const unlabelled = first && { id: first.id, read: first.read, or: first.or ?? [] };
  const reasons = unlabelled ? fronts.flatMap((front) => noted(unlabelled, front, run)) : [];
  return { answer, words: wordsOf(reasons, fronts, answer) };
}

function summed(answers: ReadonlySet<Answer>, isRisk: boolean): Answer {
  const [good, bad] = isRisk ? (['no', 'yes'] as const) : (['yes', 'no'] as const);
  if (answers.has('partly') || (answers.has(good) && answers.has(bad))) return 'partly';
  if (answers.has(bad)) return bad;
  if (!answers.has(good)) return 'not seen';
  if (!answers.has('not seen')) return good;
  return isRisk ? 'not seen' : 'partly';
}

function noted(source: Source, front: FrontName, run: SeenRun): Note[] {
  const { label = '', isOptional = false, or = [] } = source;
  const resultOf = ({ id }: Source): Seen | undefined =>
    run.results.find((result) => result.id === id && result.front === front);
  const all = [source, ...or];
  const readings = all.flatMap((each) => {
    const result = resultOf(each);
    if (!result) return [];
    const { outcome, reason = '' } = result;
    return (isVerdict(outcome) ? each.read(result) : each.readReason?.(reason)) ?? [];
  });
  const heard = readings.find(({ answer }) => answer !== 'no') ?? readings[0];
  if (heard) return [{ label, front, ...heard }];
  if (isOptional) return [];
  const silent = all.map(resultOf).find((result) => result && !isVerdict(result.outcome));
  const words = silent ? (silent.reason ?? `${silent.id} is ${silent.outcome}`) : undefined;
  const missing =
    run.isInterrupted || run.stopped !== undefined ? 'the run ended before' : 'not selected';
  return [{ label, front, answer: 'not seen', words: words ?? missing }];
}

/** What the notes say, those with the same answer and words together. An answer other than that of all is named. */
function wordsOf(notes: readonly Note[], fronts: readonly FrontName[], answer: Answer): string {
  const groups = new Map<string, { readonly note: Note; readonly labels: Set<string> }>();
  const keyOf = (note: Note): string => JSON.stringify([note.answer, note.words]);
  for (const note of notes) {
    const key = keyOf(note);
    const group = groups.get(key) ?? { note, labels: new Set() };
    groups.set(key, group);
    const { label, front } = note;
    const alike = notes.filter((each) => each.label === label && keyOf(each) === key);
    const where = alike.length === fronts.length ? '' : `on ${front}`;
    group.labels.add([label, where].filter(Boolean).join(' '));
  }
  const parts = Array.from(groups.values(), ({ note, labels }) => {
    const named = [...labels].filter(Boolean).join(', ');
    const text = [named, note.words].filter(Boolean).join(': ');
    return text === '' || note.answer === answer ? text : `${note.answer} ${text}`;
  });
  return parts.filter(Boolean).join('; ');
}
