import { FRONTS } from '../../src/check/front.ts';
import { OUTCOMES, TOPICS, type Outcome } from '../../src/check/check.ts';
import type { KnownProxy } from './_known-proxy.ts';
import { idOf, recorded, type Recorded, type Verdicts } from './_records.ts';

const SYMBOLS = {
  pass: '✓',
  fail: '✗',
  differs: '≠',
  'not-applicable': '–',
  blocked: '⊘',
  flaky: '~',
  error: '!',
} as const satisfies Readonly<Record<Outcome, string>>;

type Table = [head: string[], rows: string[][]];

type Row = Recorded & { readonly proxy: KnownProxy };

/**
 * A row for each proxy with a record: its version, the date of the run, the configuration, the number of each outcome,
 * and that of the findings of each topic which has some.
 */
export function productTable(proxies: readonly KnownProxy[]): Table {
  const head = ['Proxy', 'Version', 'Recorded', 'Configuration', 'Outcomes', 'Findings'];
  const rows = recordsOf(proxies).map(({ proxy, version, recorded: date, outcomes }) => [
    `[${proxy.title}](${proxy.name}/verdicts.json)`,
    version,
    date,
    proxy.configuration.map((file) => `[${file}](${proxy.name}/${file})`).join(', '),
    counts(outcomes),
    findings(outcomes),
  ]);
  return [head, rows];
}

/** The number of findings of each topic, such as `hop 3, tls 1`. */
function findings(outcomes: Verdicts): string {
  const keys = [...outcomes].flatMap(([key, outcome]) => (outcome === 'fail' ? [key] : []));
  return TOPICS.flatMap((topic) => {
    const number = keys.filter((key) => idOf(key).startsWith(`${topic}/`)).length;
    return number === 0 ? [] : [`${topic} ${number}`];
  }).join(', ');
}

/**
 * The number of each outcome, without zeros, such as `41✓ 2✗`. No number is apart from its symbol where a narrow
 * column breaks the line.
 */
export function counts(outcomes: Verdicts): string {
  return OUTCOMES.flatMap((outcome) => {
    const number = [...outcomes.values()].filter((each) => each === outcome).length;
    return number === 0 ? [] : [`${number}${SYMBOLS[outcome]}`];
  }).join(' ');
}

/** A row for each check that some proxy has not passed: the folders of those that fail, differ, or cannot be told. */
export function checkTable(proxies: readonly KnownProxy[]): Table {
  const all = recordsOf(proxies);
  const ids = new Set(
    all.flatMap(({ outcomes }) => Array.from(outcomes.keys(), (key) => idOf(key))),
  );
  const head = ['Check', SYMBOLS.fail, SYMBOLS.differs, `${SYMBOLS.flaky} ${SYMBOLS.error}`];
  const rows = Array.from(ids, (id) => [
    `\`${id}\``,
    namesOf(all, id, ['fail']),
    namesOf(all, id, ['differs']),
    namesOf(all, id, ['flaky', 'error']),
  ]).filter(([, ...cells]) => cells.some((names) => names !== ''));
  return [head, rows];
}

/** The folders of the proxies with these outcomes of a check, with the protocol if that of the other is another one. */
function namesOf(all: readonly Row[], id: string, named: readonly Outcome[]): string {
  return all
    .flatMap(({ proxy: { name }, outcomes }) => {
      const asked = FRONTS.filter((front) => outcomes.has(`${front} ${id}`));
      const on = asked.filter((front) =>
        named.some((outcome) => outcome === outcomes.get(`${front} ${id}`)),
      );
      if (on.length === 0) return [];
      return [on.length === asked.length ? name : `${name} (${on.join(', ')})`];
    })
    .join(', ');
}

function recordsOf(proxies: readonly KnownProxy[]): Row[] {
  return proxies.flatMap((proxy) => {
    const record = recorded(proxy);
    return record ? [{ proxy, ...record }] : [];
  });
}
