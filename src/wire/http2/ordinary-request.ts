import {
  authorityFault,
  CONNECTION_SPECIFIC,
  pseudoValueFault,
  valueFault,
} from './field-rules.ts';
import type { DecodedField } from '../field-compression/field-section.ts';

/** Rules that allow no more than those of any version of nghttp2, and of HTTP/3. */
const STRICT = { allowsUserinfo: false };
const PSEUDO = [':method', ':scheme', ':authority', ':path'];
const ALL = 15;
/** Lower-case tokens (RFC 9110 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Fields with rules of their own (RFC 9113 8.2.2, 8.3.1; RFC 9114 4.2, 4.3.1). */
const SPECIAL = new Set([...CONNECTION_SPECIFIC, 'te', 'content-length', 'host']);
/** Maximum number of names that are known to be ordinary. */
const MAX_NAMES = 500;
const ordinaryNames = new Set<string>();

/**
 * Whether a header section is so ordinary that no rule for requests refuses it or drops a field (RFC 9113 8.2, 8.3; RFC 9114 4.2, 4.3):
 * `RequestValidator` need not be asked, which takes ten times as long. Its size is not checked.
 */
export function isOrdinaryRequest(fields: readonly DecodedField[]): boolean {
  let seen = 0;
  let at = 0;
  for (; at < fields.length; at++) {
    const { name, value } = fields[at] ?? { name: '', value: '' };
    if (name.charCodeAt(0) !== 0x3a) break;
    const which = PSEUDO.indexOf(name);
    if (which < 0 || (seen & (1 << which)) !== 0) return false;
    seen |= 1 << which;
    if (!isOrdinaryValue(name, value)) return false;
  }
  if (seen !== ALL) return false;
  for (; at < fields.length; at++) {
    const { name, value } = fields[at] ?? { name: '', value: '' };
    if (!isOrdinaryName(name) || valueFault(value) !== undefined) return false;
  }
  return true;
}

function isOrdinaryValue(name: string, value: string): boolean {
  switch (name) {
    case ':method':
      return value !== 'CONNECT' && pseudoValueFault(name, value, STRICT) === undefined;
    case ':path':
      return value.startsWith('/') && pseudoValueFault(name, value, STRICT) === undefined;
    case ':authority':
      return value !== '' && authorityFault(value, STRICT) === undefined;
    default:
      return value === 'http' || value === 'https';
  }
}

function isOrdinaryName(name: string): boolean {
  if (ordinaryNames.has(name)) return true;
  if (!NAME.test(name) || SPECIAL.has(name)) return false;
  if (ordinaryNames.size < MAX_NAMES) ordinaryNames.add(name);
  return true;
}
