import { create, textBlock } from './dom.ts';
import { difference, LEVELS, OUTCOMES } from './report-checks.ts';
import { onPart } from './parts.ts';
import { shortened, type Check } from './report-json.ts';
import { readReport } from './report-read.ts';
import { TableView } from './table.ts';

/** Of a file, in MiB: far more than a report has. */
const MAX_SIZE = 32;
/** Characters of what was found, in the line of a check. */
const MAX_FOUND = 200;
/** The part of the page. */
const PART = 'reports';

/** Shows reports that are chosen or dropped. They are read here, and sent nowhere. */
export function enableReports(root: HTMLElement): void {
  const input = create('input', { type: 'file', accept: '.json', 'aria-label': 'Report' });
  const line = create('p', { class: 'line', role: 'status' });
  const shown = create('div');
  const show = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      if (file.size > MAX_SIZE * 2 ** 20) throw new Error(`it has more than ${MAX_SIZE} MiB`);
      const { summary, isBad, facts, ...parts } = readReport(await file.text());
      line.textContent = `${file.name}: ${summary}`;
      line.className = `line ${isBad ? 'bad' : 'good'}`;
      const view = new TableView(parts.table.caption, 'card');
      view.show(parts.table);
      shown.replaceChildren(
        create('p', { class: 'hint' }, facts.join(' · ')),
        ...listOf(parts.failures, 'bad'),
        // The findings come first.
        parts.checks.length > 0
          ? create('div', { class: 'group' }, folded(parts.table.caption, view.element))
          : view.element,
        ...listOf(parts.notes, 'hint'),
        ...(parts.checks.length > 0 ? [filteredList(parts.checks)] : []),
      );
    } catch (error) {
      line.textContent = `${file.name} cannot be shown: ${error instanceof Error ? error.message : ''}`;
      line.className = 'line bad';
      shown.replaceChildren();
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

function folded(label: string, content: HTMLElement): HTMLElement {
  return create('details', {}, create('summary', {}, label), content);
}

function listOf(sentences: readonly string[], look: string): HTMLElement[] {
  if (sentences.length === 0) return [];
  return [create('ul', { class: look }, ...sentences.map((text) => create('li', {}, text)))];
}

/** The outcomes that are shown until others are chosen. */
const SHOWN = ['fail', 'error', 'flaky'];

/** The results, with filters; the fragment of the page's URL may name one of them. */
function filteredList(checks: readonly Check[]): HTMLElement {
  const entries = checks.map((check) => [check, entryOf(check)] as const);
  const outcome = selectOf('Outcome', ['all', ...OUTCOMES], SHOWN.join(', '));
  const level = selectOf('Level', LEVELS);
  const front = selectOf('Front', [...new Set(checks.map((check) => check.front))]);
  const text = create('input', { type: 'search', 'aria-label': 'Words' });
  text.placeholder = 'words …';
  const count = create('span', { role: 'status' });
  const controls = [outcome, level, front, text];
  const filter = (): void => {
    let visible = 0;
    const chosen = outcome.value ? [outcome.value] : SHOWN;
    const words = text.value.toLowerCase().split(/\s+/);
    for (const [check, element] of entries) {
      const isShown =
        (outcome.value === 'all' || chosen.includes(check.outcome)) &&
        ['', check.level].includes(level.value) &&
        ['', check.front].includes(front.value) &&
        words.every((word) => textOf(check).includes(word));
      element.hidden = !isShown;
      if (isShown) visible++;
    }
    count.textContent = `${visible} of ${entries.length} results`;
  };
  const bar = create('div', { class: 'bar' }, ...controls, count);
  bar.addEventListener('input', filter);
  filter();
  const list = create('div', { class: 'group' }, ...entries.map(([, element]) => element));
  const open = (rest: string): void => {
    const found = entries.find(([each]) => fragmentOf(each) === `#${PART}/${rest}`);
    if (!found) return;
    const [check, linked] = found;
    if (linked.hidden) {
      for (const control of controls) control.value = '';
      outcome.value = check.outcome;
      filter();
    }
    linked.open = true;
    linked.scrollIntoView();
  };
  onPart(PART, open);
  // Once the list is in the page.
  queueMicrotask(() => open(location.hash.slice(PART.length + 2)));
  return create('div', {}, bar, list);
}

const textOf = ({ id, rule, expected, found }: Check): string =>
  [id, rule, expected, found].join(' ').toLowerCase();

/** As browsers write it, whatever the file has as a name. */
const fragmentOf = ({ front, id }: Check): string =>
  new URL(`#${PART}/${front}/${id}`, 'http://localhost').hash;

/** @param first what is shown until something is chosen */
function selectOf(label: string, names: readonly string[], first = 'all'): HTMLSelectElement {
  const all = create('option', { value: '' }, `${label}: ${first}`);
  return create(
    'select',
    { 'aria-label': label },
    all,
    ...names.map((name) => create('option', {}, name)),
  );
}

function entryOf(check: Check): HTMLDetailsElement {
  const { outcome, id, front, level, risk, note, found } = check;
  const element = create(
    'details',
    outcome === 'fail' ? { class: 'failed' } : {},
    create(
      'summary',
      {},
      create('b', {}, outcome),
      create('code', {}, id),
      create(
        'span',
        {},
        [front, level, risk, note, shortened(found, MAX_FOUND)].filter(Boolean).join(' · '),
      ),
    ),
  );
  element.addEventListener('toggle', () => element.append(...contentOf(check)), { once: true });
  return element;
}

function contentOf(check: Check): HTMLElement[] {
  const { rule, expected, found, evidence } = check;
  const [start, one, other, end] = difference(expected, found);
  const marked = (label: string, middle: string) =>
    create('p', {}, `${label}: `, start, create('mark', {}, middle), end);
  return [
    create('p', {}, `${rule} `, create('a', { href: fragmentOf(check) }, 'Link')),
    ...(expected === ''
      ? [create('p', {}, found)]
      : [marked('Expected', one), marked('Found', other)]),
    ...evidence.flatMap(evidenceOf),
  ];
}

function evidenceOf({ sent, origin, received }: Check['evidence'][number]): HTMLElement[] {
  return [
    ...blockOf('Sent', sent),
    ...(origin === '' ? [] : blockOf('Received by the origin', origin)),
    ...blockOf('Received', received),
  ];
}

function blockOf(label: string, text: string): HTMLElement[] {
  return [create('h3', {}, label), textBlock(label, text)];
}
