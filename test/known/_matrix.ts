import { FRONTS } from '../../src/check/front.ts';
import { OUTCOMES, type Outcome } from '../../src/check/check.ts';
import { knownProxies, type KnownProxy } from './_proxies.ts';
import { recorded, type Recorded } from './_records.ts';

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

type Column = Recorded & { readonly proxy: KnownProxy };

/** The proxies with a record, with the number of each outcome. */
export function proxyTable(): Table {
  const head = ['Proxy', 'Version', ...OUTCOMES.map((outcome) => `${SYMBOLS[outcome]} ${outcome}`)];
  const rows = columns().map(({ proxy, version, outcomes }) => {
    const all = [...outcomes.values()];
    const files = proxy.configuration.map((file) => `[${file}](${proxy.name}/${file})`);
    return [`[${proxy.title}](${proxy.name}/verdicts.json)`, [version, ...files].join(', ')].concat(
      OUTCOMES.map((outcome) => String(all.filter((each) => each === outcome).length)),
    );
  });
  return [head, rows];
}

/** A row for each check: one symbol if both front sides have the same outcome, else that of each. */
export function matrix(): Table {
  const all = columns();
  const ids = new Set(
    all.flatMap(({ outcomes }) => Array.from(outcomes.keys(), (key) => idOf(key))),
  );
  const head = ['Check', ...all.map(({ proxy, version }) => `${proxy.title} ${version}`)];
  return [head, Array.from(ids, (id) => [`\`${id}\``, ...all.map((column) => cell(column, id))])];
}

function columns(): Column[] {
  return knownProxies.flatMap((proxy) => {
    const record = recorded(proxy);
    return record ? [{ proxy, ...record }] : [];
  });
}

const idOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

function cell({ outcomes }: Column, id: string): string {
  const [h1, h2] = FRONTS.map((front) => {
    const outcome = OUTCOMES.find((each) => each === outcomes.get(`${front} ${id}`));
    return outcome && SYMBOLS[outcome];
  });
  if (h1 === h2 || h2 === undefined) return h1 ?? '';
  return h1 === undefined ? h2 : `${h1} ${h2}`;
}
