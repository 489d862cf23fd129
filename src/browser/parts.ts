/** What follows the name of a part in the fragment: of `#try/bytes/{n}?n=5` it is `bytes/{n}?n=5`. */
type Shown = (rest: string) => void;

interface Listener {
  readonly shown: Shown;
  readonly hidden: () => void;
}

const listeners = new Map<string, Listener>();
let current = '';

/** Called when a part of the page is shown, and when another one takes its place. */
export function onPart(id: string, shown: Shown, hidden: () => void = ignore): void {
  listeners.set(id, { shown, hidden });
}

/** Shows one part at a time, which the fragment of the URL names; without scripts all are shown. */
export function showParts(): void {
  // Not of `location`: others may have replaced it since.
  addEventListener('hashchange', ({ newURL }) => show(new URL(newURL).hash));
  // Until now the style sheet hides what a link may scroll to.
  document.querySelector('main')?.setAttribute('data-ready', '');
  show(location.hash);
}

/** Shows a part at once. */
export function goTo(id: string): void {
  history.pushState(null, '', `#${id}`);
  show(`#${id}`);
}

function show(fragment: string): void {
  const [, wanted = '', rest = ''] = /^#([a-z]+)\/?(.*)$/s.exec(fragment) ?? [];
  const parts = [...document.querySelectorAll<HTMLElement>('main > .part')];
  const shown = parts.find(({ id }) => id === wanted) ?? parts[0];
  if (!shown) return;
  for (const part of parts) part.hidden = part !== shown;
  for (const link of document.querySelectorAll<HTMLElement>('nav a')) {
    if (link.getAttribute('href') === `#${shown.id}`) {
      link.setAttribute('aria-current', 'page');
      // Not scrollIntoView, which would scroll the page too.
      const strip = link.parentElement;
      strip?.scrollTo({ left: link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2 });
    } else link.removeAttribute('aria-current');
  }
  if (current !== shown.id) listeners.get(current)?.hidden();
  current = shown.id;
  listeners.get(current)?.shown(shown.id === wanted ? rest : '');
}

function ignore(): void {}
