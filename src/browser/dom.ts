import type { Element as Described } from '../pages/element.ts';

type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Children that are strings become text. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children);
}

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element from its description as data. @param around namespace of the parent */
export function created({ name, attributes, children }: Described, around = HTML): Element {
  const namespace = name === 'svg' ? SVG : around;
  return filled(
    document.createElementNS(namespace, name),
    attributes,
    children.map((child) => (typeof child === 'string' ? child : created(child, namespace))),
  );
}

function filled<E extends Element>(
  element: E,
  attributes: Attributes,
  children: readonly (Node | string)[],
): E {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A button that is not the submit button of a form. */
export function button(label: string, onClick: () => void, attributes: Attributes = {}) {
  const element = create('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** A control with its label, as the server renders them. */
export function labelled(label: string, control: HTMLElement, hint = ''): HTMLElement {
  const text = create('b', {}, label);
  return create('label', {}, text, control, ...(hint === '' ? [] : [create('small', {}, hint)]));
}

/** A text block that can be focused, so that keys scroll it. */
export function textBlock(label: string, text: Node | string): HTMLElement {
  return create('pre', { tabindex: '0', role: 'group', 'aria-label': label }, text);
}

const status = create('p', { role: 'status', class: 'unseen' });
// A live region must exist before its text changes, or it is not announced.
document.body.append(status);

/** Announces text by screen readers. */
export function announce(text: string): void {
  status.textContent = text;
}
