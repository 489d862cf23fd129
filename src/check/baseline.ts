import { writeFileSync } from 'node:fs';
import { parseJson } from '../http/json-content.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { checks } from './catalogue/all.ts';
import { isVerdict } from './check.ts';
import { readInput } from './files.ts';
import { objectOf } from './origin.ts';
import { FRONTS, resultKey, type FrontName } from './front.ts';
import type { Result } from './result.ts';

/** A known finding that the user has accepted. */
interface Entry {
  readonly id: string;
  readonly front: string;
  /** Why the finding is accepted. */
  readonly reason: string;
  /** The last day on which the finding is accepted, as YYYY-MM-DD. */
  readonly expires: string | undefined;
}

/** The findings of a run, compared with the baseline. */
export interface Compared {
  /** Findings that are not in the baseline, or whose entry has expired. */
  readonly findings: readonly Result[];
  /** What the user should know: entries that have expired or no longer hold. */
  readonly notes: readonly string[];
}

/** A check on a front side. */
type Judged = Pick<Result, 'id' | 'front'>;

/** What is known of a target, in a file: findings that are accepted, and what had a verdict. */
export class Baseline {
  readonly #entries: readonly Entry[];
  /** The checks that had a verdict when it was written. */
  readonly judged: readonly Judged[];
  /** Those of them that passed. */
  readonly passed: readonly Judged[];

  constructor(
    entries: readonly Entry[] = [],
    judged: readonly Judged[] = [],
    passed: readonly Judged[] = [],
  ) {
    this.#entries = entries;
    this.judged = judged;
    this.passed = passed;
  }

  /** @throws SettingsError if the file cannot be read, or is no baseline */
  static read(path: string): Baseline {
    const content = parseContent(readInput(path).toString(), path);
    const [judged, passed] = [checksOf(content, 'judged', path), checksOf(content, 'passed', path)];
    return new Baseline(entriesOf(content, path), judged, passed);
  }

  /** @param today as YYYY-MM-DD */
  compare(findings: readonly Result[], results: readonly Result[], today: string): Compared {
    const notes: string[] = [];
    const accepted = new Set<string>();
    for (const { id, front, expires } of this.#entries) {
      const key = resultKey({ id, front });
      const result = results.find((each) => resultKey(each) === key);
      if (expires !== undefined && expires < today) {
        notes.push(`${key}: the entry of the baseline expired on ${expires}`);
      } else accepted.add(key);
      if (!checks.some((check) => check.id === id)) notes.push(`${key}: there is no such check`);
      if (result && isOver(result)) {
        notes.push(`${key}: the baseline has a finding, and the outcome is now ${result.outcome}`);
      }
    }
    return { findings: findings.filter((finding) => !accepted.has(resultKey(finding))), notes };
  }

  /**
   * Writes the baseline: its entries without those of checks that pass now, an entry for each new finding, and the
   * checks that have a verdict now or pass now, or did so and were not run.
   */
  write(path: string, findings: readonly Result[], results: readonly Result[]): void {
    const over = new Set(results.filter(isOver).map(resultKey));
    const kept = this.#entries.filter((entry) => !over.has(resultKey(entry)));
    const known = new Set(kept.map(resultKey));
    const added = findings
      .filter((finding) => !known.has(resultKey(finding)))
      .map(({ id, front }) => ({ id, front, reason: 'found when the baseline was written' }));
    const run = new Set(results.map(resultKey));
    const isNotRun = (each: Judged): boolean => !run.has(resultKey(each));
    const content = {
      findings: [...kept, ...added],
      judged: idsByFront([
        ...this.judged.filter(isNotRun),
        ...results.filter(({ outcome }) => isVerdict(outcome)),
      ]),
      passed: idsByFront([
        ...this.passed.filter(isNotRun),
        ...results.filter(({ outcome }) => outcome === 'pass'),
      ]),
    };
    writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

/** Whether the result shows that a finding is gone. Outcomes such as `error` do not show that. */
function isOver({ outcome }: Result): boolean {
  return outcome === 'pass' || outcome === 'differs';
}

/** The form of `judged` and `passed` in the file: the ids of each front side, in order. */
function idsByFront(judged: readonly Judged[]): Record<FrontName, string[]> {
  const of = (front: FrontName): string[] =>
    judged
      .filter((each) => each.front === front)
      .map(({ id }) => id)
      .toSorted();
  return { 'http/1.1': of('http/1.1'), h2: of('h2') };
}

function parseContent(text: string, path: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = error instanceof RangeError ? error.message : `is no JSON: ${error.message}`;
    throw new SettingsError(`${path} is no baseline: it ${why}`);
  }
  return objectOf(content) ?? {};
}

/** A list of checks; empty in a file of an older wirebin. Those that no longer exist are left out. */
function checksOf(
  content: Readonly<Record<string, unknown>>,
  key: 'judged' | 'passed',
  path: string,
): Judged[] {
  const byFront = content[key];
  if (byFront === undefined) return [];
  return FRONTS.flatMap((front) => {
    const ids = objectOf(byFront)?.[front];
    if (!Array.isArray(ids))
      throw new SettingsError(`${path} is no baseline: \`${key}\` needs a list \`${front}\``);
    return checks.filter(({ id }) => ids.includes(id)).map(({ id }) => ({ id, front }));
  });
}

function entriesOf(content: Readonly<Record<string, unknown>>, path: string): Entry[] {
  const entries = content['findings'];
  if (!Array.isArray(entries))
    throw new SettingsError(`${path} is no baseline: it needs a list \`findings\``);
  return entries.map((entry: unknown, at) => {
    const { id, front, reason, expires } = objectOf(entry) ?? {};
    const isComplete = isText(id) && isText(reason) && (front === 'http/1.1' || front === 'h2');
    if (isComplete && (expires === undefined || isDate(expires))) {
      return { id, front, reason, expires };
    }
    throw new SettingsError(
      `${path} is no baseline: entry ${at + 1} needs an id, a front (http/1.1 or h2), a reason and, if it ` +
        'expires, a date such as 2027-06-30',
    );
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
