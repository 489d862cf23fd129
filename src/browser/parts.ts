/** What follows the name of a part in the fragment: of `#try/bytes/{n}?n=5` it is `bytes/{n}?n=5`. */
type Shown = (rest: string) => void;

const listeners = new Map<string, Shown>();
let current = '';

/** Called when a part of the page is shown. */
export function onPart(id: string, shown: Shown): void {
  listeners.set(id, shown);
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
      document.title = `${link.textContent} · wirebin`;
      // Not scrollIntoView, which would scroll the page too.
      const strip = link.parentElement;
      strip?.scrollTo({ left: link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2 });
    } else link.removeAttribute('aria-current');
  }
  document.querySelector('.skip')?.setAttribute('href', `#${shown.id}`);
  // Browsers move the focus only to what was not hidden.
  if (current !== '' && current !== shown.id) shown.focus({ preventScroll: true });
  current = shown.id;
  listeners.get(current)?.(shown.id === wanted ? rest : '');
}
