import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createService, type Service } from '../../src/index.ts';
import { section } from '../../scripts/tables.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { read } from './_deploy.ts';
import { alerts, dashboard, panels } from './_monitoring.ts';

/** What Prometheus and its operator add to a sample. */
const TARGET_LABELS = ['container', 'namespace', 'pod'];

/** The values of each label of each sample name in Prometheus's text. */
type Scrape = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function readScrape(text: string): Scrape {
  const scrape = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', pairs = ''] of text.matchAll(/^(\w+)(?:{(.*)})? \S+$/gm)) {
    const labels = scrape.get(name) ?? new Map<string, Set<string>>();
    scrape.set(name, labels);
    for (const [, label = '', value = ''] of pairs.matchAll(/(\w+)="([^"]*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set<string>()).add(value));
    }
  }
  return scrape;
}

/** The metrics of an expression, each with its matchers. */
function selectors(expression: string): { metric: string; matchers: [string, string, string][] }[] {
  const found = expression.matchAll(/\b((?:wirebin|process)_\w+|up)\b(?:{([^}]*)})?/g);
  return Array.from(found, ([, metric = '', pairs = '']) => ({
    metric,
    matchers: Array.from(
      pairs.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g),
      ([, label = '', operator = '', value = '']): [string, string, string] => [
        label,
        operator,
        value,
      ],
    ),
  }));
}

/** The labels that an expression groups by. */
function grouped(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
}

/** The labels of an expression's result, of which a text may show the values. */
function resultLabels(expression: string): string[] {
  const all = grouped(expression);
  return all.length > 0 ? all.filter((name) => name !== 'le') : TARGET_LABELS;
}

const documented = [...section(read('docs/limits.md'), 'reasons').matchAll(/^\| `([\w-]+)`/gm)];
const reasons = new Set(documented.map(([, reason = '']) => reason));

const expressions: [name: string, expression: string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.map(({ title, legendFormat, expr }): [string, string] => [
    `${title}: ${legendFormat}`,
    expr,
  ]),
  ...Array.from(
    read('docs/metrics.md').matchAll(/^# (.*)\n(\S.*)$/gm),
    ([, title = '', expression = '']): [string, string] => [title, expression],
  ),
];

describe('expressions', () => {
  let service: Service;
  let scrape: Scrape;

  beforeAll(async () => {
    service = await createService({
      metricsEnabled: true,
      proxyProtocol: 'optional',
      chaos: ['status=503:100%'],
      chaosPaths: ['/unstable'],
    });
    const port = Number(new URL(service.httpOrigin).port);
    for (const path of ['/healthz', '/status/404', '/unstable', '/fault/close']) {
      await exchange(port, GET(path, LAST));
    }
    await exchange(port, 'PROXY TCP5 \r\n');
    scrape = readScrape(await (await fetch(`${service.httpOrigin}/metrics`)).text());
  });
  afterAll(() => service.close());

  test('there are some of the alerts, the dashboard and the documentation', () => {
    expect(expressions.length).toBeGreaterThan(35);
    expect(expressions.map(([name]) => name)).toContain('Share of TLS handshakes that fail');
  });

  test.each(expressions)('%s', (_, expression) => {
    const used = selectors(expression);
    expect(used).not.toEqual([]);
    for (const { metric, matchers } of used) {
      const labels = metric === 'up' ? new Map<string, Set<string>>() : scrape.get(metric);
      if (!labels) throw new Error(`${metric} is not in /metrics`);
      for (const name of grouped(expression)) {
        expect([...TARGET_LABELS, ...labels.keys()]).toContain(name);
      }
      for (const [label, , value] of matchers) {
        if (TARGET_LABELS.includes(label)) continue;
        const known = label === 'reason' ? reasons : labels.get(label);
        for (const each of value.split('|')) expect([...(known ?? [])]).toContain(each);
      }
    }
  });

  test.each(panels)('the legend of $title has labels of its result: $legendFormat', (panel) => {
    const shown = [...panel.legendFormat.matchAll(/{{(\w+)}}/g)].map(([, name = '']) => name);
    expect(resultLabels(panel.expr)).toEqual(expect.arrayContaining(shown));
  });

  test('the variables of the dashboard are labels of a metric', () => {
    const queries = dashboard.templating.list
      .map(({ query }) => query)
      .filter((query) => query.startsWith('label_values('));
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const [, metric = '', label = ''] = /\((\w+).*, (\w+)\)$/.exec(query) ?? [];
      expect([...scrape.keys()]).toContain(metric);
      expect(TARGET_LABELS).toContain(label);
    }
  });

  test('the dashboard shows each metric that is counted since the start', () => {
    const counters = [...scrape.keys()].filter((name) => name.endsWith('_total'));
    expect(counters.length).toBeGreaterThan(8);
    const shown = new Set(
      panels.flatMap(({ expr }) => selectors(expr)).map(({ metric }) => metric),
    );
    expect(counters.filter((name) => !shown.has(name))).toEqual([]);
  });
});
