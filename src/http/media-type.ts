/** A media type or range (RFC 9110 8.3.1, 12.5.1): names in lower case, parameter values as sent. */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TYPE = /^\s*([!#$%&'*+.^_`|~\w-]+)\/([!#$%&'*+.^_`|~\w-]+)\s*/;
const PARAMETER =
  /^;\s*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"))?\s*/;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;

/** A media type without surrounding whitespace (RFC 9110 5.6.4, 5.6.6, 8.3.1). */
export const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`,
);

/** @returns undefined if the text is not a media type */
export function parseMediaType(text: string): MediaType | undefined {
  const [head, type, subtype] = TYPE.exec(text) ?? [];
  if (head === undefined || type === undefined || subtype === undefined) return undefined;
  const parameters = new Map<string, string>();
  let rest = text.slice(head.length);
  while (rest !== '') {
    const [part, name, token, quoted] = PARAMETER.exec(rest) ?? [];
    if (part === undefined) return undefined;
    if (name !== undefined) {
      parameters.set(name.toLowerCase(), token ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
    }
    rest = rest.slice(part.length);
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
}

/** Splits a list at its commas, except those in quoted strings (RFC 9110 5.6.1). */
export function listMembers(list: string): string[] {
  return list.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}
