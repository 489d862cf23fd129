import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../../../scripts/markdown.ts';
import { section } from '../../../scripts/tables.ts';
import type { FaultClient } from './_clients.ts';
import type { Version } from './_program.ts';
import { OR, parse, type Table } from './_table.ts';

/** Between the titles of cases with the same outcomes. */
const AND = ' _and_ ';

/** The outcomes of a case for a client, on each version of HTTP. */
export interface Row {
  readonly group: string;
  readonly title: string;
  /** Outcomes: several where they differ with the HTTP/2 engine or from run to run. */
  readonly outcomes: Readonly<Partial<Record<Version, readonly string[]>>>;
}

/** The outcomes of all cases for a version of a client. */
export interface Measured {
  /** As in the title of the page: `curl 8.23.0`. */
  readonly version: string;
  readonly rows: readonly Row[];
}

type Headings = readonly { readonly name: string; readonly heading: string }[];

/** In the cell of a version of HTTP that lacks the case. */
const NONE = '–';

const CHANGES = 'changes';

const columnOf = (version: Version): string => `HTTP/${version}`;

/** The page of a client: it has the tables that its tests compare with what they find, and write. */
export class ClientPage {
  readonly #client: FaultClient;
  readonly #url: URL;
  readonly #text: string;

  constructor(client: FaultClient) {
    this.#client = client;
    this.#url = new URL(`../../../docs/measured/clients/${client.page}.md`, import.meta.url);
    this.#text = existsSync(this.#url) ? readFileSync(this.#url, 'utf8') : '';
  }

  /** @returns outcomes that the page lacks; none for a version that is not on the page */
  deviations(current: Measured, former: Measured | undefined): string[] {
    return [current, former].flatMap((measured) => {
      if (!measured) return [];
      if (!this.#has(measured)) {
        console.log(`${measured.version}: not on the page, so not compared`);
        return [];
      }
      return cellsOf(measured).flatMap(({ row, version, found }) => {
        const written = this.#written(measured, row, version);
        return found
          .filter((outcome) => !written.includes(outcome))
          .map((outcome) => {
            const where = `${measured.version}, ${columnOf(version)}, ${row.title}`;
            return `${where}: ${outcome}, where the page has ${written.join(OR)}`;
          });
      });
    });
  }

  /** Writes the page, with the new outcomes added to those that it has of the same versions. */
  write(current: Measured, former: Measured | undefined, headings: Headings): void {
    const { name, versions } = this.#client;
    const now = this.#joined(current);
    const date = new Date().toISOString().slice(0, 10);
    const beside = former ? `, compared with ${former.version}` : '';
    const tables = headings.flatMap(({ name: group, heading }) => {
      const rows = now.rows.filter((row) => row.group === group);
      return rows.length === 0 ? [] : [`## ${heading}`, marked(group, tableOf(rows))];
    });
    const parts = [
      `# ${current.version}`,
      `How ${name} handles [faults](../../faults.md) and rare but valid responses.
[Method and terms](../faults.md#clients).
Measured on ${date}${beside}, over ${versions.map(columnOf).join(' and ')}.`,
      `    npm run test:foreign -- test/foreign/faults --testNamePattern '${name}'`,
      ...tables,
      ...(former ? changesOf(now, this.#joined(former)) : []),
    ];
    writeFileSync(this.#url, `${parts.join('\n\n')}\n`);
  }

  #has({ version }: Measured): boolean {
    const titles = [`# ${version}\n`, `## Since ${version}\n`];
    return titles.some((title) => this.#text.includes(title));
  }

  #isFormer({ version }: Measured): boolean {
    return this.#text.includes(`## Since ${version}\n`);
  }

  #written(measured: Measured, { group, title }: Row, version: Version): readonly string[] {
    const column = columnOf(version);
    const changed = this.#isFormer(measured) ? this.#changed(measured, title, column) : undefined;
    return changed ?? this.#section(group)[title]?.[column]?.split(OR) ?? [];
  }

  /** The cell of the earlier version; undefined if it is that of the current one. */
  #changed({ version }: Measured, title: string, column: string): string[] | undefined {
    const rows = Object.entries(this.#section(CHANGES));
    return rows.find(([cases]) => isAmong(cases, title, column))?.[1][version]?.split(OR);
  }

  #section(name: string): Table {
    return this.#text.includes(`<!-- ${name} -->\n`) ? parse(section(this.#text, name)) : {};
  }

  /** Adds the outcomes that the page has of the same version. */
  #joined(measured: Measured): Measured {
    if (!this.#has(measured)) return measured;
    const isFormer = this.#isFormer(measured);
    const rows = measured.rows.map((row) => {
      const outcomes: Partial<Record<Version, readonly string[]>> = {};
      for (const { version, found } of cellsOf({ ...measured, rows: [row] })) {
        const written = this.#written(measured, row, version);
        // Most cells of an earlier version are those of the current one, which may have changed.
        const isOwn =
          !isFormer ||
          this.#changed(measured, row.title, columnOf(version)) !== undefined ||
          found.some((outcome) => written.includes(outcome));
        outcomes[version] = [...new Set([...(isOwn ? written : []), ...found])].toSorted();
      }
      return { ...row, outcomes };
    });
    return { ...measured, rows };
  }
}

interface Cell {
  readonly row: Row;
  readonly version: Version;
  readonly found: readonly string[];
}

function cellsOf({ rows }: Measured): Cell[] {
  return rows.flatMap((row) =>
    (['1.1', '2'] as const).flatMap((version) => {
      const found = row.outcomes[version];
      return found ? [{ row, version, found }] : [];
    }),
  );
}

function marked(name: string, text: string): string {
  return `<!-- ${name} -->\n${text}\n<!-- /${name} -->`;
}

function tableOf(rows: readonly Row[]): string {
  const versions = (['1.1', '2'] as const).filter((version) =>
    rows.some(({ outcomes }) => outcomes[version]),
  );
  const cells = rows.map(({ title, outcomes }) => [
    title,
    ...versions.map((version) => outcomes[version]?.join(OR) ?? NONE),
  ]);
  return table(['Request', ...versions.map(columnOf)], cells);
}

/** The outcomes of the earlier version that the current one never has. Cases with the same outcomes share a row. */
function changesOf(now: Measured, before: Measured): string[] {
  const changed = cellsOf(before).flatMap(({ row, version, found }) => {
    const same = now.rows.find(({ group, title }) => group === row.group && title === row.title);
    const current = same?.outcomes[version];
    if (!current || found.every((outcome) => current.includes(outcome))) return [];
    return [{ title: row.title, version, outcome: found.join(OR) }];
  });
  const heading = `## Since ${before.version}`;
  if (changed.length === 0) return [heading, 'None of these outcomes has changed.'];
  const merged = grouped(changed, ({ title, outcome }) => `${title}\n${outcome}`).map((cases) => ({
    title: cases[0]?.title ?? '',
    on: cases.map(({ version }) => columnOf(version)).join(' and '),
    outcome: cases[0]?.outcome ?? '',
  }));
  const alike = grouped(merged, ({ on, outcome }) => `${on}\n${outcome}`);
  const rows = alike.map((cases) => [
    `${cases.map(({ title }) => title).join(AND)}, ${cases[0]?.on ?? ''}`,
    cases[0]?.outcome ?? '',
  ]);
  return [
    heading,
    'What the earlier version reported instead:',
    marked(CHANGES, table(['Request', before.version], rows)),
  ];
}

/** Groups in the order of their first element. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}

/** Whether a row of changes, by its first cell, has a case. */
function isAmong(cases: string, title: string, column: string): boolean {
  const [, titles = '', on = ''] = /^(.*), (HTTP\/(?:1\.1|2|1\.1 and HTTP\/2))$/.exec(cases) ?? [];
  return titles.split(AND).includes(title) && on.split(' and ').includes(column);
}
