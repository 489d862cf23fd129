import { announce, button } from './dom.ts';

/** A button that copies a text. @param what accessible name: what is copied */
export function copyButton(what: string, textOf: () => string, label = 'Copy'): HTMLButtonElement {
  const element = button(label, () => void copy(), {
    class: 'copy',
    'aria-label': `Copy ${what}`,
  });
  const copy = async (): Promise<void> => {
    const done = await write(textOf());
    element.textContent = done ? 'Copied' : 'Not copied';
    announce(done ? `${what} copied` : `${what} could not be copied`);
    setTimeout(() => (element.textContent = label), 1500);
  };
  return element;
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** Copies text without `navigator.clipboard`, which browsers lack over plain HTTP, except on localhost. */
function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  const focused = document.activeElement;
  area.select();
  // execCommand is deprecated, but without alternative here.
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
