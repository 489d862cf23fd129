import { create } from './dom.ts';
import { goTo } from './parts.ts';

/** Makes the search filter endpoints. `/` focuses it from everywhere, and arrow keys move between endpoints. */
export function enableSearch(): void {
  const part = document.querySelector<HTMLElement>('#try');
  const lead = part?.querySelector('.lead');
  if (!part || !lead) return;
  const entries = [...part.querySelectorAll('details')];
  const texts = new Map(entries.map((entry) => [entry, textOf(entry)]));
  const groups = [...part.querySelectorAll<HTMLElement>('.group')];
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
  lead.after(
    create('div', { class: 'search' }, label, input, count),
    create(
      'p',
      { class: 'hint', id: 'keys' },
      'Enter opens the first; ↑ and ↓ go from one to the next.',
    ),
  );

  const visible = (): HTMLDetailsElement[] => entries.filter(({ hidden }) => !hidden);
  const filter = (): void => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [entry, text] of texts) entry.hidden = !words.every((word) => text.includes(word));
    for (const group of groups) group.hidden = !group.querySelector('details:not([hidden])');
    count.textContent = `${visible().length} of ${entries.length} endpoints`;
  };
  input.addEventListener('input', filter);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const [first] = visible();
    if (!first) return;
    // The key must not act on the element that gets the focus.
    event.preventDefault();
    first.open = true;
    focusSummary(first);
  });
  part.addEventListener('keydown', (event) => moveFocus(event, input, visible()));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    event.preventDefault();
    if (part.hidden) goTo(part.id);
    input.focus();
  });
}

function textOf(entry: Element): string {
  return (entry.querySelector('summary')?.textContent ?? '').toLowerCase();
}

function focusSummary(entry: Element | undefined): void {
  entry?.querySelector('summary')?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea');
}

function moveFocus(
  event: KeyboardEvent,
  input: HTMLInputElement,
  entries: readonly HTMLDetailsElement[],
): void {
  const { target, key } = event;
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (!(target instanceof Element) || step === 0) return;
  const isSummary = target.matches('summary');
  if (!isSummary && target !== input) return;
  const at = isSummary ? entries.findIndex((entry) => entry.contains(target)) : -1;
  event.preventDefault();
  if (at + step < 0) input.focus();
  else focusSummary(entries[at + step]);
}
