// Common syntax of fields (RFC 9110 5.6). The constants are sources of regular expressions.

/** Token (RFC 9110 5.6.2). */
export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Quoted string (RFC 9110 5.6.4). */
export const QUOTED_STRING = String.raw`"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
/** A weight (RFC 9110 12.4.2). */
export const QVALUE = String.raw`0(?:\.\d{0,3})?|1(?:\.0{0,3})?`;

/** Matches text that is a token. */
export const TOKEN_PATTERN = new RegExp(`^${TOKEN}$`);

/** Whether text is a token, such as a field name, a method or a cookie name. */
export function isToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

// field-vchar with obs-text, SP and HTAB (RFC 9110 5.5). Node sends one byte per character.
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether text can be sent as field value: without control characters, one byte per character. */
export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

/** Removes leading and trailing OWS (RFC 9110 5.6.3), but no other whitespace. */
export function trimOws(text: string): string {
  // Without the lookbehind, a long run of spaces would take quadratic time.
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
}

/**
 * The non-empty members of a list, without surrounding whitespace (RFC 9110 5.6.1). A comma in a quoted string is no
 * separator.
 */
export function listMembers(list: string): string[] {
  const members = list.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  return members.map(trimOws).filter((member) => member !== '');
}

const TOKEN_HERE = new RegExp(TOKEN, 'y');
const QUOTED_HERE = new RegExp(QUOTED_STRING, 'y');
const OWS_HERE = /[\t ]*/y;

/** Scans a field value from its start, in linear time. */
export class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Skips a character. @returns whether it was next */
  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  skipOws(): void {
    this.#match(OWS_HERE);
  }

  token(): string | undefined {
    return this.#match(TOKEN_HERE);
  }

  /** A token, or the content of a quoted string, such as a parameter value; undefined if neither is next. */
  value(): string | undefined {
    return this.token() ?? this.#match(QUOTED_HERE)?.slice(1, -1).replace(/\\(.)/g, '$1');
  }

  /**
   * Parameters, each after a semicolon (RFC 9110 5.6.6), by lower-case name. Of a repeated one, the last is kept.
   *
   * @returns undefined if one is malformed
   */
  parameters(): Map<string, string> | undefined {
    const parameters = new Map<string, string>();
    for (;;) {
      this.skipOws();
      if (!this.skip(';')) return parameters;
      this.skipOws();
      const name = this.token();
      if (name === undefined) continue;
      const value = this.skip('=') ? this.value() : undefined;
      if (value === undefined) return undefined;
      parameters.set(name.toLowerCase(), value);
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
