import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { checks as catalogue } from '../../src/check/catalogue/all.ts';
import { outcomesOf, storedReport, type StoredReport } from '../../src/check/report/stored.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import type { KnownProxy } from './_known-proxy.ts';

const RECORDS = fileURLToPath(new URL('../../docs/proxies/', import.meta.url));

/** By front and id of the check. */
export type Verdicts = ReadonlyMap<string, string>;

/** The id of the check in a key of `Verdicts`. */
export const idOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

/** What the comparison and the matrix need of a record. */
export interface Recorded {
  /** Of the proxy. */
  readonly version: string;
  /** The date of the run, in UTC: `2026-11-29`. */
  readonly recorded: string;
  /** The protocol of the connections to the origin. */
  readonly origin: string;
  readonly outcomes: Verdicts;
  readonly results: StoredReport;
}

/** The folder of a proxy: its configuration and its record. */
export function folderOf({ name }: KnownProxy): string {
  return join(RECORDS, name);
}

function recordOf(proxy: KnownProxy): string {
  return join(folderOf(proxy), 'verdicts.json');
}

/** Of a report, or of a record. */
export function verdictsOf(report: string): Verdicts {
  return outcomesOf(storedReport(report, 'report.json'));
}

/** @returns undefined if there is no record of the proxy */
export function recorded(proxy: KnownProxy): Recorded | undefined {
  const path = recordOf(proxy);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const { version, recorded: date, origin } = JSON.parse(text) as Recorded;
  const results = storedReport(text, path);
  return { version, recorded: date, origin, outcomes: outcomesOf(results), results };
}

/** Writes the record of a proxy, and beside it the whole report, which git ignores. */
export async function record(proxy: KnownProxy, version: string, report: string): Promise<void> {
  writeFileSync(join(folderOf(proxy), 'report.json'), report);
  const { code } = await format('verdicts.json', JSON.stringify(recordFrom(version, report)), {
    printWidth: 100,
  });
  writeFileSync(recordOf(proxy), code);
}

type Verdict = string | readonly string[];

/** What is recorded of a report. @param version of the proxy */
export function recordFrom(
  version: string,
  report: string,
): Pick<Recorded, 'version' | 'recorded' | 'origin'> & {
  readonly checks: Readonly<Record<string, Verdict>>;
} {
  const { facts, started_at: startedAt } = JSON.parse(report) as CheckReport;
  const checks = new Map<string, [h1: string, h2: string]>();
  for (const { id, front, outcome, found } of storedReport(report, 'report.json')) {
    const verdicts = checks.get(id) ?? ['', ''];
    const isFound = outcome === 'fail' || outcome === 'differs';
    verdicts[front === 'h2' ? 1 : 0] = isFound ? `${outcome}: ${withoutPorts(found)}` : outcome;
    checks.set(id, verdicts);
  }
  const merged = Array.from(checks, ([id, [h1, h2]]): [string, Verdict] => {
    const both = h2 === '' ? [h1] : [h1, h2];
    return [id, h1 === h2 ? h1 : both];
  });
  return {
    version,
    recorded: startedAt.slice(0, 'YYYY-MM-DD'.length),
    origin: facts.origin_protocol,
    checks: Object.fromEntries(merged),
  };
}

/** What was found, without the ports of a run, so that another run records the same. */
const withoutPorts = (found: string | undefined): string | undefined =>
  found?.replace(/:\d{5}\b/g, ':PORT');

export interface Comparison {
  /** `front id: old → new` for each verdict that is another. */
  readonly turned: readonly string[];
  /** Checks that only one of the two has, because the catalogue has changed. */
  readonly unmatched: readonly string[];
}

/** @param key a front and the id of a check */
function isByChance(key: string, ...outcomes: readonly string[]): boolean {
  const chances = catalogue.find(({ id }) => id === idOf(key))?.byChance;
  return chances?.some((outcome) => outcomes.includes(outcome)) ?? false;
}

/** Compares the verdicts, except those that turn by chance. */
export function compare(old: Verdicts, found: Verdicts): Comparison {
  const all = new Set([...old.keys(), ...found.keys()]);
  const turned: string[] = [];
  const unmatched: string[] = [];
  for (const key of all) {
    const [before, after] = [old.get(key), found.get(key)];
    if (before === undefined || after === undefined) unmatched.push(key);
    else if (before !== after && !isByChance(key, before, after)) {
      turned.push(`${key}: ${before} → ${after}`);
    }
  }
  return { turned, unmatched };
}
