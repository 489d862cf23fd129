import type { ConnectionView, EventView } from '../telemetry/story/page.ts';
import { button, create, textBlock } from './dom.ts';
import { fetchOwn, problemText } from './exchange.ts';

/** Maximum number of events that are shown. */
const MAX_EVENTS = 1000;

/** All that a connection carried, in order, as `/connections/{id}` has it with `--inspect`. */
export class StoryView {
  readonly element = create('div', { hidden: '' });
  readonly #isOn: boolean;
  #id = '';

  /** @param isOn whether connections are inspected */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Shows a connection; none if `id` is empty. */
  show(id: string): void {
    if (id === this.#id) return;
    this.#id = id;
    this.element.hidden = id === '';
    if (this.#isOn) void this.#read();
    else {
      const flag = create('code', {}, '--inspect');
      this.element.replaceChildren(
        create(
          'p',
          { class: 'hint' },
          'To see all that a connection carried, start wirebin with ',
          flag,
          '.',
        ),
      );
    }
  }

  async #read(): Promise<void> {
    const id = this.#id;
    if (id === '') return;
    const url = `connections/${encodeURIComponent(id)}`;
    const content = await this.#contentOf(url);
    // Another one may have been chosen meanwhile.
    if (id !== this.#id) return;
    const title = create('h3', {}, `Connection ${id}`);
    const layers = create('select', { 'aria-label': 'Layer' });
    layers.append(
      ...['all layers', 'HTTP', 'TLS', 'TCP'].map((name) => create('option', {}, name)),
    );
    layers.addEventListener('input', () => {
      const layer = layers.selectedIndex === 0 ? '' : layers.value.toLowerCase();
      for (const event of this.element.querySelectorAll<HTMLElement>('.story > details')) {
        event.hidden = !event.dataset['layer']?.startsWith(layer);
      }
    });
    const again = button('Read again', () => void this.#read());
    const source = create('a', { href: url }, 'as JSON');
    const bar = create('div', { class: 'bar' }, title, layers, again, source);
    this.element.replaceChildren(bar, ...content);
  }

  async #contentOf(url: string): Promise<HTMLElement[]> {
    try {
      const response = await fetchOwn(url, { Accept: 'application/json' });
      if (!response.ok) return [create('p', { class: 'bad' }, await problemText(response))];
      const story: ConnectionView & { readonly events: readonly EventView[] } =
        await response.json();
      const rest = story.events.length - MAX_EVENTS;
      return [
        create('p', { class: 'hint' }, factsOf(story).join(' · ')),
        create(
          'div',
          { class: 'group story', role: 'group', 'aria-label': 'What the connection carried' },
          ...story.events.slice(0, MAX_EVENTS).map(eventElement),
        ),
        ...(rest > 0 ? [create('p', { class: 'hint' }, `And ${rest} more.`)] : []),
      ];
    } catch {
      return [create('p', { class: 'bad' }, 'The connection is lost.')];
    }
  }
}

function factsOf({ protocol, remote, opened, requests, closed }: ConnectionView): string[] {
  return [
    protocol ?? 'no protocol yet',
    `from ${remote}`,
    `opened ${opened}`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    closed ? `closed by ${closed.by} after ${closed.at_ms} ms: ${closed.reason}` : 'open',
  ];
}

/** An event as one line. Heads of messages are open; other details are in JSON. */
function eventElement(event: EventView): HTMLElement {
  const { at_ms: at, from, layer, title, ...details } = event;
  const head = headOf(details);
  const element = create(
    'details',
    { 'data-layer': layer, ...(head !== '' && { open: '' }) },
    create(
      'summary',
      {},
      create('time', {}, `${at.toFixed(1)} ms`),
      create('b', {}, layer),
      create('span', {}, from === 'client' ? 'client →' : '← wirebin'),
      create('code', {}, title),
    ),
  );
  const fill = (text: string): void => element.append(textBlock(title, text));
  if (head === '') {
    element.addEventListener('toggle', () => fill(JSON.stringify(details, undefined, 2)), {
      once: true,
    });
  } else fill(head);
  return element;
}

/** The head of a message of HTTP/1.x, or the fields of a frame of HTTP/2; empty without them. */
function headOf({ head, fields }: Readonly<Record<string, unknown>>): string {
  if (typeof head === 'string') return head.trimEnd();
  return Array.isArray(fields) ? fields.map(fieldLine).join('\n') : '';
}

const fieldLine = ({ name, value }: Readonly<Record<string, unknown>>): string =>
  `${String(name)}: ${String(value)}`;
