import { create } from './dom.ts';
import { goTo } from './parts.ts';

/** Makes the search filter endpoints and links to topics of the documentation. `/` focuses it from everywhere, and arrow keys move between endpoints. */
export function enableSearch(): void {
  const part = document.querySelector<HTMLElement>('#try');
  const lead = part?.querySelector('.lead');
  if (!part || !lead) return;
  const entries = [...part.querySelectorAll<HTMLElement>('.group')].flatMap((group) =>
    [...group.querySelectorAll('details')].map((element) => entryOf(element, group)),
  );
  const topics = part.querySelector<HTMLElement>('#topics');
  /** Those that match, in the order in which they are shown. */
  let found: readonly Entry[] = entries;
  const input = create('input', {
    type: 'search',
    id: 'search',
    'aria-keyshortcuts': '/',
    'aria-describedby': 'keys',
  });
  input.placeholder = 'bytes, redirect, POST …';
  input.autocomplete = 'off';
  const count = create('span', { role: 'status' }, `${entries.length} endpoints`);
  const label = create(
    'label',
    { for: 'search' },
    'Search ',
    create('kbd', { 'aria-hidden': 'true' }, '/'),
  );
  const hint = create(
    'p',
    { class: 'hint', id: 'keys' },
    'Enter opens the first; ↑ and ↓ go from one to the next.',
  );
  lead.after(create('div', { class: 'search' }, label, input, count), hint);

  const filter = (): void => {
    found = matches(entries, input.value);
    for (const { element, group } of entries) element.hidden = group.hidden = true;
    if (topics) filterTopics(topics, wordsOf(input.value));
    show(found);
    hint.hidden = found.length === 0;
    count.textContent =
      found.length === 0 ? 'No endpoint matches' : `${found.length} of ${entries.length} endpoints`;
  };
  input.addEventListener('input', filter);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const [first] = found;
    // The key must not act on the element that gets the focus.
    event.preventDefault();
    if (first) first.element.open = true;
    else topics?.querySelector<HTMLElement>('a:not([hidden])')?.click();
    focusSummary(first);
  });
  part.addEventListener('keydown', (event) => moveFocus(event, input, found));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    event.preventDefault();
    if (part.hidden) goTo(part.id);
    input.focus();
  });
}

/** An endpoint, with its texts in lower case. */
interface Entry {
  readonly element: HTMLDetailsElement;
  readonly group: HTMLElement;
  readonly path: string;
  readonly summary: string;
  readonly parameters: string;
}

function entryOf(element: HTMLDetailsElement, group: HTMLElement): Entry {
  const textOf = (selector: string): string =>
    element.querySelector(selector)?.textContent?.toLowerCase() ?? '';
  return {
    element,
    group,
    path: textOf('summary code'),
    summary: textOf('summary'),
    parameters: textOf('.fields'),
  };
}

/** Shows the links that have all words, and the line if there is one. */
function filterTopics(line: HTMLElement, words: readonly string[]): void {
  const links = [...line.querySelectorAll('a')];
  for (const link of links) {
    const text = link.textContent.toLowerCase();
    link.hidden = !words.every((word) => text.includes(word));
  }
  line.hidden = links.every(({ hidden }) => hidden);
}

function wordsOf(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

/** The entries that have all words, the best first, each followed by the others of its group. */
function matches(entries: readonly Entry[], search: string): Entry[] {
  const words = wordsOf(search);
  const sorted = entries
    .map((entry) => ({
      entry,
      distance: words.reduce((sum, word) => sum + distance(entry, word), 0),
    }))
    .filter((match) => match.distance < Infinity)
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ entry }) => entry);
  const groups = new Set(sorted.map(({ group }) => group));
  return [...groups].flatMap((group) => sorted.filter((entry) => entry.group === group));
}

/** Rank of an entry for a word, the best first: by path, summary, parameters. A status code also finds `status`. */
function distance(entry: Entry, word: string): number {
  const { path, summary, parameters } = entry;
  if (path.includes(`/${word}`) || isInstance(word, path)) return 0;
  if (path.includes(word)) return 1;
  if (summary.includes(word)) return 2;
  if (parameters.includes(word)) return 3;
  return /^[2-5]\d\d$/.test(word) ? distance(entry, 'status') : Infinity;
}

/** Whether a path, such as `/status/404`, is one of a template, such as `/status/{codes}`. */
function isInstance(word: string, template: string): boolean {
  const [path = ''] = word.replace(/^\/?/, '/').split('?');
  const parts = template.split('/');
  const given = path.split('/');
  return (
    given.length === parts.length &&
    parts.every((part, at) => part === given[at] || (part.startsWith('{') && given[at] !== ''))
  );
}

/** Shows entries in their order. */
function show(found: readonly Entry[]): void {
  for (const { element, group } of found) {
    element.hidden = group.hidden = false;
    group.append(element);
    group.parentElement?.append(group);
  }
}

function focusSummary(entry: Entry | undefined): void {
  entry?.element.querySelector('summary')?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea');
}

function moveFocus(event: KeyboardEvent, input: HTMLInputElement, entries: readonly Entry[]): void {
  const { target, key } = event;
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (!(target instanceof Element) || step === 0) return;
  const isSummary = target.matches('summary');
  if (!isSummary && target !== input) return;
  const at = isSummary ? entries.findIndex(({ element }) => element.contains(target)) : -1;
  event.preventDefault();
  if (at + step < 0) input.focus();
  else focusSummary(entries[at + step]);
}
