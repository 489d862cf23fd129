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

/** Creates an element from its description as data. */
export function created({ name, attributes, children }: Described): HTMLElement {
  return filled(
    document.createElement(name),
    attributes,
    children.map((child) => (typeof child === 'string' ? child : created(child))),
  );
}

function filled<E extends HTMLElement>(
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
