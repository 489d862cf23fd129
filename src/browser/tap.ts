import { announce, button, create, textBlock } from './dom.ts';
import type { TapEvent } from '../telemetry/tap/event-schema.ts';
import { EventParser, lineOf } from './tap-event.ts';

/** Maximum number of rows, and of events that wait while the tap is paused. */
const MAX_ROWS = 300;
/** Milliseconds before a stream that has ended is requested again. */
const RETRY = 2000;
/** Milliseconds between announcements of failures. */
const QUIET = 10_000;

interface Row {
  readonly element: HTMLDetailsElement;
  readonly kind: string;
  readonly isBad: boolean;
  /** Text of the event that the filter searches, in lower case. */
  readonly text: string;
}

/** Shows events as they happen, newest first. Once started, it continues while other parts are shown. */
export class LiveTap {
  readonly #state = create('p', { class: 'line', role: 'status' });
  readonly #count = create('span');
  readonly #log = create('div', { class: 'group', role: 'log', 'aria-live': 'off' });
  readonly #kind = create('select', { 'aria-label': 'Kind of event' });
  readonly #text = create('input', { type: 'search', 'aria-label': 'Text in the event' });
  readonly #pause: HTMLButtonElement;
  #rows: Row[] = [];
  #waiting: TapEvent[] = [];
  #missed = 0;
  #isPaused = false;
  #isDue = false;
  #failures = 0;
  #announcedAt = 0;

  /** @param kinds all kinds of events */
  constructor(root: Element, kinds: readonly string[]) {
    this.#log.setAttribute('aria-label', 'Events, the newest first');
    this.#text.placeholder = 'path, reason, SNI, address …';
    this.#kind.append(
      create('option', { value: '' }, 'all kinds'),
      create('option', { value: 'bad' }, 'what failed'),
      ...kinds.map((kind) => create('option', { value: kind }, kind.replaceAll('_', ' '))),
    );
    this.#pause = button('Pause', () => this.#toggle());
    const clear = button('Clear', () => this.#clear());
    root.append(
      create('div', { class: 'bar' }, this.#kind, this.#text, this.#pause, clear, this.#count),
      this.#state,
      this.#log,
    );
    for (const control of [this.#kind, this.#text]) {
      control.addEventListener('input', () => this.#filter());
    }
  }

  /** Reads `/tap` for as long as the page is open. */
  async read(url: string): Promise<void> {
    const parser = new EventParser();
    for (;;) {
      try {
        // A first request sends an unknown id, to get all events that are kept.
        const headers = { 'Last-Event-ID': parser.lastId ?? 'none' };
        const response = await fetch(url, { headers, cache: 'no-store' });
        if (response.ok) {
          this.#show('Live', 'good');
          await this.#receive(response, parser);
        } else this.#show(`No events: ${await problemText(response)}`, 'bad');
      } catch {
        this.#show('The connection is lost. Trying again …', 'bad');
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }

  async #receive({ body }: Response, parser: EventParser): Promise<void> {
    const decoder = new TextDecoder();
    const reader = body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) return;
      this.#add(parser.push(decoder.decode(piece.value, { stream: true })));
    }
  }

  #show(state: string, look: 'good' | 'bad'): void {
    this.#state.className = `line ${look}`;
    if (this.#state.textContent !== state) this.#state.textContent = state;
  }

  #add(events: readonly TapEvent[]): void {
    this.#waiting.push(...events);
    const tooMany = this.#waiting.length - MAX_ROWS;
    if (tooMany > 0) {
      this.#missed += tooMany;
      this.#waiting.splice(0, tooMany);
    }
    if (this.#isPaused) this.#tell();
    else if (!this.#isDue) {
      this.#isDue = true;
      requestAnimationFrame(() => this.#draw());
    }
  }

  #draw(): void {
    this.#isDue = false;
    const added = this.#waiting.map(rowOf);
    this.#waiting = [];
    this.#rows.push(...added);
    this.#log.prepend(...added.map(({ element }) => element).toReversed());
    for (const { element } of this.#rows.splice(0, Math.max(0, this.#rows.length - MAX_ROWS))) {
      element.remove();
    }
    this.#failures += added.filter(({ isBad }) => isBad).length;
    const isSeen = this.#log.offsetParent !== null;
    if (isSeen && this.#failures > 0 && performance.now() > this.#announcedAt + QUIET) {
      announce(`${this.#failures} failed`);
      this.#failures = 0;
      this.#announcedAt = performance.now();
    }
    this.#filter();
  }

  #filter(): void {
    const kind = this.#kind.value;
    const words = this.#text.value.toLowerCase();
    for (const row of this.#rows) {
      const isKind = kind === '' || (kind === 'bad' ? row.isBad : row.kind === kind);
      row.element.hidden = !isKind || !row.text.includes(words);
    }
    this.#tell();
  }

  #tell(): void {
    const shown = this.#rows.filter(({ element }) => !element.hidden).length;
    const words = [
      `${shown} of ${this.#rows.length} events`,
      ...(this.#isPaused ? [`${this.#waiting.length} waiting`] : []),
      ...(this.#missed > 0 ? [`${this.#missed} not shown`] : []),
    ];
    this.#count.textContent = words.join(', ');
  }

  #toggle(): void {
    this.#isPaused = !this.#isPaused;
    this.#pause.textContent = this.#isPaused ? 'Go on' : 'Pause';
    if (this.#isPaused) this.#tell();
    else this.#draw();
  }

  #clear(): void {
    this.#rows = [];
    this.#waiting = [];
    this.#missed = 0;
    this.#log.replaceChildren();
    this.#tell();
  }
}

function rowOf(event: TapEvent): Row {
  const { time, kind, text, more, isBad } = lineOf(event);
  const element = create(
    'details',
    isBad ? { class: 'failed' } : {},
    create(
      'summary',
      {},
      create('time', {}, time),
      create('b', {}, kind),
      create('code', {}, text),
      create('span', {}, more),
    ),
  );
  // Details are made when they are opened, because most never are.
  element.addEventListener('toggle', () => element.append(eventBlock(event)), { once: true });
  return {
    element,
    kind: event.kind,
    isBad,
    text: JSON.stringify(event).toLowerCase(),
  };
}

function eventBlock(event: TapEvent): HTMLElement {
  return textBlock('Event', JSON.stringify(event, undefined, 2));
}

/** The detail of a problem document, or the status of another response. */
async function problemText(response: Response): Promise<string> {
  try {
    const problem: unknown = await response.json();
    if (typeof problem === 'object' && problem && 'detail' in problem)
      return String(problem.detail);
  } catch {
    // The response is not from wirebin.
  }
  return `status ${response.status}`;
}
