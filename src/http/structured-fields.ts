// Structured fields (RFC 9651), as far as dictionaries need them.

/** A bare item (RFC 9651 3.3). */
export type BareItem =
  | { readonly type: 'integer' | 'decimal' | 'date'; readonly value: number }
  | { readonly type: 'string' | 'token' | 'display-string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'boolean'; readonly value: boolean };

type Parameters = ReadonlyMap<string, BareItem>;

/** A member of a dictionary: an item, or an inner list of items. */
export interface Member {
  readonly value: BareItem | readonly BareItem[];
  readonly parameters: Parameters;
}

/**
 * Parses a dictionary (RFC 9651 4.2.2). Of members with the same key, the last one is kept. Parameters of items in an
 * inner list are validated, but not kept.
 *
 * @param text the combined field value
 * @returns undefined if it is malformed
 */
export function parseDictionary(text: string): ReadonlyMap<string, Member> | undefined {
  const parser = new Parser(text);
  try {
    return parser.dictionary();
  } catch (error) {
    if (error === MALFORMED) return undefined;
    throw error;
  }
}

const MALFORMED = new Error('the structured field is malformed');
const TRUE: BareItem = { type: 'boolean', value: true };

const SP = / */y;
const OWS = /[ \t]*/y;
const KEY = /[a-z*][a-z0-9_.*-]*/y;
const NUMBER = /-?(?:\d{1,12}\.\d{1,3}(?!\d)|\d{1,15}(?![\d.]))/y;
const STRING = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
const TOKEN = /[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*/y;
const BYTES = /:([A-Za-z0-9+/=]*):/y;
const BOOLEAN = /\?([01])/y;
const DATE = /@(-?\d{1,15})(?![\d.])/y;
const DISPLAY_STRING = /%"((?:[ !#$&-~]|%[0-9a-f]{2})*)"/y;

/** Parses text from its start, in linear time. All methods throw MALFORMED. */
class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  dictionary(): Map<string, Member> {
    const members = new Map<string, Member>();
    this.#match(SP);
    while (!this.#isAtEnd) {
      members.set(this.#key(), this.#skip('=') ? this.#member() : this.#parameterized(TRUE));
      this.#match(OWS);
      if (this.#isAtEnd) break;
      if (!this.#skip(',')) throw MALFORMED;
      this.#match(OWS);
      // A trailing comma is malformed.
      if (this.#isAtEnd) throw MALFORMED;
    }
    return members;
  }

  get #isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  #member(): Member {
    if (!this.#skip('(')) return this.#parameterized(this.#bareItem());
    const items: BareItem[] = [];
    for (;;) {
      const isSeparated = this.#match(SP)?.[0] !== '';
      if (this.#skip(')')) return this.#parameterized(items);
      if (items.length > 0 && !isSeparated) throw MALFORMED;
      items.push(this.#bareItem());
      this.#parameters();
    }
  }

  #parameterized(value: Member['value']): Member {
    return { value, parameters: this.#parameters() };
  }

  #parameters(): Parameters {
    const parameters = new Map<string, BareItem>();
    while (this.#skip(';')) {
      this.#match(SP);
      parameters.set(this.#key(), this.#skip('=') ? this.#bareItem() : TRUE);
    }
    return parameters;
  }

  #key(): string {
    const [key] = this.#match(KEY) ?? [];
    if (key === undefined) throw MALFORMED;
    return key;
  }

  #bareItem(): BareItem {
    switch (this.#text[this.#at]) {
      case '"':
        return { type: 'string', value: this.#group(STRING).replace(/\\(.)/g, '$1') };
      case ':':
        return { type: 'bytes', value: Buffer.from(this.#group(BYTES), 'base64') };
      case '?':
        return { type: 'boolean', value: this.#group(BOOLEAN) === '1' };
      case '@':
        return { type: 'date', value: Number(this.#group(DATE)) };
      case '%':
        return { type: 'display-string', value: decodeDisplayString(this.#group(DISPLAY_STRING)) };
      default:
        return this.#numberOrToken();
    }
  }

  #numberOrToken(): BareItem {
    const [number] = this.#match(NUMBER) ?? [];
    if (number !== undefined) {
      return { type: number.includes('.') ? 'decimal' : 'integer', value: Number(number) };
    }
    const [token] = this.#match(TOKEN) ?? [];
    if (token === undefined) throw MALFORMED;
    return { type: 'token', value: token };
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #group(pattern: RegExp): string {
    const [, content] = this.#match(pattern) ?? [];
    if (content === undefined) throw MALFORMED;
    return content;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

function decodeDisplayString(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw MALFORMED;
  }
}
