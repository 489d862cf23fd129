import { copyButton } from './copy.ts';
import { button, create, labelled } from './dom.ts';
import { onPart } from './parts.ts';
import { curlLine, MORE, parseFields, targetOf, type Request } from './request.ts';
import { Result } from './result.ts';

/** Methods that `fetch` refuses. */
const NOT_FETCHED = new Set(['TRACE', 'CONNECT']);

const base = new URL('./', location.href).href;

/** Sends the forms of all endpoints, with any method, fields and content. */
export function enableForms(): void {
  const forms = new Map<string, EndpointForm>();
  for (const details of document.querySelectorAll<HTMLDetailsElement>('#try details')) {
    const form = details.querySelector('form');
    if (!form) continue;
    const id = details.id.replace(/^try-/, '');
    const get = (): EndpointForm => {
      const known = forms.get(id) ?? new EndpointForm(id, details, form);
      forms.set(id, known);
      return known;
    };
    details.addEventListener('toggle', () => {
      if (details.open) get().opened();
    });
  }
  onPart('try', (rest) => {
    const [id = '', query = ''] = rest.split('?');
    const details = document.querySelector<HTMLDetailsElement>(`#try-${CSS.escape(id)}`);
    if (id === '' || !details || details.open) return;
    details.open = true;
    const form = details.querySelector('form');
    if (form) fill(form, new URLSearchParams(query));
    details.scrollIntoView({ block: 'start' });
    details.querySelector('summary')?.focus({ preventScroll: true });
  });
}

function fill(form: HTMLFormElement, values: URLSearchParams): void {
  for (const control of controlsOf(form)) {
    const value = values.get(control.name);
    if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      control.checked = value === 'true';
    } else if (value !== null) control.value = value;
  }
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.querySelectorAll<Control>('.fields :is(input, select, textarea)')];
}

/** The form of one endpoint, once it has been opened. */
class EndpointForm {
  readonly #id: string;
  readonly #form: HTMLFormElement;
  readonly #path: string;
  readonly #method: HTMLSelectElement;
  readonly #fields = create('textarea', {
    rows: '2',
    spellcheck: 'false',
    placeholder: 'Name: value',
  });
  readonly #content = create('textarea', { rows: '2', spellcheck: 'false' });
  readonly #curl = create('code');
  readonly #stop = button('Stop', () => this.#controller?.abort(), { hidden: '' });
  readonly #result: Result;
  #controller: AbortController | undefined;

  constructor(id: string, details: HTMLDetailsElement, form: HTMLFormElement) {
    this.#id = id;
    this.#form = form;
    const { path = '/', methods = 'GET', content } = form.dataset;
    this.#path = path;
    const offered = methods.split(' ').filter((method) => !NOT_FETCHED.has(method));
    this.#method = create('select', {}, ...offered.map((method) => create('option', {}, method)));
    const options = create(
      'div',
      { class: 'options' },
      labelled('Method', this.#method),
      labelled(
        'Header fields',
        this.#fields,
        'One a line. Browsers set some themselves, such as Host.',
      ),
      ...(content === undefined
        ? []
        : [labelled('Content', this.#content, 'Not sent with GET and HEAD.')]),
    );
    const actions = form.querySelector('.actions');
    actions?.before(options);
    form.querySelector('.actions button')?.removeAttribute('disabled');
    actions?.append(
      this.#stop,
      copyLink(() => this.#link()),
    );
    const copy = copyButton('curl line', () => this.#curl.textContent ?? '');
    form.append(
      create(
        'div',
        { class: 'curl' },
        create('pre', { tabindex: '0', 'aria-label': 'curl line' }, this.#curl),
        copy,
      ),
    );
    this.#result = new Result(details);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    form.addEventListener('input', () => this.#update());
    this.#update();
  }

  /** Others may have filled in the form meanwhile. */
  opened(): void {
    this.#update();
    history.replaceState(null, '', this.#link());
  }

  #update(): void {
    this.#curl.textContent = curlLine(this.#request(), base);
    if (location.hash.startsWith(`#try/${this.#id}`)) history.replaceState(null, '', this.#link());
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
      target: targetOf(this.#path, this.#values()),
      fields: parseFields(this.#fields.value),
      content: this.#content.value,
    };
  }

  /** A link to the page with this form as it is. Header fields and content may be secret: without. */
  #link(): string {
    const values = this.#values().filter(([name, value]) => value !== '' || name === MORE);
    const query = new URLSearchParams(values.filter(([, value]) => value !== '')).toString();
    return `#try/${this.#id}${query === '' ? '' : `?${query}`}`;
  }

  async #send(): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#stop.hidden = false;
    await this.#result.run(this.#request(), base, controller);
    if (this.#controller === controller) this.#stop.hidden = true;
  }
}

function copyLink(link: () => string): HTMLButtonElement {
  const element = copyButton('link', () => new URL(link(), location.href).href);
  element.textContent = 'Copy link';
  return element;
}
