/** Listener of a part. `rest` follows the part's name in the fragment: `bytes/{n}?n=5` in `#try/bytes/{n}?n=5`. */
type Shown = (rest: string) => void;

const listeners = new Map<string, Shown>();
let current = '';

/** Sets the function that is called when a part of the page is shown. */
export function onPart(id: string, shown: Shown): void {
  listeners.set(id, shown);
}

/** Shows one part at a time, as named by the fragment of the URL. Without scripts, all parts are visible. */
export function showParts(): void {
  // From `newURL`, because `location` may have changed since the event.
  addEventListener('hashchange', ({ newURL }) => show(new URL(newURL).hash));
  // The style sheet hides the parts until then, because a link may scroll to them.
  document.querySelector('main')?.setAttribute('data-ready', '');
  show(location.hash);
}

/** Shows a part. */
export function goTo(id: string): void {
  history.pushState(null, '', `#${id}`);
  show(`#${id}`);
}

function show(fragment: string): void {
  const [, wanted = '', rest = ''] = /^#([a-z]+)\/?(.*)/s.exec(fragment) ?? [];
  const parts = [...document.querySelectorAll<HTMLElement>('main > .part')];
  const shown = parts.find(({ id }) => id === wanted) ?? parts[0];
  if (!shown) return;
  for (const part of parts) part.hidden = part !== shown;
  for (const link of document.querySelectorAll<HTMLElement>('nav a')) {
    if (link.getAttribute('href')?.split('?')[0] === `#${shown.id}`) {
      link.setAttribute('aria-current', 'page');
      document.title = `${link.textContent} · wirebin`;
    } else link.removeAttribute('aria-current');
  }
  document.querySelector('.skip')?.setAttribute('href', `#${shown.id}`);
  // Browsers move the focus only to elements that were visible.
  if (current !== '' && current !== shown.id) shown.focus({ preventScroll: true });
  current = shown.id;
  listeners.get(current)?.(shown.id === wanted ? rest : '');
}
