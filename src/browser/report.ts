import { create } from './dom.ts';
import { countByTopic, difference, parseReport, type Row } from './report-rows.ts';

/** Of a file, in MiB: far more than a report has. */
const MAX_SIZE = 32;

/** Outcomes in the order of the table. */
const OUTCOMES = ['fail', 'differs', 'error', 'flaky', 'blocked', 'pass', 'not-applicable'];
const LEVELS = ['must', 'should', 'quality', 'info'];

/** Shows reports that are chosen or dropped. They are read here, and sent nowhere. */
export function enableReports(root: HTMLElement): void {
  const input = create('input', { type: 'file', accept: '.json', 'aria-label': 'Report' });
  const line = create('p', { class: 'line', role: 'status' });
  const shown = create('div');
  const show = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    shown.replaceChildren();
    try {
      if (file.size > MAX_SIZE * 2 ** 20) throw new Error(`it has more than ${MAX_SIZE} MiB`);
      const { facts, rows } = parseReport(await file.text());
      const findings = rows.filter(({ outcome }) => outcome === 'fail').length;
      line.textContent = `${file.name}: ${findings} of ${rows.length} checks failed`;
      line.className = `line ${findings > 0 ? 'bad' : 'good'}`;
      shown.append(create('p', { class: 'hint' }, facts.join(' · ')), tableOf(rows), listOf(rows));
    } catch (error) {
      line.textContent = `${file.name} cannot be shown: ${error instanceof Error ? error.message : ''}`;
      line.className = 'line bad';
    }
  };
  input.addEventListener('change', () => void show(input.files?.[0]));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    void show(event.dataTransfer?.files[0]);
  });
  root.append(create('div', { class: 'bar' }, input), line, shown);
}

function tableOf(rows: readonly Row[]): HTMLElement {
  const outcomes = OUTCOMES.filter((name) => rows.some(({ outcome }) => outcome === name));
  const head = ['Topic', ...outcomes].map((name) => create('th', { scope: 'col' }, name));
  const lines = Array.from(countByTopic(rows), ([topic, counts]) =>
    create(
      'tr',
      {},
      create('th', { scope: 'row' }, topic),
      ...outcomes.map((name) => create('td', {}, String(counts.get(name) ?? ''))),
    ),
  );
  const region = { class: 'card scroll', tabindex: '0', role: 'region', 'aria-label': 'By topic' };
  const caption = create('caption', {}, 'Outcomes by topic');
  return create('div', region, create('table', {}, caption, create('tr', {}, ...head), ...lines));
}

/** All checks, those that failed first, with filters. */
function listOf(rows: readonly Row[]): HTMLElement {
  const rank = ({ outcome }: Row): number => OUTCOMES.indexOf(outcome);
  const entries = rows
    .toSorted((a, b) => rank(a) - rank(b))
    .map((row) => [row, entryOf(row)] as const);
  const outcome = selectOf('Outcome', OUTCOMES);
  const level = selectOf('Level', LEVELS);
  const text = create('input', { type: 'search', 'aria-label': 'Text in id or rule' });
  text.placeholder = 'id or rule …';
  const count = create('span', { role: 'status' });
  const filter = (): void => {
    let visible = 0;
    for (const [row, element] of entries) {
      const isShown =
        ['', row.outcome].includes(outcome.value) &&
        ['', row.level].includes(level.value) &&
        `${row.id} ${row.rule}`.toLowerCase().includes(text.value.toLowerCase());
      element.hidden = !isShown;
      if (isShown) visible++;
    }
    count.textContent = `${visible} of ${entries.length} checks`;
  };
  const bar = create('div', { class: 'bar' }, outcome, level, text, count);
  bar.addEventListener('input', filter);
  filter();
  const list = create('div', { class: 'group' }, ...entries.map(([, element]) => element));
  return create('div', {}, bar, list);
}

function selectOf(label: string, names: readonly string[]): HTMLSelectElement {
  const all = create('option', { value: '' }, `${label}: all`);
  return create(
    'select',
    { 'aria-label': label },
    all,
    ...names.map((name) => create('option', {}, name)),
  );
}

function entryOf(row: Row): HTMLDetailsElement {
  const { outcome, id, front, level, found } = row;
  const element = create(
    'details',
    outcome === 'fail' ? { class: 'failed' } : {},
    create(
      'summary',
      {},
      create('b', {}, outcome),
      create('code', {}, id),
      create('span', {}, [front, level, found].filter(Boolean).join(' · ')),
    ),
  );
  element.addEventListener('toggle', () => element.append(...contentOf(row)), { once: true });
  return element;
}

function contentOf({ rule, expected, found, evidence }: Row): HTMLElement[] {
  const [start, one, other, end] = difference(expected, found);
  const marked = (label: string, middle: string) =>
    create('p', {}, `${label}: `, start, create('mark', {}, middle), end);
  return [
    create('p', {}, rule),
    ...(expected === ''
      ? [create('p', {}, found)]
      : [marked('Expected', one), marked('Found', other)]),
    ...evidence.flatMap(({ sent, origin, received }) => [
      ...blockOf('Sent', sent),
      ...(origin === '' ? [] : blockOf('Received by the origin', origin)),
      ...blockOf('Received', received),
    ]),
  ];
}

function blockOf(label: string, text: string): HTMLElement[] {
  return [create('h3', {}, label), create('pre', { tabindex: '0', 'aria-label': label }, text)];
}
