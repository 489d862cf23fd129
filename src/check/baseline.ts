import { readFileSync, writeFileSync } from 'node:fs';
import { SettingsError } from '../settings/settings-error.ts';
import { checks } from './catalogue/all.ts';
import { objectOf } from './origin.ts';
import type { Result } from './result.ts';

/** A finding that is known. */
interface Entry {
  readonly id: string;
  readonly front: string;
  /** Why it is accepted. */
  readonly reason: string;
  /** The last day on which it is accepted, as YYYY-MM-DD. */
  readonly expires: string | undefined;
}

/** What a baseline says of a run. */
export interface Compared {
  /** Findings that are not in the baseline, or no longer accepted. */
  readonly findings: readonly Result[];
  /** What the user should know: entries that have expired or no longer hold. */
  readonly notes: readonly string[];
}

/** Findings that are known and accepted, in a file. */
export class Baseline {
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** @throws SettingsError if the file is no baseline; a missing file is an empty one */
  static read(path: string): Baseline {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return new Baseline([]);
      throw error;
    }
    return new Baseline(parseEntries(text, path));
  }

  /** @param today as YYYY-MM-DD */
  compare(findings: readonly Result[], results: readonly Result[], today: string): Compared {
    const notes: string[] = [];
    const accepted = new Set<string>();
    for (const { id, front, expires } of this.#entries) {
      const key = keyOf({ id, front });
      const result = results.find((each) => keyOf(each) === key);
      if (expires !== undefined && expires < today) {
        notes.push(`${key}: the entry of the baseline expired on ${expires}`);
      } else accepted.add(key);
      if (!checks.some((check) => check.id === id)) notes.push(`${key}: there is no such check`);
      if (result && result.outcome !== 'fail') {
        notes.push(`${key}: the baseline has a finding, and the outcome is now ${result.outcome}`);
      }
    }
    return { findings: findings.filter((finding) => !accepted.has(keyOf(finding))), notes };
  }

  /** Writes the findings; what entries say of them is kept, and entries of checks that were not run. */
  write(path: string, findings: readonly Result[], results: readonly Result[]): void {
    const isRun = new Set(results.map(keyOf));
    const others = this.#entries.filter((entry) => !isRun.has(keyOf(entry)));
    const found = findings.map(({ id, front }): Entry => {
      const known = this.#entries.find((entry) => keyOf(entry) === keyOf({ id, front }));
      return (
        known ?? { id, front, reason: 'found when the baseline was written', expires: undefined }
      );
    });
    writeFileSync(path, `${JSON.stringify({ findings: [...others, ...found] }, undefined, 2)}\n`);
  }
}

function keyOf({ id, front }: { readonly id: string; readonly front: string }): string {
  return `${front} ${id}`;
}

function parseEntries(text: string, path: string): Entry[] {
  const invalid = new SettingsError(
    `${path} is no baseline: it needs a list \`findings\` of objects with id, front and reason`,
  );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid;
  }
  const entries = objectOf(value)?.['findings'];
  if (!Array.isArray(entries)) throw invalid;
  return entries.map((entry: unknown) => {
    const { id, front, reason, expires } = objectOf(entry) ?? {};
    if (!isText(id) || !isText(front) || !isText(reason)) throw invalid;
    if (expires === undefined) return { id, front, reason, expires };
    if (!isText(expires) || !/^\d{4}-\d{2}-\d{2}$/.test(expires)) throw invalid;
    return { id, front, reason, expires };
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
