import { describe, expect, test } from 'vitest';
import { H2_ENGINES } from '../../../src/settings/settings.ts';
import { startService } from '../../_service.ts';
import { clients, type Ready, type Report, type Version } from './_clients.ts';
import { http1Cases, http2Cases, type Case } from './_cases.ts';
import { attemptsOf, cellOf, comparedTable, FAULTS_PAGE, type Column } from './_table.ts';

const casesOf: Readonly<Record<Version, readonly Case[]>> = { '1.1': http1Cases, '2': http2Cases };

function isEcho(path: string): boolean {
  return path.startsWith('/informational/');
}

/**
 * Sends every case.
 *
 * @param settings of the service
 * @returns the cells of the client's column, from its reports and the journal
 */
async function columnOf(
  client: Ready,
  name: string,
  version: Version,
  settings: readonly string[],
): Promise<Column> {
  const { port, service } = await startService(settings);
  const cleartext = `http://127.0.0.1:${port}`;
  const secure = `https://127.0.0.1:${port}`;
  const named = casesOf[version].map((request, at) => [`${version}-${at}`, request] as const);
  const isSecure = ([, { tls }]: (typeof named)[number]): boolean => tls || version === '2';
  const reports = new Map<string, Report>([
    ...(await client.send(secure, version, new Map(named.filter(isSecure)))),
    ...(await client.send(cleartext, version, new Map(named.filter((one) => !isSecure(one))))),
  ]);
  const cells = await Promise.all(
    named.map(async ([key, { path }]) => {
      const report = reports.get(key);
      if (!report) throw new Error(`${name} reports nothing of ${key}`);
      return cellOf(report, await attemptsOf(cleartext, key), isEcho(path));
    }),
  );
  service.close();
  return { title: client.version, cells };
}

const runs: readonly (readonly [name: string, version: Version, settings: readonly string[]])[] = [
  ['HTTP/1.1', '1.1', []],
  ...H2_ENGINES.map((engine) => [`HTTP/2 by ${engine}`, '2', ['--h2-engine', engine]] as const),
];

describe.each(runs)('faults as clients report them, %s', (_, version, settings) => {
  test('what the page says', async ({ skip }) => {
    const columns: Column[] = [];
    for (const client of clients.filter(({ versions }) => versions.includes(version))) {
      const ready = await client.prepare();
      if (typeof ready === 'string') console.log(`not run: ${client.name}: ${ready}`);
      else columns.push(await columnOf(ready, client.name, version, settings));
    }
    if (columns.length === 0) skip('there is no client');
    const rows = casesOf[version].map(({ method, path }) => [method, path] as const);
    const { expected, found } = comparedTable(FAULTS_PAGE, `clients-${version}`, rows, columns);
    expect(found).toEqual(expected);
  });
});
