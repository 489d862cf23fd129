import { create } from './dom.ts';
import { onPart } from './parts.ts';
import type { EventRow } from './tap-event.ts';

/** The controls that choose events. A link to the part, such as `#tap?kind=bad&conn=7`, fills them in. */
export class TapFilter {
  readonly #kind = create('select', { name: 'kind', 'aria-label': 'Kind of event' });
  readonly #connection = create('input', {
    name: 'conn',
    type: 'search',
    placeholder: 'connection',
    'aria-label': 'Connection',
  });
  readonly #text = create('input', {
    name: 'text',
    type: 'search',
    placeholder: 'path, reason, SNI, address …',
    'aria-label': 'Text in the event',
  });
  readonly #own = create('input', { name: 'own', type: 'checkbox' });
  readonly #changed: () => void;

  /**
   * @param kinds all kinds of events
   * @param rest of the fragment that has opened the part
   * @param changed called when other events are chosen
   */
  constructor(kinds: readonly string[], rest: string, changed: () => void) {
    this.#changed = changed;
    this.#kind.append(
      create('option', { value: '' }, 'all kinds'),
      create('option', { value: 'bad' }, 'what failed'),
      ...kinds.map((kind) => create('option', { value: kind }, kind.replaceAll('_', ' '))),
    );
    for (const control of [this.#kind, this.#text, this.#own]) {
      control.addEventListener('input', () => this.#update());
    }
    // Not while somebody types the name of a connection.
    for (const kind of ['change', 'search']) {
      this.#connection.addEventListener(kind, () => this.#update());
    }
    onPart('tap', (link) => {
      this.#fillIn(link);
      this.#update();
    });
    this.#fillIn(rest);
    this.#setLink();
  }

  get controls(): readonly HTMLElement[] {
    const own = create('label', { class: 'switch' }, this.#own, ' this page’s own');
    return [this.#kind, this.#connection, this.#text, own];
  }

  /** The connection whose events are chosen; empty for all. */
  get connection(): string {
    return this.#connection.value.trim();
  }

  /** Whether the page's own are left out. A connection that was chosen is shown as a whole. */
  get omitsOwn(): boolean {
    return !this.#own.checked && this.connection === '';
  }

  /** A function that tells whether a row is chosen now. */
  matcher(): (row: EventRow) => boolean {
    const kind = this.#kind.value;
    const { connection } = this;
    const words = this.#text.value.toLowerCase().split(/\s+/);
    return (row) =>
      (kind === '' || (kind === 'bad' ? row.isBad : row.kind === kind)) &&
      (connection === '' || row.connection === connection) &&
      words.every((word) => row.text.includes(word));
  }

  #fillIn(rest: string): void {
    const values = new URLSearchParams(rest);
    for (const control of [this.#kind, this.#connection, this.#text]) {
      control.value = values.get(control.name) ?? '';
    }
    // A link may name a kind that there is not.
    if (this.#kind.selectedIndex < 0) this.#kind.selectedIndex = 0;
    this.#own.checked = values.has('own');
  }

  #update(): void {
    history.replaceState(null, '', this.#setLink());
    this.#changed();
  }

  /** Changes the link in the navigation, so that the part is as it was when somebody comes back. */
  #setLink(): string {
    const values = new URLSearchParams();
    for (const { name, value } of [this.#kind, this.#connection, this.#text]) {
      if (value !== '') values.set(name, value);
    }
    if (this.#own.checked) values.set('own', '1');
    const link = values.size === 0 ? '#tap' : `#tap?${values.toString()}`;
    document.querySelector('nav a[href^="#tap"]')?.setAttribute('href', link);
    return link;
  }
}
