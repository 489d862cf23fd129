import { QUOTED_STRING, Scanner, TOKEN } from './syntax.ts';

/** A media type or range (RFC 9110 8.3.1, 12.5.1): names in lower case, parameter values as sent. */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Pattern of a media type without surrounding whitespace (RFC 9110 5.6.6, 8.3.1). */
export const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED_STRING}))?)*$`,
);

/** @returns undefined if the text is not a media type */
export function parseMediaType(text: string): MediaType | undefined {
  const scanner = new Scanner(text);
  scanner.skipOws();
  const type = scanner.token()?.toLowerCase();
  const subtype = scanner.skip('/') ? scanner.token()?.toLowerCase() : undefined;
  const parameters = scanner.parameters();
  if (type === undefined || subtype === undefined || !parameters) return undefined;
  return scanner.isAtEnd ? { type, subtype, parameters } : undefined;
}

/** The media type of a Content-Type, without parameters and in lower case (RFC 9110 8.3.1), even if it is invalid. */
export function essenceOf(type: string): string {
  const semicolon = type.indexOf(';');
  return (semicolon < 0 ? type : type.slice(0, semicolon)).trim().toLowerCase();
}
