import { readFileSync } from 'node:fs';
import { problems } from '../src/http/problem.ts';
import { flagOf, settings, variableOf } from '../src/settings/settings.ts';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';
import { CALL_FAULTS } from '../src/grpc/faults.ts';
import { servedFiles } from '../src/grpc/files.ts';
import type { Setting } from '../src/settings/setting.ts';
import { knownLibraries } from '../test/known/_libraries.ts';
import { checkTable, productTable } from '../test/known/_matrix.ts';
import { knownProxies } from '../test/known/_proxies.ts';
import { knownServers } from '../test/known/_servers.ts';
import { endpointIndex, fragmentOf } from './endpoint-pages.ts';
import { code, table } from './markdown.ts';
import { publicationPages, publishedAt } from './publication.ts';
import { recipePages } from './recipe-pages.ts';
import { problemCodes } from '../src/pages/problem-page.ts';
import { prometheusText } from '../src/telemetry/prometheus.ts';
import { emptyMetrics } from '../src/telemetry/statistics.ts';

const allSettings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(settings);

/** All that is served by gRPC. */
export const protoFiles = servedFiles({
  readiness: completeState.readiness,
  pod: { namespace: '', ingress: '', service: '', pod: '' },
});

/** What `npm run docs` writes into each page, by the name of the markers that enclose it. */
export const generated: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/endpoints.md': { endpoints: endpointIndex() },
  'docs/faults.md': { faults: faultsTable() },
  'docs/grpc.md': { 'grpc-services': servicesTable(), 'grpc-faults': callFaultsTable() },
  'docs/settings.md': { settings: settingsTable() },
  'docs/limits.md': { limits: limitsTable() },
  'docs/errors.md': { errors: errorsTable() },
  'docs/metrics.md': { metrics: metricsTable() },
  ...merged(recipePages(), publicationPages(publishedAt(readFileSync('package.json', 'utf8')))),
  'docs/proxies/README.md': {
    servers: table(...productTable(knownServers)),
    libraries: table(...productTable(knownLibraries)),
  },
  'docs/proxies/checks.md': { checks: table(...checkTable(knownProxies)) },
};

type Pages = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sections of both; a page may have some of each. */
function merged(one: Pages, other: Pages): Pages {
  const pages = Object.entries(other).map(([path, sections]) => [
    path,
    { ...one[path], ...sections },
  ]);
  return { ...one, ...Object.fromEntries(pages) };
}

/** The text between `<!-- name -->` and `<!-- /name -->`. @throws where the markers are missing */
export function section(page: string, name: string): string {
  const [, after] = page.split(`<!-- ${name} -->\n`);
  const [text, rest] = after?.split(`<!-- /${name} -->`) ?? [];
  if (text === undefined || rest === undefined) throw new Error(`there are no markers of ${name}`);
  return text;
}

/** The page with its generated sections written anew. */
export function withSections(page: string, sections: Readonly<Record<string, string>>): string {
  let text = page;
  for (const [name, content] of Object.entries(sections)) {
    const markers = [`<!-- ${name} -->\n`, `<!-- /${name} -->`] as const;
    text = text.replace(markers.join(section(text, name)), () => markers.join(`${content}\n`));
  }
  return text;
}

/** The faults below /fault; the list of endpoints has what else breaks a response. */
function faultsTable(): string {
  const rows = allEndpoints(completeState).flatMap((endpoint) => {
    const { path, summary } = endpoint;
    if (!/^\/fault\/\w/.test(path)) return [];
    return [[`[${code(path)}](endpoints/faults.md${fragmentOf(endpoint)})`, summary]];
  });
  return table(['Path', ''], rows);
}

function servicesTable(): string {
  const rows = protoFiles.flatMap(({ name: file, services = [] }) =>
    services.map(({ name, methods }) => [
      code(name),
      Object.keys(methods).join(', '),
      `[${file}](../proto/${file})`,
    ]),
  );
  return table(['Service', 'Methods', 'File'], rows);
}

function callFaultsTable(): string {
  const rows = Array.from(CALL_FAULTS, ([name, { summary }]) => [code(name), summary]);
  return table(['Fault', ''], rows);
}

function settingsTable(): string {
  const rows = allSettings.map(([name, setting]) => {
    const variables = [variableOf(name), setting.commonVariable].filter((it) => it !== undefined);
    const { defaultText, help } = setting;
    return [
      flagCell(name, setting),
      variables.map(code).join(', '),
      defaultText,
      allowed(setting),
      help,
    ];
  });
  return table(['Flag', 'Variable', 'Default', 'Values', 'Description'], rows);
}

function limitsTable(): string {
  const limits = allSettings.filter(([name]) => /^max|Timeout$/.test(name));
  const rows = limits.map(([name, setting]) => [
    flagCell(name, setting),
    setting.defaultText,
    allowed(setting),
    setting.help,
  ]);
  return table(['Flag', 'Default', 'Values', 'Description'], rows);
}

function flagCell(name: string, { value, short }: Setting<unknown>): string {
  const flag = code(`--${flagOf(name)}${value === undefined ? '' : ` ${value}`}`);
  return short === undefined ? flag : `${code(`-${short}`)}, ${flag}`;
}

/** The words or the range; the kind of value stands beside the flag. */
function allowed({ choices, allowed: text }: Setting<unknown>): string {
  if (choices) return choices.words.map(code).join(', ');
  const [, min, max, more = ''] = /from (\S+) to ([^\s,]+)(, or .*)?/.exec(text) ?? [];
  return min === undefined || max === undefined ? '' : `${min} to ${max}${more}`;
}

function errorsTable(): string {
  const rows = problemCodes.map((name) => {
    const { status, title, cause } = problems[name];
    return [code(name), String(status), title, cause];
  });
  return table(['Code', 'Status', 'Title', 'Cause'], rows);
}

/** From the HELP and TYPE lines of the text that Prometheus gets. */
function metricsTable(): string {
  const text = prometheusText(emptyMetrics());
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (.*)$/gm)];
  const rows = helps.map(([, name, help, type]) => [code(name ?? ''), type ?? '', help ?? '']);
  return table(['Metric', 'Type', ''], rows);
}
