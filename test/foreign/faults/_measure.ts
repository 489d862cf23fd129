import { H2_ENGINES } from '../../../src/settings/settings.ts';
import { startService } from '../../_service.ts';
import { journalled, type Arrival } from './_arrivals.ts';
import type { Case, Scripted } from './_case.ts';
import { groups, rowsOf } from './_cases.ts';
import { caseCell, type Outcome } from './_cell.ts';
import type { Measured, Row } from './_page.ts';
import { Aborted, type Ready, type Reports, type Version } from './_program.ts';
import { ScriptedOrigin } from './_scripted.ts';

/** An origin of cases, which is started for each client. */
interface Served {
  readonly version: Version;
  readonly isServed: (request: Case) => boolean;
  start(): Promise<Started>;
}

interface Started {
  readonly base: string;
  arrivals(key: string): Promise<readonly Arrival[]>;
  close(): void;
}

function wirebin(version: Version, isSecure: boolean, engine: string): Served {
  return {
    version,
    isServed: ({ origin, tls }) => origin === undefined && (version === '2' || tls === isSecure),
    async start() {
      const settings = ['--allow-raw', `--h2-engine=${engine}`, '--journal-keys=10000'];
      const { port, service } = await startService(settings);
      return {
        base: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
        arrivals: (key) => journalled(`http://127.0.0.1:${port}`, key),
        close: () => service.close(),
      };
    },
  };
}

function scripted(kind: Scripted): Served {
  return {
    version: '2',
    isServed: (request) => request.origin === kind,
    async start() {
      const origin = await ScriptedOrigin.start(kind);
      return {
        base: origin.base,
        arrivals: (key) => Promise.resolve(origin.arrivals(key)),
        close: () => origin.close(),
      };
    },
  };
}

function origins(versions: readonly Version[]): Served[] {
  const [engine] = H2_ENGINES;
  const all = [
    wirebin('1.1', false, engine),
    wirebin('1.1', true, engine),
    ...H2_ENGINES.map((each) => wirebin('2', true, each)),
    scripted('frames'),
    scripted('no streams'),
  ];
  return all.filter(({ version }) => versions.includes(version));
}

function code(text: string): string {
  return `\`${text.replace(/^GET /, '')}\``;
}

function titleOf({ label, method, path, next }: Case): string {
  if (label !== undefined) return label;
  return [code(`${method} ${path}`), ...(next === undefined ? [] : [code(next)])].join(', then ');
}

interface Numbered {
  readonly key: string;
  readonly group: string;
  readonly request: Case;
  readonly versions: readonly Version[];
}

async function outcomeOf(key: string, reports: Reports, started: Started): Promise<Outcome> {
  const report = reports.get(key);
  if (!report) throw new Error(`nothing is reported of ${key}`);
  return { report, arrivals: await started.arrivals(key) };
}

/** @returns the cells of the cases by their key */
async function cellsAt(
  served: Served,
  ready: Ready,
  cases: readonly Numbered[],
): Promise<Map<string, string>> {
  const started = await served.start();
  try {
    const requests = new Map(cases.map(({ key, request }) => [key, request]));
    const reports = await ready.send(started.base, served.version, requests);
    const cells = cases.map(async ({ key, request }): Promise<[string, string]> => {
      const next = reports.has(`${key}+`)
        ? await outcomeOf(`${key}+`, reports, started)
        : undefined;
      return [key, caseCell(request, await outcomeOf(key, reports, started), next)];
    });
    return new Map(await Promise.all(cells));
  } finally {
    started.close();
  }
}

const TRIES = 3;

/** Runs a client, and once more if it aborts: Node may abort when an HTTP/2 session is garbage-collected. */
async function withoutAbort<T>(run: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Aborted) || tried === TRIES) throw error;
      console.log(`run again: ${error.message}`);
    }
  }
}

/** The outcomes of cases at an origin. */
interface Found {
  readonly version: Version;
  readonly cells: ReadonlyMap<string, string>;
}

function numberedCases(versions: readonly Version[]): Numbered[] {
  let count = 0;
  return groups.flatMap((group) =>
    rowsOf(group, versions).map(([request, each]): Numbered => ({
      key: `case-${count++}`,
      group: group.name,
      request,
      versions: each,
    })),
  );
}

/** Sends the cases to one origin at a time: they share this process, and a client has a time limit. */
async function foundBy(
  ready: Ready,
  versions: readonly Version[],
  cases: readonly Numbered[],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const served of origins(versions)) {
    const { version } = served;
    const mine = cases.filter(
      ({ versions: each, request }) => each.includes(version) && served.isServed(request),
    );
    const cells = await withoutAbort(() => cellsAt(served, ready, mine));
    found.push({ version, cells });
  }
  return found;
}

export async function measured(ready: Ready, versions: readonly Version[]): Promise<Measured> {
  const numbered = numberedCases(versions);
  const found = await foundBy(ready, versions, numbered);
  const rows = numbered.map(({ key, group, request, versions: each }): Row => {
    const outcomes: Partial<Record<Version, readonly string[]>> = {};
    for (const version of each) {
      const cells = found.flatMap((one) => (one.version === version ? [one.cells.get(key)] : []));
      outcomes[version] = [...new Set(cells.filter((cell) => cell !== undefined))].toSorted();
    }
    return { group, title: titleOf(request), outcomes };
  });
  return { version: ready.version, rows };
}
