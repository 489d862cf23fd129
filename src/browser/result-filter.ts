/** What the fragment of a link begins with that has the state of the filter, as a query. */
const STATE = '?';

// In the HTML report of `wirebin check`, results and script are in the same file.
const written = document.querySelector<HTMLElement>('body > main > .filter');
if (written) {
  const open = enableFilter(written, (state) => history.replaceState(null, '', `#${state}`));
  addEventListener('hashchange', open);
  open();
}

/** The state of the filter as a fragment; empty if nothing is filtered. */
function stateOf(controls: readonly (HTMLSelectElement | HTMLInputElement)[]): string {
  const state = new URLSearchParams();
  for (const { name, value } of controls) if (value) state.set(name, value);
  return state.size > 0 ? STATE + state.toString() : '';
}

function stateIn(hash: string): URLSearchParams | undefined {
  const start = `#${STATE}`;
  return hash.startsWith(start) ? new URLSearchParams(hash.slice(start.length)) : undefined;
}

/**
 * Makes a bar filter the results beside it.
 *
 * @param keep makes the state of the filter part of the URL
 * @returns a function that opens the result, or sets the filter, that the fragment of the URL names
 */
export function enableFilter(bar: HTMLElement, keep?: (state: string) => void): () => void {
  const all = (selector: string) => [
    ...(bar.parentElement?.querySelectorAll<HTMLDetailsElement>(selector) ?? []),
  ];
  const [groups, results] = [all('.group'), all('.group > details')];
  const selects = [...bar.querySelectorAll('select')];
  const input = bar.querySelector('input');
  const controls = [...selects, ...bar.querySelectorAll('input')];
  const count = bar.querySelector('span');
  const texts = new Map<HTMLElement, string>();
  const textOf = (result: HTMLElement): string => {
    const text = texts.get(result) ?? result.textContent.toLowerCase();
    texts.set(result, text);
    return text;
  };
  const show = (): void => {
    const words = input?.value.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
    const isFiltered = words.length > 0 || selects.some(({ value }) => value);
    for (const result of results) {
      result.hidden = !(
        selects.every(
          ({ name, value }) => !value || result.dataset[name]?.split(' ').includes(value),
        ) && words.every((word) => textOf(result).includes(word))
      );
    }
    for (const group of groups) {
      group.hidden = !group.querySelector(':scope > details:not([hidden])');
      if (isFiltered) group.open = true;
    }
    const shown = results.filter(({ hidden }) => !hidden).length;
    if (count) count.textContent = `${shown} of ${results.length} results`;
  };
  bar.hidden = false;
  bar.addEventListener('input', () => {
    show();
    keep?.(stateOf(controls));
  });
  show();
  return () => {
    const state = keep && stateIn(location.hash);
    if (state) {
      for (const control of controls) control.value = state.get(control.name) ?? '';
      return show();
    }
    // Compares the browser's own serializations, so that any name works.
    const linked = results.find((each) =>
      [...each.querySelectorAll('a')].some(({ href }) => href === location.href),
    );
    const group = linked?.parentElement;
    if (!linked || !(group instanceof HTMLDetailsElement)) return;
    if (linked.hidden) {
      for (const control of controls) control.value = '';
      show();
    }
    linked.open = group.open = true;
    linked.scrollIntoView();
  };
}
