import { announce, button, create, textBlock } from './dom.ts';
import type { TapEvent } from '../telemetry/tap/event-schema.ts';
import { fetchOwn, problemText } from './exchange.ts';
import { StoryView } from './story.ts';
import { EventParser, lineOf, type EventRow } from './tap-event.ts';
import { TapFilter } from './tap-filter.ts';
import { isOwnRequest, ownRows } from './tap-own.ts';

/** Maximum number of rows of others, and of the page's own. */
const MAX_ROWS = 300;
/** Milliseconds before a stream that has ended is requested again. */
const RETRY = 2000;
/** Milliseconds between announcements of failures. */
const QUIET = 10_000;

interface Row extends EventRow {
  readonly element: HTMLElement;
}

/** Shows events as they happen, newest first, also while other parts are shown, until it is stopped. */
export class LiveTap {
  readonly #url: string;
  readonly #state = create('p', { class: 'line', role: 'status' });
  readonly #count = create('span');
  readonly #log = create('div', { class: 'group', role: 'log', 'aria-live': 'off' });
  readonly #filter: TapFilter;
  readonly #story: StoryView;
  readonly #toggle: HTMLButtonElement;
  /** Stops the stream; undefined while it is stopped. */
  #stop: AbortController | undefined;
  #lastId: string | undefined;
  #rows: Row[] = [];
  #own: ReadonlySet<Row> = new Set();
  #waiting: TapEvent[] = [];
  #missed = 0;
  #isDue = false;
  #failures = 0;
  #announcedAt = 0;

  /**
   * @param root has the kinds of events, and whether connections are inspected, in its data
   * @param url of `/tap`
   * @param rest of the fragment that has opened the part
   */
  constructor(root: HTMLElement, url: string, rest: string) {
    this.#url = url;
    const { kinds = '', inspect } = root.dataset;
    this.#log.setAttribute('aria-label', 'Events, the newest first');
    this.#story = new StoryView(inspect !== undefined);
    this.#filter = new TapFilter(kinds.split(' '), rest, () => this.#choose());
    this.#toggle = button('Stop', () => (this.#stop ? this.#end() : this.#start()));
    const clear = button('Clear', () => this.#clear());
    root.append(
      create('div', { class: 'bar' }, ...this.#filter.controls, this.#toggle, clear),
      create('div', { class: 'bar' }, this.#state, this.#count),
      this.#story.element,
      this.#log,
    );
    this.#choose();
    this.#start();
  }

  #start(): void {
    this.#stop = new AbortController();
    this.#toggle.textContent = 'Stop';
    void this.#read(this.#stop.signal);
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#toggle.textContent = 'Start';
    this.#show('Stopped. Start reads on from the last event.', '');
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const end = await this.#follow(signal).catch(() => 'The connection is lost. Trying again …');
      if (signal.aborted) return;
      this.#show(end, 'bad');
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }

  /** Shows the events of one response. @returns why there are no more */
  async #follow(signal: AbortSignal): Promise<string> {
    // A first request sends an unknown id, to get all events that are kept.
    const fields = { 'Last-Event-ID': this.#lastId ?? 'none' };
    const response = await fetchOwn(this.#url, fields, signal);
    if (!response.ok) return `No events: ${await problemText(response)}`;
    this.#show('Live', 'good');
    await this.#receive(response);
    return 'The stream has ended. Trying again …';
  }

  async #receive({ body }: Response): Promise<void> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) return;
      this.#add(parser.push(decoder.decode(piece.value, { stream: true })));
      this.#lastId = parser.lastId ?? this.#lastId;
    }
  }

  #show(state: string, look: 'good' | 'bad' | ''): void {
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
    if (!this.#isDue) {
      this.#isDue = true;
      requestAnimationFrame(() => this.#draw());
    }
  }

  #draw(): void {
    this.#isDue = false;
    // Emptied first: an event that cannot be read would otherwise be in the way of all that follow.
    const added = this.#waiting.splice(0).map(rowOf);
    this.#rows.push(...added);
    this.#log.prepend(...added.map(({ element }) => element).toReversed());
    this.#own = ownRows(this.#rows);
    this.#removeOld();
    this.#failures += added.filter((row) => row.isBad && !this.#own.has(row)).length;
    const isSeen = this.#log.offsetParent !== null;
    if (isSeen && this.#failures > 0 && performance.now() > this.#announcedAt + QUIET) {
      announce(`${this.#failures} failed`);
      this.#failures = 0;
      this.#announcedAt = performance.now();
    }
    this.#choose();
  }

  /** The page's own rows are counted apart, so that they take no place of others. */
  #removeOld(): void {
    const own = this.#rows.filter((row) => this.#own.has(row));
    const others = this.#rows.filter((row) => !this.#own.has(row));
    const old = new Set([own, others].flatMap((rows) => rows.slice(0, -MAX_ROWS)));
    for (const { element } of old) element.remove();
    this.#rows = this.#rows.filter((row) => !old.has(row));
  }

  /** Shows the rows that the filter chooses, and the story of the connection that it names. */
  #choose(): void {
    const { omitsOwn, connection } = this.#filter;
    const matches = this.#filter.matcher();
    const rows = this.#rows.filter((row) => !(omitsOwn && this.#own.has(row)));
    const shown = new Set(rows.filter(matches));
    for (const row of this.#rows) row.element.hidden = !shown.has(row);
    const omitted = this.#rows.length - rows.length;
    const words = [
      `${shown.size} of ${rows.length} events`,
      ...(omitted > 0 ? [`${omitted} of this page left out`] : []),
      ...(this.#missed > 0 ? [`${this.#missed} not shown`] : []),
    ];
    this.#count.textContent = words.join(', ');
    this.#story.show(connection);
  }

  #clear(): void {
    this.#rows = [];
    this.#own = new Set();
    this.#waiting = [];
    this.#missed = 0;
    this.#log.replaceChildren();
    this.#choose();
  }
}

function rowOf(event: TapEvent): Row {
  const { time, kind, connection, text, more, isBad } = lineOf(event);
  const details = create(
    'details',
    isBad ? { class: 'failed' } : {},
    create(
      'summary',
      {},
      create('time', {}, time),
      create('b', {}, kind),
      create('span', {}, create('code', {}, text), more),
    ),
  );
  // Rendered when first opened, because most never are.
  details.addEventListener('toggle', () => details.append(eventBlock(event)), { once: true });
  // Beside the summary: it may contain nothing that can be clicked.
  const link = connection === undefined ? [] : [connectionLink(connection)];
  return {
    element: create('div', { class: 'row' }, details, ...link),
    kind: event.kind,
    connection,
    isOwnRequest: isOwnRequest(event, navigator.userAgent),
    isBad,
    text: JSON.stringify(event).toLowerCase(),
  };
}

const connectionLink = (id: string): HTMLElement =>
  create('a', { href: `#tap?conn=${encodeURIComponent(id)}` }, `connection ${id}`);

function eventBlock(event: TapEvent): HTMLElement {
  return textBlock('Event', JSON.stringify(event, undefined, 2));
}
