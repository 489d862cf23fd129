import { copyButton } from './copy.ts';
import { announce, create, textBlock } from './dom.ts';
import { send, timingOf, type Received } from './exchange.ts';
import { previewOf } from './preview.ts';
import type { Request } from './request.ts';
import { errorText } from '../net/error-text.ts';

/** Milliseconds between announcements of progress. */
const QUIET = 5000;

/** Shows the response to the request of a form. */
export class Result {
  readonly #line = create('p', { class: 'line' });
  readonly #facts = create('dl', { class: 'timing' });
  readonly #fields = create('code');
  readonly #content = create('code');
  readonly #kind = create('h4', {}, 'Content');
  readonly #root: HTMLElement;
  #announcedAt = 0;

  /** @param parent element in which the result is shown when there is a response */
  constructor(parent: HTMLElement) {
    this.#root = create(
      'div',
      { class: 'result', hidden: '' },
      create('h4', {}, 'Header fields'),
      copyButton('header fields', () => this.#fields.textContent ?? ''),
      textBlock('Header fields of the response', this.#fields),
      this.#kind,
      copyButton('content', () => this.#content.textContent ?? ''),
      textBlock('Content of the response', this.#content),
      create('h4', {}, 'Timing and connection'),
      this.#facts,
    );
    parent.append(this.#line, this.#root);
  }

  async run(request: Request, base: string, controller: AbortController): Promise<void> {
    const started = performance.now();
    const url = new URL(request.target, base).href;
    this.#announcedAt = started;
    this.#say('Waiting …', '');
    this.#root.hidden = true;
    let last: Received | undefined;
    const show = (received: Received): void => {
      last = received;
      this.#show(received);
    };
    try {
      show(await send({ ...request, target: url }, controller.signal, show));
    } catch (error) {
      this.#fail(last, error, controller.signal.aborted);
    }
    // Measured before waiting for the browser's timing.
    const total = performance.now() - started;
    this.#time(last, await timingOf(url, started), total);
  }

  #show({ response, bytes, length, isComplete }: Received): void {
    const { status, statusText, ok, redirected, headers } = response;
    const size = `${length.toLocaleString('en')} ${length === 1 ? 'byte' : 'bytes'}`;
    const words = [`${status} ${statusText}`.trim(), isComplete ? size : `${size} so far …`];
    if (redirected) words.push(`redirected to ${new URL(response.url).pathname}`);
    this.#say(words.join(' · '), ok ? 'good' : 'bad', isComplete);
    this.#fields.textContent = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const preview = previewOf(bytes, isComplete && bytes.length === length);
    const notes = [preview.kind === 'hex' && 'in hexadecimal', preview.isCut && 'the beginning'];
    this.#kind.textContent = ['Content', ...notes.filter(Boolean)].join(', ');
    this.#content.textContent = preview.text || '(none)';
    this.#root.hidden = false;
  }

  #fail(received: Received | undefined, error: unknown, isStopped: boolean): void {
    const reason = errorText(error);
    const what = received ? 'The response ended early' : 'No response';
    this.#say(isStopped ? 'Stopped' : `${what}: ${reason}`, 'bad', true);
  }

  /** @param isLast whether to announce it in any case; progress, which may change with each frame, only now and then */
  #say(text: string, look: 'good' | 'bad' | '', isLast = false): void {
    this.#line.className = `line ${look}`;
    this.#line.textContent = text;
    if (!isLast && performance.now() < this.#announcedAt + QUIET) return;
    this.#announcedAt = performance.now();
    announce(text);
  }

  #time(
    received: Received | undefined,
    timing: PerformanceResourceTiming | undefined,
    total: number,
  ): void {
    if (!received) return;
    const { headers } = received.response;
    const rows: [string, string][] = [];
    if (timing) {
      const { connectStart, connectEnd, secureConnectionStart, requestStart, responseStart } =
        timing;
      const isNew = connectEnd > connectStart;
      rows.push(
        ['Protocol', protocolName(timing.nextHopProtocol)],
        ['Connection', isNew ? 'opened for this request' : 'reused'],
        ...(isNew
          ? [['Connect', milliseconds(connectEnd - connectStart)] as [string, string]]
          : []),
        ...(isNew && secureConnectionStart > 0
          ? [['TLS', milliseconds(connectEnd - secureConnectionStart)] as [string, string]]
          : []),
        ['First byte', milliseconds(responseStart - requestStart)],
        ['Content', milliseconds(timing.responseEnd - responseStart)],
        ['On the wire', `${timing.transferSize.toLocaleString('en')} bytes`],
      );
      for (const { name, duration, description } of timing.serverTiming) {
        rows.push([`Server: ${description || name}`, milliseconds(duration)]);
      }
    }
    rows.push(['Total', milliseconds(total)]);
    add(rows, 'In the server', headers.get('x-response-time'));
    add(rows, 'Connection number', headers.get('x-conn-id'));
    add(rows, 'Request on it', headers.get('x-conn-request'));
    add(rows, 'Instance', headers.get('x-instance'));
    this.#facts.replaceChildren(
      ...rows.map(([name, value]) =>
        create('div', {}, create('dt', {}, name), create('dd', {}, value)),
      ),
    );
  }
}

function add(rows: [string, string][], name: string, value: string | null): void {
  if (value !== null) rows.push([name, value]);
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
