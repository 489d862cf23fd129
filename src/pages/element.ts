/** An HTML element as data: it is rendered as HTML text, and by browsers whose policy forbids setting HTML text. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Child elements, and strings that are text. */
  readonly children: readonly (Element | string)[];
}

export const element = (
  name: string,
  attributes: Element['attributes'] = {},
  ...children: Element['children']
): Element => ({ name, attributes, children });

/** A list of sentences; empty without any. @param look classes of the list */
export function listElement(sentences: readonly string[], look: string): Element[] {
  if (sentences.length === 0) return [];
  const items = sentences.map((text) => element('li', {}, text));
  return [element('ul', { class: look }, ...items)];
}

/** Characters up to which a cell stays on one line. */
const MAX_LINE = 30;

/** A scrollable region that can be focused, so that keys scroll it. */
export const scrolling = (label: string, ...children: Element['children']): Element =>
  element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    ...children,
  );

/** A table whose first column names the rows. */
export interface Table<Cell = string> {
  readonly caption: string;
  /** Names of the columns. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Characters of a cell; 0 if it is no text. */
const lengthOf = (cell: string | Element | undefined): number =>
  typeof cell === 'string' ? cell.length : 0;

export function tableElement({ caption, head, rows }: Table<string | Element>): Element {
  const looks = head.map((_, at) => {
    const isLong = rows.some((row) => lengthOf(row[at]) > MAX_LINE);
    return isLong ? { class: 'long' } : {};
  });
  const names = head.map((name, at) => element('th', { scope: 'col', ...looks[at] }, name));
  const lines = rows.map(([name = '', ...values]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      ...values.map((text, at) => element('td', looks[at + 1], text)),
    ),
  );
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element('tr', {}, ...names),
    ...lines,
  );
}
