// In the HTML report of `wirebin check`, results and script are in the same file.
const written = document.querySelector<HTMLElement>('body > main > .filter');
if (written) {
  const open = enableFilter(written);
  addEventListener('hashchange', open);
  open();
}

/**
 * Makes a bar filter the results beside it.
 *
 * @returns a function that opens the result named by the fragment of the URL
 */
export function enableFilter(bar: HTMLElement): () => void {
  const all = (selector: string) => [
    ...(bar.parentElement?.querySelectorAll<HTMLDetailsElement>(selector) ?? []),
  ];
  const [groups, results] = [all('.group'), all('.group > details')];
  const selects = [...bar.querySelectorAll('select')];
  const input = bar.querySelector('input');
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
        selects.every(({ name, value }) => !value || result.dataset[name] === value) &&
        words.every((word) => textOf(result).includes(word))
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
  bar.addEventListener('input', show);
  show();
  return () => {
    // Compares the browser's own serializations, so that any name works.
    const linked = results.find((each) => each.querySelector('a')?.hash === location.hash);
    const group = linked?.parentElement;
    if (!linked || !(group instanceof HTMLDetailsElement)) return;
    if (linked.hidden) {
      for (const control of [...selects, ...bar.querySelectorAll('input')]) control.value = '';
      show();
    }
    linked.open = group.open = true;
    linked.scrollIntoView();
  };
}
