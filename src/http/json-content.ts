/**
 * Bounds of JSON that is parsed. What it takes then is in proportion to them: megabytes of brackets or names would take
 * hundreds of MiB and of milliseconds.
 */
const bounds = {
  /** Bytes of indentation when serialized, two spaces per level. It bounds nesting too: 2,048 levels have 8 MiB. */
  indentation: 8 * 1024 ** 2,
  /** Members and elements. */
  values: 150_000,
  /** Names of members, each counted once: V8 keeps every other name for itself, which takes over a microsecond. */
  names: 10_000,
  /**
   * Members of objects with another shape than the first ones. A shape is the names in their order: V8 makes a hidden
   * class of each, and looks for it again for each object. 99,000 objects with one of 10,000 names each took 90 ms.
   */
  rare: 10_000,
  /** Numbers that V8 reads and writes by arithmetic of many digits, some microsecond each; see `SlowNumbers`. */
  slow: 20_000,
} as const;

/** Shapes of objects, and beginnings of shapes, that do not count as rare. */
const COMMON_SHAPES = 100;

/** Objects above which fewer members may be rare: with many shapes, V8 looks longer for each, whether rare or not. */
const MANY_OBJECTS = 50_000;
const MOST_RARE_IN_MANY = 1000;

/** Objects above which a name that is a number counts as rare: it is an element, for which each object has a store. */
const MANY_WITH_ELEMENTS = 20_000;

/** What exceeds a bound other than that of indentation. */
const EXCESS = {
  values: `${bounds.values} values`,
  names: `${bounds.names} different names`,
  rare: `${bounds.rare} members in objects of other shapes than the first ${COMMON_SHAPES}, or ${MOST_RARE_IN_MANY} with more than ${MANY_OBJECTS} objects`,
  slow: `${bounds.slow} numbers with large exponents or many digits`,
} as const;

/** Characters of the shortest text that can exceed a bound: 2,048 opening and as many closing brackets. */
const MIN_CHECKED = 4096;

/** Parses JSON. @throws SyntaxError if it is malformed, RangeError that names the bound if it exceeds one */
export function parseJson(text: string): unknown {
  const bound =
    text.length > MIN_CHECKED && /^\s*[[{]/.test(text) ? exceededBound(text) : undefined;
  if (bound === undefined) return JSON.parse(text);
  throw new RangeError(
    bound === 'indentation'
      ? `is nested so deeply that indentation would take more than ${bounds.indentation} bytes`
      : `has more than ${EXCESS[bound]}`,
  );
}

/** Parses JSON; null if it is malformed or exceeds a bound. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/** Whether text is too long to have only allowed names: a name takes at least five characters, as in `"a":0,`. */
const MIN_NAMED = 5 * bounds.names;

/** The names of an object so far, as a number: of each beginning of a shape, in the order of appearance. */
type Shape = number;

/** The names and shapes of the objects in a text. */
class Shapes {
  /** Maximum of rare members. */
  mostRare: number = bounds.rare;
  /** Members of objects with another shape than the first ones. */
  rare = 0;
  /** Numbers of names. */
  readonly #names = new Map<string, number>();
  /** By a shape and the number of the name that follows. */
  readonly #longer = new Map<number, Shape>();
  /** The shapes of the objects around the current one. */
  readonly #outer: Shape[] = [];
  #current: Shape = 0;
  #objects = 0;

  get names(): number {
    return this.#names.size;
  }

  open(): void {
    if (++this.#objects > MANY_OBJECTS) this.mostRare = MOST_RARE_IN_MANY;
    this.#outer.push(this.#current);
    this.#current = 0;
  }

  close(): void {
    this.#current = this.#outer.pop() ?? 0;
  }

  /** Adds a member to the current object. @param name with its opening quotation mark */
  add(name: string): void {
    let number = this.#names.get(name);
    if (number === undefined) this.#names.set(name, (number = this.#names.size));
    const key = this.#current * 2 * bounds.names + number;
    const known = this.#longer.get(key);
    this.#current = known ?? this.#longer.size + 1;
    if (known === undefined) this.#longer.set(key, this.#current);
    const isElement = this.#objects > MANY_WITH_ELEMENTS && isDigit(name.charCodeAt(1));
    if (this.#current > COMMON_SHAPES || isElement) this.rare++;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Counts the numbers that take V8 ten times as long as others, as far as a client can choose them. */
class SlowNumbers {
  count = 0;

  /** Counts a number. @param start of its first digit. @returns the index after it */
  add(text: string, start: number): number {
    let exponent = -1;
    let at = start;
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (isDigit(character)) {
        if (exponent >= 0 && exponent < LARGE_EXPONENT) exponent = 10 * exponent + character - 0x30;
      } else if (character === 0x65 || character === 0x45) exponent = 0;
      else if (character !== 0x2b && character !== 0x2d && character !== 0x2e) break;
    }
    const length = at - start;
    if (exponent >= LARGE_EXPONENT) this.count++;
    if (length > MANY_DIGITS) this.count += Math.ceil(length / MANY_DIGITS);
    return at;
  }
}

/** From here on, some doubles have no short way to decimal digits or back. 199,000 of them took 200 ms, as 9e-265. */
const LARGE_EXPONENT = 30;
/** Characters above which a number counts: doubles have at most 24, as -1.7976931348623157e+308. */
const MANY_DIGITS = 24;

/** The first bound that JSON exceeds. Of text that is no JSON, any result is right. */
function exceededBound(text: string): keyof typeof bounds | undefined {
  const shapes = text.length > MIN_NAMED ? new Shapes() : undefined;
  const slow = new SlowNumbers();
  let indentation = 0;
  let depth = 0;
  let values = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    switch (character) {
      case QUOTE:
        start = at;
        end = endOfString(text, at);
        at = end;
        break;
      case 0x3a: // :
        // A colon without a name before it, which would otherwise be hashed again for each.
        if (end === 0) return undefined;
        if (shapes) {
          shapes.add(text.slice(start, end));
          if (shapes.names > bounds.names) return 'names';
          if (shapes.rare > shapes.mostRare) return 'rare';
        }
        end = 0;
        break;
      case 0x5b: // [
      case OPENING_BRACE:
        if (character === OPENING_BRACE) shapes?.open();
        depth++;
        indentation += 2 * depth;
        if (++values > bounds.values) return 'values';
        if (indentation > bounds.indentation) return 'indentation';
        break;
      case 0x5d: // ]
      case CLOSING_BRACE:
        if (character === CLOSING_BRACE) shapes?.close();
        depth--;
        indentation += 2 * depth;
        break;
      case 0x2c: // ,
        indentation += 2 * depth;
        if (++values > bounds.values) return 'values';
        break;
      default:
        if (!isDigit(character)) break;
        at = slow.add(text, at) - 1;
        if (slow.count > bounds.slow) return 'slow';
    }
  }
  return indentation > bounds.indentation ? 'indentation' : undefined;
}

/** Index of the closing quotation mark of the string at `start`; the end of the text without one. */
function endOfString(text: string, start: number): number {
  const first = text.indexOf('"', start + 1);
  if (first < 0) return text.length;
  if (text.charCodeAt(first - 1) !== BACKSLASH) return first;
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    // Also skips what is escaped.
    if (character === BACKSLASH) at++;
  }
  return text.length;
}
