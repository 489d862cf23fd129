import { describe, expect, test } from 'vitest';
import { H2_ENGINES } from '../../../src/settings/settings.ts';
import { startService } from '../../_service.ts';
import { journalled, type Arrival } from './_arrivals.ts';
import type { Case } from './_case.ts';
import { groups, rowsOf } from './_cases.ts';
import { caseCell, type Outcome } from './_cell.ts';
import { clients, type FaultClient } from './_clients.ts';
import { ClientPage, type Measured, type Row } from './_page.ts';
import { writeIndex } from './_index.ts';
import type { Ready, Reports, Version } from './_program.ts';
import { ScriptedOrigin } from './_scripted.ts';

/** An origin of cases. */
interface Served {
  readonly version: Version;
  readonly isServed: (request: Case) => boolean;
  readonly base: string;
  arrivals(key: string): Promise<readonly Arrival[]>;
  close(): void;
}

async function wirebin(version: Version, isSecure: boolean, engine: string): Promise<Served> {
  const settings = ['--allow-raw', `--h2-engine=${engine}`, '--journal-keys=10000'];
  const { port, service } = await startService(settings);
  return {
    version,
    isServed: ({ origin, tls }) => origin === undefined && (version === '2' || tls === isSecure),
    base: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    arrivals: (key) => journalled(`http://127.0.0.1:${port}`, key),
    close: () => service.close(),
  };
}

async function scripted(kind: 'frames' | 'no streams'): Promise<Served> {
  const origin = await ScriptedOrigin.start(kind);
  return {
    version: '2',
    isServed: (request) => request.origin === kind,
    base: origin.base,
    arrivals: (key) => Promise.resolve(origin.arrivals(key)),
    close: () => origin.close(),
  };
}

function origins(versions: readonly Version[]): Promise<Served[]> {
  const [engine] = H2_ENGINES;
  const http1 = [wirebin('1.1', false, engine), wirebin('1.1', true, engine)];
  const http2 = [
    ...H2_ENGINES.map((each) => wirebin('2', true, each)),
    scripted('frames'),
    scripted('no streams'),
  ];
  return Promise.all([
    ...(versions.includes('1.1') ? http1 : []),
    ...(versions.includes('2') ? http2 : []),
  ]);
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

async function outcomeOf(key: string, reports: Reports, served: Served): Promise<Outcome> {
  const report = reports.get(key);
  if (!report) throw new Error(`nothing is reported of ${key}`);
  return { report, arrivals: await served.arrivals(key) };
}

/** @returns the cells of the cases that the origin serves, by their key */
async function cellsAt(
  served: Served,
  ready: Ready,
  cases: readonly Numbered[],
): Promise<Map<string, string>> {
  const { version, base } = served;
  const mine = cases.filter(
    ({ versions, request }) => versions.includes(version) && served.isServed(request),
  );
  const reports = await ready.send(
    base,
    version,
    new Map(mine.map(({ key, request }) => [key, request])),
  );
  const cells = mine.map(async ({ key, request }): Promise<[string, string]> => {
    const next = reports.has(`${key}+`) ? await outcomeOf(`${key}+`, reports, served) : undefined;
    return [key, caseCell(request, await outcomeOf(key, reports, served), next)];
  });
  const found = new Map(await Promise.all(cells));
  served.close();
  return found;
}

async function measured({ versions }: FaultClient, ready: Ready): Promise<Measured> {
  let count = 0;
  const numbered = groups.flatMap((group) =>
    rowsOf(group, versions).map(([request, each]): Numbered => ({
      key: `case-${count++}`,
      group: group.name,
      request,
      versions: each,
    })),
  );
  const found: { readonly version: Version; readonly cells: ReadonlyMap<string, string> }[] = [];
  // One after the other: they share this process with the origins, and a client has a time limit.
  for (const served of await origins(versions)) {
    found.push({ version: served.version, cells: await cellsAt(served, ready, numbered) });
  }
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

const named = clients.map((client) => [client.name, client] as const);

describe('faults as clients report them', () => {
  test.each(named)('%s: what its page says', async (_, client) => {
    const [ready, formerReady] = await Promise.all([client.prepare(), client.former?.()]);
    if (typeof ready === 'string') {
      console.log(`not run: ${client.name}: ${ready}`);
      return;
    }
    const current = await measured(client, ready);
    const former =
      formerReady === undefined || typeof formerReady === 'string'
        ? undefined
        : await measured(client, formerReady);
    const page = new ClientPage(client);
    if (process.env['WIREBIN_WRITE_DOCS'] !== '1') {
      expect(page.deviations(current, former)).toEqual([]);
      return;
    }
    page.write(current, former, groups);
    writeIndex();
  });
});
