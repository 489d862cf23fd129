import { canonicalAddress } from './ip-address.ts';

/** One element of a Forwarded field: parameters by lower-case name, values unquoted. */
export type ForwardedElement = ReadonlyMap<string, string>;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// qdtext and quoted-pair (RFC 9110 5.6.4).
const QUOTED = String.raw`(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*`;
const PAIR = new RegExp(`(${TOKEN})=(?:(${TOKEN})|"(${QUOTED})")`, 'y');
const SEPARATOR = /[\t ]*(,)[\t ]*|;/y;

/**
 * Parses a Forwarded field (RFC 7239 4) in order; the nearest proxy's element is the last.
 *
 * @returns undefined if the field is malformed or an element repeats a parameter
 */
export function parseForwarded(value: string): readonly ForwardedElement[] | undefined {
  let element = new Map<string, string>();
  const elements = [element];
  for (let at = 0; at < value.length; at = SEPARATOR.lastIndex) {
    PAIR.lastIndex = at;
    const [pair = '', name = '', token, quoted = ''] = PAIR.exec(value) ?? [];
    if (pair !== '') {
      const parameter = name.toLowerCase();
      if (element.has(parameter)) return undefined;
      element.set(parameter, token ?? quoted.replace(/\\(.)/gs, '$1'));
    }
    SEPARATOR.lastIndex = at + pair.length;
    if (SEPARATOR.lastIndex === value.length) break;
    const separator = SEPARATOR.exec(value);
    if (!separator) return undefined;
    // A list may have empty elements (RFC 9110 5.6.1.2).
    if (separator[1] && element.size > 0) {
      element = new Map();
      elements.push(element);
    }
  }
  return elements.filter(({ size }) => size > 0);
}

const PORT = '(?::(?:\\d{1,5}|_[\\w.-]+))?';
const NODE = new RegExp(`^(?:([\\d.]+)|\\[([\\da-f:.]+)\\])${PORT}$`, 'i');

/**
 * The IP address in a node identifier (RFC 7239 6).
 *
 * @returns undefined for `unknown`, an obfuscated identifier, and other text
 */
export function nodeAddress(node: string): string | undefined {
  const [, ipv4, ipv6] = NODE.exec(node) ?? [];
  const address = canonicalAddress(ipv4 ?? ipv6 ?? '');
  return address?.includes(':') === (ipv6 !== undefined) ? address : undefined;
}
