import { FRONTS } from '../../src/check/front.ts';
import { OUTCOMES, TOPICS, type Outcome, type Topic } from '../../src/check/check.ts';
import { knownProxies, type KnownProxy } from './_proxies.ts';
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

type Column = Recorded & { readonly proxy: KnownProxy };

/** A column for each proxy with a record: what was recorded and when, then the number of each outcome by topic. */
export function topicTable(): Table {
  const all = columns();
  const row = (title: string, cellOf: (column: Column) => string): string[] => [
    title,
    ...all.map(cellOf),
  ];
  const rows = [
    row('Version', ({ version }) => version),
    row('Recorded', ({ recorded: date }) => date),
    row('Configuration', ({ proxy: { name, configuration } }) =>
      configuration.map((file) => `[${file}](${name}/${file})`).join(', '),
    ),
    row('**All**', ({ outcomes }) => counts(outcomes)),
    ...TOPICS.filter((topic) => all.some(({ outcomes }) => counts(outcomes, topic) !== '')).map(
      (topic) => row(`\`${topic}\``, ({ outcomes }) => counts(outcomes, topic)),
    ),
  ];
  const head = [
    'Topic',
    ...all.map(({ proxy }) => `[${proxy.title}](${proxy.name}/verdicts.json)`),
  ];
  return [head, rows];
}

/**
 * The number of each outcome, without zeros, such as `41✓ 2✗`. No number is apart from its symbol where a narrow
 * column breaks the line.
 *
 * @param topic that of the checks that are counted; all by default
 */
export function counts(outcomes: Verdicts, topic?: Topic): string {
  const counted = [...outcomes].filter(
    ([key]) => topic === undefined || idOf(key).startsWith(`${topic}/`),
  );
  return OUTCOMES.flatMap((outcome) => {
    const number = counted.filter(([, each]) => each === outcome).length;
    return number === 0 ? [] : [`${number}${SYMBOLS[outcome]}`];
  }).join(' ');
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

function cell({ outcomes }: Column, id: string): string {
  const [h1, h2] = FRONTS.map((front) => {
    const outcome = OUTCOMES.find((each) => each === outcomes.get(`${front} ${id}`));
    return outcome && SYMBOLS[outcome];
  });
  if (h1 === h2 || h2 === undefined) return h1 ?? '';
  return h1 === undefined ? h2 : `${h1} ${h2}`;
}
