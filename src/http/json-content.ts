/**
 * Bounds of JSON that is parsed. What it takes then is in proportion to them: megabytes of brackets or names would take
 * hundreds of MiB and of milliseconds.
 */
const bounds = {
  /** Bytes of indentation when serialized, two spaces per level. It bounds nesting too: 2,048 levels have 8 MiB. */
  indentation: 8 * 1024 ** 2,
  /** Members and elements. */
  values: 200_000,
  /** Names of members, each counted once: V8 keeps every other name for itself, which takes over a microsecond. */
  names: 10_000,
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
      : `has more than ${bounds[bound]} ${bound === 'names' ? 'different names' : bound}`,
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

/** Whether text is too long to have only allowed names: a name takes at least five characters, as in `"a":0,`. */
const MIN_NAMED = 5 * bounds.names;

/** The first bound that JSON exceeds. Of text that is no JSON, any result is right. */
function exceededBound(text: string): keyof typeof bounds | undefined {
  const names = text.length > MIN_NAMED ? new Set<string>() : undefined;
  let indentation = 0;
  let depth = 0;
  let values = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        start = at;
        end = endOfString(text, at);
        at = end;
        break;
      case 0x3a: // :
        // A colon without a name before it, which would otherwise be hashed again for each.
        if (end === 0) return undefined;
        if (names && names.add(text.slice(start, end)).size > bounds.names) return 'names';
        end = 0;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        indentation += 2 * depth;
        if (++values > bounds.values) return 'values';
        if (indentation > bounds.indentation) return 'indentation';
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        indentation += 2 * depth;
        break;
      case 0x2c: // ,
        indentation += 2 * depth;
        if (++values > bounds.values) return 'values';
        break;
      default:
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
