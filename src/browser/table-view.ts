import { scrolling, tableElement, type Table } from '../pages/element.ts';
import { created } from './dom.ts';

/** A scrollable table whose values change. */
export class TableView {
  readonly element: Element;

  constructor(label: string) {
    this.element = created(scrolling(label));
  }

  /** Shows new values. Cells stay if the size of the table does not change, because a user may be reading them. */
  show(table: Table): void {
    const { head, rows } = table;
    const texts = [...head, ...rows.flat()];
    const cells = [...this.element.querySelectorAll('th, td')];
    const lines = this.element.querySelectorAll('tr').length;
    if (lines !== rows.length + 1 || cells.length !== texts.length) {
      this.element.replaceChildren(created(tableElement(table)));
      return;
    }
    for (const [at, cell] of cells.entries()) {
      const text = texts[at] ?? '';
      if (cell.textContent !== text) cell.textContent = text;
    }
  }
}
