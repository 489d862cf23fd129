import { create } from './dom.ts';
import type { Table } from './report-json.ts';

/** Characters of cells that stay on one line. */
const MAX_LINE = 30;

/** A table in a region that scrolls. */
export class TableView {
  readonly element: HTMLElement;
  readonly #table = create('table');

  /** @param look classes of the region */
  constructor(label: string, look = '') {
    const region = { class: `scroll ${look}`, tabindex: '0', role: 'region', 'aria-label': label };
    this.element = create('div', region, this.#table);
  }

  /** Where the table has as many rows and columns as before, its cells stay: somebody may be reading them. */
  show({ caption, head, rows }: Table): void {
    const texts = [...head, ...rows.flat()];
    const cells = [...this.#table.querySelectorAll('th, td')];
    if (this.#table.rows.length === rows.length + 1 && cells.length === texts.length) {
      for (const [at, cell] of cells.entries()) {
        const text = texts[at] ?? '';
        if (cell.textContent !== text) cell.textContent = text;
      }
      return;
    }
    const looks = head.map((_, at) => {
      const isLong = rows.some((row) => (row[at] ?? '').length > MAX_LINE);
      return isLong ? { class: 'long' } : {};
    });
    this.#table.replaceChildren(
      create('caption', {}, caption),
      create(
        'tr',
        {},
        ...head.map((name, at) => create('th', { scope: 'col', ...looks[at] }, name)),
      ),
      ...rows.map(([name = '', ...values]) =>
        create(
          'tr',
          {},
          create('th', { scope: 'row' }, name),
          ...values.map((text, at) => create('td', looks[at + 1], text)),
        ),
      ),
    );
  }
}
