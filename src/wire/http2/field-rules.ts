import { isToken } from '../../http/syntax.ts';
import type { MessageRules } from './message-rules.ts';

// Rules for single field lines: names and values (RFC 9113 8.2, 8.3.1; RFC 9114 4.2, 4.3.1, 10.3).

/** Why a field line is dropped, as nghttp2 does, or the message refused because of it. */
export interface FieldFault {
  readonly outcome: 'dropped' | 'refused';
  readonly reason: string;
  /** The broken rule, such as `RFC 9113 8.2.1`. */
  readonly section: string;
}

/** Connection-specific fields, which are forbidden in HTTP/2 and HTTP/3 (RFC 9113 8.2.2, RFC 9114 4.2). */
export const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function dropped(section: string, reason: string): FieldFault {
  return { outcome: 'dropped', reason, section };
}

export function refused(section: string, reason: string): FieldFault {
  return { outcome: 'refused', reason, section };
}

// What is not in a token of lower case (RFC 9110 5.6.2).
const NOT_IN_NAME = /[^!#$%&'*+.^_`|~0-9a-z-]/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
// eslint-disable-next-line no-control-regex
const NOT_IN_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
// eslint-disable-next-line no-control-regex
const INVALID_VALUE = /^[ \t]|[\0-\x08\x0a-\x1f\x7f]|[ \t]$/;
// eslint-disable-next-line no-control-regex
const NOT_IN_PATH = /[\0-\x20\x7f]/;
const NOT_IN_AUTHORITY = /[^\w!$%&'()*+,\-.:;=[\]~]/;
const NOT_IN_AUTHORITY_WITH_USERINFO = /[^\w!$%&'()*+,\-.:;=@[\]~]/;

/** The fault of a field name, except that of a pseudo-header field; undefined without one. */
export function nameFault(name: string, rules: MessageRules): FieldFault | undefined {
  if (name === '') return invalid('an empty field name', rules);
  const [first] = NOT_IN_NAME.exec(name) ?? [];
  if (first === undefined) return undefined;
  const isUpper = rules.checksValuesFirst ? /[A-Z]/.test(name) : /[A-Z]/.test(first);
  return isUpper
    ? refused(rules.protocol.sections.upperCase, 'upper case in a field name')
    : invalid(`${characterName(first)} in a field name`, rules);
}

/** The fault of a name or value with invalid characters. @param section default: that for such characters */
export function invalid(
  reason: string,
  { protocol, dropsInvalid }: MessageRules,
  section: string = protocol.sections.characters,
): FieldFault {
  return dropsInvalid ? dropped(section, reason) : refused(section, reason);
}

/** Why a field value is invalid (RFC 9113 8.2.1); undefined if it is valid. */
export function valueFault(value: string): string | undefined {
  if (!INVALID_VALUE.test(value)) return undefined;
  const [wrong] = NOT_IN_VALUE.exec(value) ?? [];
  if (wrong !== undefined) return `${characterName(wrong)} in a field value`;
  const end = /^[ \t]/.test(value) ? 'start' : 'end';
  return `white space at the ${end} of a field value`;
}

type AuthorityRules = Pick<MessageRules, 'allowsUserinfo'>;

/** Why the characters of an authority are invalid; undefined if they are valid. */
export function authorityFault(value: string, rules: AuthorityRules): string | undefined {
  const pattern = rules.allowsUserinfo ? NOT_IN_AUTHORITY_WITH_USERINFO : NOT_IN_AUTHORITY;
  const [wrong] = pattern.exec(value) ?? [];
  return wrong === undefined ? undefined : `${characterName(wrong)} in the authority`;
}

/** Why the value of a pseudo-header field is invalid (RFC 9113 8.3.1); undefined if it is valid. */
export function pseudoValueFault(
  name: string,
  value: string,
  rules: AuthorityRules,
): string | undefined {
  if (value === '') return `an empty ${name}`;
  switch (name) {
    case ':method':
      return isToken(value) ? undefined : 'a :method that is not a token';
    case ':scheme':
      return SCHEME.test(value) ? undefined : 'a :scheme that is not a URI scheme';
    case ':authority':
      return authorityFault(value, rules);
    case ':path': {
      const [wrong] = NOT_IN_PATH.exec(value) ?? [];
      return wrong === undefined ? undefined : `${characterName(wrong)} in :path`;
    }
    default:
      return valueFault(value);
  }
}

const NAMED: Readonly<Record<string, string>> = {
  '\0': 'NUL',
  '\t': 'a tab',
  '\n': 'LF',
  '\r': 'CR',
  ' ': 'a space',
  '"': 'a quotation mark',
};

function characterName(character: string): string {
  const code = character.charCodeAt(0);
  const isVisible = code > 0x20 && code < 0x7f;
  return (
    NAMED[character] ??
    (isVisible ? `"${character}"` : `byte 0x${code.toString(16).padStart(2, '0').toUpperCase()}`)
  );
}
