import { copyButton } from './copy.ts';
import { button, create, labelled, textBlock } from './dom.ts';
import { onPart } from './parts.ts';
import {
  curlLine,
  filledTarget,
  parseFields,
  sendsContent,
  sentContent,
  type Request,
} from './request.ts';
import { Result } from './result.ts';

/** Methods for any-method endpoints, without those that `fetch` refuses. */
const ANY = 'GET QUERY POST PUT PATCH DELETE';

/** Names of method, header fields and content in links, as those of curl. No parameter has such a name. */
const METHOD = '-X';
const FIELDS = '-H';
const CONTENT = '-d';

/** The same in all forms, so that the journal shows what was just tried; another one each time the page is loaded. */
const RANDOM_KEY = Math.random().toString(36).slice(2, 10);

const base = new URL('./', location.href).href;

/** Sends the forms of all endpoints, with any method, fields and content. */
export function enableForms(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-random]')) {
    input.value = RANDOM_KEY;
  }
  const entries = new Map<string, Entry>();
  for (const details of document.querySelectorAll<HTMLDetailsElement>('#try details')) {
    const form = details.querySelector('form');
    const summary = details.querySelector('summary');
    const path = summary?.querySelector('code')?.textContent ?? '';
    if (!form) continue;
    let enabled: EndpointForm | undefined;
    // Forms are enabled when they are opened, because most never are.
    const enable = (): EndpointForm => (enabled ??= new EndpointForm(path, summary, form));
    entries.set(path, { details, enable });
    details.addEventListener('toggle', () => {
      if (details.open) enable().share();
    });
  }
  onPart('try', (rest) => {
    const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(rest) ?? [];
    const entry = entries.get(`/${decoded(path)}`);
    if (rest === '' || !entry) return;
    const { details, enable } = entry;
    if (query !== undefined) enable().fillIn(new URLSearchParams(query));
    details.open = true;
    details.scrollIntoView({ block: 'start' });
    details.querySelector('summary')?.focus({ preventScroll: true });
  });
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

interface Entry {
  readonly details: HTMLDetailsElement;
  readonly enable: () => EndpointForm;
}

/** @param declared methods as the page shows them */
function methodsOf(declared: string): string[] {
  const names = (declared === 'ANY' ? ANY : declared).split(' ');
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.querySelectorAll<Control>('.fields :is(input, select, textarea)')];
}

/** Sets the value of a control. The first option is the default: a link omits it, or may name an unknown one. */
function setValue(control: Control, value: string): void {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') {
    control.checked = value !== '';
  } else control.value = value;
  if (control instanceof HTMLSelectElement && control.selectedIndex < 0) control.selectedIndex = 0;
}

/** The form of one endpoint, once it has been opened. */
class EndpointForm {
  readonly #form: HTMLFormElement;
  readonly #path: string;
  readonly #method: HTMLSelectElement;
  readonly #fields = create('textarea', { rows: '2', placeholder: 'Name: value' });
  readonly #content = create('textarea', { rows: '2' });
  readonly #contentLabel = labelled(
    'Content',
    this.#content,
    'Part of the link to this form: share no secret.',
  );
  readonly #curl = create('code');
  readonly #stop = button('Stop', () => this.#controller?.abort(), { hidden: '' });
  readonly #submit: HTMLButtonElement | null;
  readonly #result: Result;
  #controller: AbortController | undefined;
  /** Whether the URL of the page is updated from the form. */
  #isShared = false;

  constructor(path: string, summary: Element | null, form: HTMLFormElement) {
    this.#form = form;
    const { content } = form.dataset;
    this.#path = path;
    const methods = methodsOf(summary?.querySelector('b')?.textContent ?? '');
    this.#method = create('select', {}, ...methods.map((method) => create('option', {}, method)));
    const options = create(
      'div',
      { class: 'options' },
      labelled(
        'Method',
        this.#method,
        content !== undefined && methods.includes('GET')
          ? 'GET and HEAD are sent without content.'
          : '',
      ),
      labelled(
        'Header fields',
        this.#fields,
        'One per line. Part of the link to this form: share no secret. Browsers set some themselves, such as Host.',
      ),
      ...(content === undefined ? [] : [this.#contentLabel]),
    );
    const actions = form.querySelector('.actions');
    actions?.before(options);
    this.#submit = form.querySelector<HTMLButtonElement>('.actions button');
    this.#submit?.removeAttribute('disabled');
    const link = (): string => new URL(this.#link(), location.href).href;
    actions?.append(this.#stop, copyButton('link', link, 'Copy link'));
    const copy = copyButton('curl line', () => this.#curl.textContent ?? '');
    form.append(create('div', { class: 'curl' }, textBlock('curl line', this.#curl), copy));
    const place = create('div', { class: 'exchange' });
    form.before(place);
    this.#result = new Result();
    place.append(form, this.#result.element);
    if (form.dataset['upgrade'] === 'websocket') void this.#addWebSocket(place);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    form.addEventListener('input', () => this.#update());
    this.#update();
  }

  /** Updates the URL of the page from this form from now on. */
  share(): void {
    this.#isShared = true;
    this.#update();
  }

  /** Fills in the values of a link, which lacks empty ones. The journal's key stays if the link has none. */
  fillIn(values: URLSearchParams): void {
    for (const control of controlsOf(this.#form)) {
      const value = values.get(control.name);
      if (value !== null || control.dataset['random'] === undefined) setValue(control, value ?? '');
    }
    this.#fields.value = values.get(FIELDS) ?? '';
    this.#content.value = values.get(CONTENT) ?? '';
    setValue(this.#method, values.get(METHOD) ?? '');
    this.#update();
  }

  #update(): void {
    this.#contentLabel.hidden = !sendsContent(this.#method.value);
    this.#curl.textContent = curlLine(this.#request(), base);
    if (this.#isShared) history.replaceState(null, '', this.#link());
  }

  #values(): [string, string][] {
    return controlsOf(this.#form).map((control) => {
      const isOff =
        control instanceof HTMLInputElement && control.type === 'checkbox' && !control.checked;
      return [control.name, isOff ? '' : control.value];
    });
  }

  #request(): Request {
    return {
      method: this.#method.value,
      target: filledTarget(this.#path, this.#values()),
      fields: parseFields(this.#fields.value),
      content: this.#content.value,
    };
  }

  /** A link to the page with all that is filled in. Browsers do not send the fragment. */
  #link(): string {
    const method = this.#method.selectedIndex > 0 ? this.#method.value : '';
    const all: [string, string][] = [
      [METHOD, method],
      ...this.#values(),
      [FIELDS, this.#fields.value],
      [CONTENT, sentContent(this.#request())],
    ];
    const values = all.filter(([, value]) => value !== '');
    return `#try${this.#path}?${new URLSearchParams(values).toString()}`;
  }

  async #addWebSocket(place: Element): Promise<void> {
    const { WebSocketPanel } = await import('./websocket.ts');
    const url = (): string => new URL(this.#request().target, base).href;
    place.after(new WebSocketPanel(url).element);
  }

  async #send(): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#stop.hidden = false;
    await this.#result.run(this.#request(), base, controller);
    if (this.#controller !== controller) return;
    // A hidden button would lose the focus to the page.
    if (document.activeElement === this.#stop) this.#submit?.focus();
    this.#stop.hidden = true;
  }
}
