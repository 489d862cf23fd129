import { element, type Element } from '../../pages/element.ts';
import { escapeControlsInLine } from '../escape-controls.ts';

/** The source of a rule as a link, if it is a section of an RFC: `RFC 9110 7.6.1`, or an appendix: `RFC 9112 A`. */
export function sectionElement(section: string): Element | string {
  const text = escapeControlsInLine(section);
  const [, rfc, part] = /^RFC (\d{1,5}) (\d[\d.]*|[A-Z](?:\.\d[\d.]*)?)$/.exec(section) ?? [];
  if (rfc === undefined || part === undefined) return text;
  const kind = /^\d/.test(part) ? 'section' : 'appendix';
  const href = `https://www.rfc-editor.org/rfc/rfc${rfc}.html#${kind}-${part}`;
  return element('a', { href, rel: 'noreferrer' }, text);
}
