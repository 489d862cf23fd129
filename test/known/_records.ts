import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../src/check/check.ts';
import type { KnownProxy } from './_proxies.ts';

const RECORDS = fileURLToPath(new URL('../../docs/proxies/', import.meta.url));
const VERSIONS = join(RECORDS, 'versions.json');

/** What the comparison and the matrix need of a report. */
export interface Verdicts {
  readonly summary: Readonly<Record<Outcome, number>>;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  /** By front and id of the check. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** The folder of a proxy: its configuration and its report. */
export function folderOf({ name }: KnownProxy): string {
  return join(RECORDS, name);
}

function reportOf(proxy: KnownProxy): string {
  return join(folderOf(proxy), 'report.json');
}

interface StoredReport {
  readonly summary: Readonly<Record<Outcome, number>>;
  readonly facts: { readonly origin_protocol: string };
  readonly checks: readonly {
    readonly id: string;
    readonly front: string;
    readonly outcome: Outcome;
  }[];
}

export function verdictsOf(report: string): Verdicts {
  const { summary, facts, checks } = JSON.parse(report) as StoredReport;
  const outcomes = checks.map(({ id, front, outcome }) => [`${front} ${id}`, outcome] as const);
  return { summary, origin: facts.origin_protocol, outcomes: new Map(outcomes) };
}

/** The versions of the proxies whose reports are stored, by name. */
export function recordedVersions(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(VERSIONS, 'utf8')) as Readonly<Record<string, string>>;
}

export function recorded(proxy: KnownProxy): Verdicts {
  return verdictsOf(readFileSync(reportOf(proxy), 'utf8'));
}

export function record(proxy: KnownProxy, version: string, report: string): void {
  writeFileSync(reportOf(proxy), report);
  const versions = { ...recordedVersions(), [proxy.name]: version };
  writeFileSync(VERSIONS, `${JSON.stringify(versions, undefined, 2)}\n`);
}

export interface Comparison {
  /** `front id: old → new` for each verdict that is another. */
  readonly turned: readonly string[];
  /** Checks that only one of the two has, because the catalogue has changed. */
  readonly unmatched: readonly string[];
}

/**
 * The outcome of checks that depends on more than the proxy: not-applicable if it takes another of its idle
 * connections to the origin; differs if it closes idle connections at about the limit of the check. HAProxy and Apache
 * lose a race now and then, so that a request that was cut off is complete for the origin; Apache forwards none of those
 * that it has not lost.
 */
const BY_CHANCE: Readonly<Record<string, readonly Outcome[]>> = {
  'idle/stale-get': ['not-applicable'],
  'idle/stale-post': ['not-applicable'],
  'idle/front': ['differs'],
  'truncation/request': ['pass', 'flaky', 'not-applicable'],
};

/** @param key a front and the id of a check */
function isByChance(key: string, ...outcomes: readonly Outcome[]): boolean {
  const chances = BY_CHANCE[key.slice(key.indexOf(' ') + 1)];
  return chances?.some((outcome) => outcomes.includes(outcome)) ?? false;
}

/** Compares the verdicts, except those that turn by chance. */
export function compare(old: Verdicts, found: Verdicts): Comparison {
  const all = new Set([...old.outcomes.keys(), ...found.outcomes.keys()]);
  const turned: string[] = [];
  const unmatched: string[] = [];
  for (const key of all) {
    const [before, after] = [old.outcomes.get(key), found.outcomes.get(key)];
    if (before === undefined || after === undefined) unmatched.push(key);
    else if (before !== after && !isByChance(key, before, after)) {
      turned.push(`${key}: ${before} → ${after}`);
    }
  }
  return { turned, unmatched };
}
