// Structured field values (RFC 9651): parsing (4.2) and serialization (4.1).

/** A bare item (RFC 9651 3.3). Dates are seconds since 1970. */
export type BareItem =
  | { readonly type: 'integer' | 'decimal' | 'date'; readonly value: number }
  | { readonly type: 'string' | 'token' | 'display-string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'boolean'; readonly value: boolean };

/** Parameters by key, in order (RFC 9651 3.1.2). */
export type Parameters = ReadonlyMap<string, BareItem>;

/** An item with its parameters (RFC 9651 3.3). */
export interface Item {
  readonly value: BareItem;
  readonly parameters: Parameters;
}

/** An inner list with its parameters (RFC 9651 3.1.1). */
export interface InnerList {
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

/** A member of a list or of a dictionary. */
export type Member = Item | InnerList;

/** A list (RFC 9651 3.1). */
export type List = readonly Member[];

/** A dictionary (RFC 9651 3.2), in the order in which its keys first occur. */
export type Dictionary = ReadonlyMap<string, Member>;

export function isInnerList(member: Member): member is InnerList {
  return 'items' in member;
}

/**
 * Parses an item (RFC 9651 4.2.3).
 *
 * @param text the combined field value
 * @returns undefined if it is malformed
 */
export function parseItem(text: string): Item | undefined {
  return parsed(text, (parser) => parser.item());
}

/** Parses a list (RFC 9651 4.2.1). @param text as above @returns undefined if it is malformed */
export function parseList(text: string): List | undefined {
  return parsed(text, (parser) => parser.list());
}

/**
 * Parses a dictionary (RFC 9651 4.2.2). Of members with the same key, the last one is kept.
 *
 * @param text as above
 * @returns undefined if it is malformed
 */
export function parseDictionary(text: string): Dictionary | undefined {
  return parsed(text, (parser) => parser.dictionary());
}

function parsed<T>(text: string, parse: (parser: Parser) => T): T | undefined {
  try {
    return parse(new Parser(text));
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
const BYTES = /:([A-Za-z0-9+/]*={0,2}):/y;
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

  item(): Item {
    this.#match(SP);
    const item = this.#item();
    this.#match(SP);
    if (!this.#isAtEnd) throw MALFORMED;
    return item;
  }

  list(): List {
    const members: Member[] = [];
    this.#eachMember(() => members.push(this.#member()));
    return members;
  }

  dictionary(): Dictionary {
    const members = new Map<string, Member>();
    this.#eachMember(() => {
      const key = this.#key();
      const member = this.#skip('=')
        ? this.#member()
        : { value: TRUE, parameters: this.#parameters() };
      members.set(key, member);
    });
    return members;
  }

  get #isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Parses members between commas, up to the end of the text. */
  #eachMember(parse: () => void): void {
    this.#match(SP);
    while (!this.#isAtEnd) {
      parse();
      this.#match(OWS);
      if (this.#isAtEnd) break;
      if (!this.#skip(',')) throw MALFORMED;
      this.#match(OWS);
      // A trailing comma is malformed.
      if (this.#isAtEnd) throw MALFORMED;
    }
  }

  #member(): Member {
    if (!this.#skip('(')) return this.#item();
    const items: Item[] = [];
    for (;;) {
      const isSeparated = this.#match(SP)?.[0] !== '';
      if (this.#skip(')')) return { items, parameters: this.#parameters() };
      if (items.length > 0 && !isSeparated) throw MALFORMED;
      items.push(this.#item());
    }
  }

  #item(): Item {
    return { value: this.#bareItem(), parameters: this.#parameters() };
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
        return { type: 'bytes', value: decodeBytes(this.#group(BYTES)) };
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

/** @param text base64; padding may be absent (RFC 9651 4.2.7), but not wrong */
function decodeBytes(text: string): Uint8Array {
  const rest = text.length % 4;
  if (text.endsWith('=') ? rest !== 0 : rest === 1) throw MALFORMED;
  return Buffer.from(text, 'base64');
}

function decodeDisplayString(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw MALFORMED;
  }
}

/** Serializes an item, or an inner list. @throws RangeError if a value cannot be serialized */
export function serializeMember(member: Member): string {
  const parameters = serializeParameters(member.parameters);
  if (!isInnerList(member)) return serializeBareItem(member.value) + parameters;
  return `(${member.items.map(serializeMember).join(' ')})${parameters}`;
}

/** Serializes a list (RFC 9651 4.1.1). Empty if it has no members: the field is then not sent. @throws as above */
export function serializeList(list: List): string {
  return list.map(serializeMember).join(', ');
}

/** Serializes a dictionary (RFC 9651 4.1.2). Empty as above. @throws as above */
export function serializeDictionary(dictionary: Dictionary): string {
  const members = Array.from(dictionary, ([key, member]) => {
    const isTrue = !isInnerList(member) && member.value.value === true;
    const value = isTrue ? serializeParameters(member.parameters) : `=${serializeMember(member)}`;
    return serializeKey(key) + value;
  });
  return members.join(', ');
}

/** Serializes parameters, each after a semicolon (RFC 9651 4.1.1.2). @throws as above */
export function serializeParameters(parameters: Parameters): string {
  let text = '';
  for (const [key, item] of parameters) {
    text += `;${serializeKey(key)}`;
    if (item.value !== true) text += `=${serializeBareItem(item)}`;
  }
  return text;
}

function serializeKey(key: string): string {
  return requireMatch(/^[a-z*][a-z0-9_.*-]*$/, key);
}

/** Serializes a bare item (RFC 9651 4.1.3.1). @throws as above */
export function serializeBareItem(item: BareItem): string {
  switch (item.type) {
    case 'integer':
      return serializeInteger(item.value);
    case 'decimal':
      return serializeDecimal(item.value);
    case 'date':
      return `@${serializeInteger(item.value)}`;
    case 'string':
      return `"${requireMatch(/^[ -~]*$/, item.value).replace(/["\\]/g, '\\$&')}"`;
    case 'token':
      return requireMatch(/^[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*$/, item.value);
    case 'display-string':
      return serializeDisplayString(item.value);
    case 'bytes':
      return `:${Buffer.from(item.value).toString('base64')}:`;
    case 'boolean':
      return item.value ? '?1' : '?0';
  }
}

function requireMatch(pattern: RegExp, text: string): string {
  if (!pattern.test(text)) throw new RangeError('a structured field cannot have this text');
  return text;
}

const MAX_INTEGER = 999_999_999_999_999;

function serializeInteger(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) > MAX_INTEGER) {
    throw new RangeError('an integer has at most 15 digits (RFC 9651 3.3.1)');
  }
  return String(value);
}

/** Rounds to three decimals, half to even (RFC 9651 4.1.5). */
function serializeDecimal(value: number): string {
  // Smaller numbers, which JavaScript writes with an exponent, are rounded to 0.
  const scaled = Math.abs(value) < 1e-4 ? 0 : Number(`${value}e3`);
  const below = Math.floor(scaled);
  const isUp = scaled - below === 0.5 ? below % 2 !== 0 : scaled - below > 0.5;
  const thousandths = Math.abs(isUp ? below + 1 : below);
  if (!(thousandths <= MAX_INTEGER)) {
    throw new RangeError('a decimal has at most 12 digits before its point (RFC 9651 3.3.2)');
  }
  const decimals = String(thousandths % 1000).padStart(3, '0');
  const sign = scaled < 0 && thousandths > 0 ? '-' : '';
  return `${sign}${Math.floor(thousandths / 1000)}.${decimals.replace(/(?<=\d)0{1,2}$/, '')}`;
}

function serializeDisplayString(text: string): string {
  let escaped = '';
  if (/\p{Surrogate}/u.test(text)) throw new RangeError('a lone surrogate is no character');
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== PERCENT && byte !== QUOTE;
    escaped += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return `%"${escaped}"`;
}

const [PERCENT, QUOTE] = [0x25, 0x22];
