import { canonicalAddress } from './ip-address.ts';
import { Scanner } from './syntax.ts';

/** An element of Forwarded: unquoted values by lower-case parameter name. */
export type ForwardedElement = ReadonlyMap<string, string>;

/**
 * Parses a Forwarded field (RFC 7239 4). The last element is that of the nearest proxy.
 *
 * @returns undefined if the field is malformed, or an element repeats a parameter
 */
export function parseForwarded(value: string): readonly ForwardedElement[] | undefined {
  const scanner = new Scanner(value);
  let element = new Map<string, string>();
  const elements = [element];
  for (;;) {
    const name = scanner.token()?.toLowerCase();
    if (name !== undefined) {
      const parameter = scanner.skip('=') ? scanner.value() : undefined;
      if (parameter === undefined || element.has(name)) return undefined;
      element.set(name, parameter);
    }
    if (scanner.isAtEnd) return elements.filter(({ size }) => size > 0);
    if (scanner.skip(';')) continue;
    scanner.skipOws();
    if (!scanner.skip(',')) return undefined;
    scanner.skipOws();
    // Ignore empty list elements (RFC 9110 5.6.1.2).
    if (element.size > 0) {
      element = new Map();
      elements.push(element);
    }
  }
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
