import { copyButton } from './copy.ts';
import { announce, create, textBlock } from './dom.ts';
import { accepted, send, timingOf, type Received } from './exchange.ts';
import { previewOf } from './preview.ts';
import { sentContent, type Request as Described } from './request.ts';
import { errorText } from '../net/error-text.ts';

const REQUEST_ID = 'Request id';
/** Fields of responses that are shown with the browser's timing. */
const FIELDS = [
  ['In the server', 'x-response-time'],
  ['Connection number', 'x-conn-id'],
  ['Request on it', 'x-conn-request'],
  ['Instance', 'x-instance'],
  [REQUEST_ID, 'x-request-id'],
] as const;
/** Milliseconds between announcements of progress. */
const QUIET = 5000;

/** Pixels at the top of the window that the search covers. */
const COVERED = 50;
/** Part of the window below which a response would hardly be noticed. */
const LOW = 0.6;

/** Shows the response to the request of a form. */
export class Result {
  readonly element: HTMLElement;
  readonly #line = create('p', { class: 'hint' }, 'Send shows the response here.');
  readonly #kind = create('h4', {}, 'Content');
  readonly #content = create('code');
  readonly #fields = create('code');
  readonly #response: HTMLElement;
  readonly #note = create('p', { class: 'hint' });
  readonly #sent = create('code');
  readonly #request: HTMLElement;
  readonly #facts = create('dl', { class: 'timing' });
  #current: AbortController | undefined;
  #startedAt = 0;
  #announcedAt = 0;

  constructor() {
    const copy = copyButton('content', () => this.#content.textContent ?? '');
    this.#response = create(
      'div',
      { hidden: '' },
      create('div', { class: 'head' }, this.#kind, copy),
      textBlock('Content of the response', this.#content),
      create('h4', {}, 'Header fields'),
      textBlock('Header fields of the response', this.#fields),
    );
    this.#request = create(
      'div',
      { hidden: '' },
      create('h4', {}, 'Request'),
      this.#note,
      textBlock('The request', this.#sent),
    );
    const parts = [this.#line, this.#response, this.#request, this.#facts];
    this.element = create('div', { class: 'result' }, ...parts);
  }

  async run(request: Described, base: string, controller: AbortController): Promise<void> {
    this.#current = controller;
    this.#startedAt = this.#announcedAt = performance.now();
    const url = new URL(request.target, base).href;
    this.#say('Waiting …', '');
    this.#response.hidden = this.#request.hidden = true;
    this.#facts.replaceChildren();
    let last: Received | undefined;
    let revealedAt = scrollY;
    const show = (received: Received): void => {
      // An aborted request shows what it still had once another has taken its place.
      if (this.#current !== controller) return;
      const isFirst = last === undefined;
      last = received;
      this.#show(received);
      if (!isFirst) return;
      this.#reveal();
      revealedAt = scrollY;
    };
    try {
      const sent = accepted({ ...request, target: url });
      this.#showRequest(request, sent);
      show(await send(sent, controller.signal, show));
    } catch (error) {
      if (this.#current === controller) this.#fail(last, error, controller.signal.aborted);
    }
    const timing = await timingOf(url, this.#startedAt);
    // Another request may have taken its place.
    if (this.#current !== controller) return;
    this.#time(last, timing);
    // Not if the user has scrolled to read what had come.
    if (scrollY === revealedAt) this.#reveal();
  }

  /** Scrolls to the first line, unless it and some of what follows are in sight. */
  #reveal(): void {
    const { top } = this.#line.getBoundingClientRect();
    if (top < COVERED || top > innerHeight * LOW) this.#line.scrollIntoView({ block: 'start' });
  }

  /** A script cannot see the fields that the browser adds, only those that it takes. */
  #showRequest(request: Described, sent: globalThis.Request): void {
    const dropped = request.fields
      .filter(([name]) => !sent.headers.has(name))
      .map(([name]) => name);
    const omitted =
      dropped.length === 0 ? '' : ` Browsers do not let a page set ${dropped.join(', ')}.`;
    this.#note.textContent = `As given to the browser, which adds fields of its own; /anything shows all.${omitted}`;
    const lines = [...sent.headers].map(([name, value]) => `${name}: ${value}`);
    const content = sentContent(request);
    const body = content === '' ? [] : ['', content];
    this.#sent.textContent = [`${sent.method} ${sent.url}`, ...lines, ...body].join('\n');
    this.#request.hidden = false;
  }

  /** Status, time and size. */
  #summary({ response, length }: Received): string {
    const { status, statusText } = response;
    const size = `${length.toLocaleString('en')} ${length === 1 ? 'byte' : 'bytes'}`;
    return [`${status} ${statusText}`.trim(), this.#elapsed(), size].join(' · ');
  }

  #show(received: Received): void {
    const { response, bytes, length, isComplete } = received;
    const { ok, redirected, headers } = response;
    const words = [`${this.#summary(received)}${isComplete ? '' : ' so far …'}`];
    if (redirected) words.push(`redirected to ${new URL(response.url).pathname}`);
    this.#say(words.join(' · '), ok ? 'good' : 'bad', isComplete);
    this.#fields.textContent = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const preview = previewOf(bytes, isComplete && bytes.length === length);
    const notes = [preview.kind === 'hex' && 'in hexadecimal', preview.isCut && 'the beginning'];
    this.#kind.textContent = ['Content', ...notes.filter(Boolean)].join(', ');
    this.#content.className = preview.kind;
    this.#content.textContent = preview.text || '(none)';
    this.#response.hidden = false;
  }

  #elapsed(): string {
    return milliseconds(performance.now() - this.#startedAt);
  }

  #fail(received: Received | undefined, error: unknown, isStopped: boolean): void {
    // After an error, browsers drop bytes that they have buffered but not delivered.
    const summary = received ? `${this.#summary(received)} read` : this.#elapsed();
    const what = received ? 'ended early' : 'no response';
    const end = isStopped ? 'stopped' : `${what}: ${errorText(error)}`;
    this.#say(`${summary} · ${end}`, 'bad', true);
  }

  /** @param isLast whether to announce it in any case; progress, which may change with each frame, only now and then */
  #say(text: string, look: 'good' | 'bad' | '', isLast = false): void {
    this.#line.className = `line ${look}`;
    this.#line.textContent = text;
    if (!isLast && performance.now() < this.#announcedAt + QUIET) return;
    this.#announcedAt = performance.now();
    announce(text);
  }

  #time(received: Received | undefined, timing: PerformanceResourceTiming | undefined): void {
    if (!received) return;
    const { headers } = received.response;
    const rows = [
      ...(timing ? timingRows(timing) : []),
      ...FIELDS.map(([name, field]) => [name, headers.get(field)] as const),
    ];
    const shown = rows.flatMap(([name, value]) => {
      if (value === null) return [];
      const copy = name === REQUEST_ID ? [' ', copyButton(name, () => value)] : [];
      return [create('div', {}, create('dt', {}, name), create('dd', {}, value, ...copy))];
    });
    this.#facts.replaceChildren(...shown);
  }
}

/** A fact of an exchange; null if it is not known. */
type FactRow = readonly [name: string, value: string | null];

function timingRows(timing: PerformanceResourceTiming): readonly FactRow[] {
  const { connectStart, connectEnd, secureConnectionStart: tlsStart } = timing;
  const { requestStart, responseStart, responseEnd } = timing;
  const isNew = connectEnd > connectStart;
  return [
    ['Protocol', protocolName(timing.nextHopProtocol)],
    ['Connection', isNew ? 'opened for this request' : 'reused'],
    ['Connect', isNew ? milliseconds(connectEnd - connectStart) : null],
    ['TLS', isNew && tlsStart > 0 ? milliseconds(connectEnd - tlsStart) : null],
    ['First byte', milliseconds(responseStart - requestStart)],
    ['Content', milliseconds(responseEnd - responseStart)],
    ['On the wire', `${timing.transferSize.toLocaleString('en')} bytes`],
    ...timing.serverTiming.map(({ name, duration, description }): FactRow => [
      `Server: ${description || name}`,
      milliseconds(duration),
    ]),
  ];
}

function milliseconds(duration: number): string {
  return `${Math.max(0, duration).toFixed(1)} ms`;
}

function protocolName(token: string): string {
  switch (token) {
    case 'h2':
      return 'HTTP/2';
    case 'http/1.1':
      return 'HTTP/1.1';
    default:
      return token || 'unknown';
  }
}
