/** Tests whether the whole text matches. */
export type Matcher = (text: string) => boolean;

/**
 * Compiles a pattern in which `*` stands for any characters. Matching takes linear time, whatever text and pattern are:
 * each part between two `*` is searched once, from the end of the part before.
 */
export function matcherOf(pattern: string): Matcher {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return (text) => text === start;
  const parts = rest.filter((part) => part !== '').map(partOf);
  return (text) => {
    if (!text.startsWith(start)) return false;
    let at = start.length;
    for (const { length, find } of parts) {
      const found = find(text, at);
      if (found < 0) return false;
      at = found + length;
    }
    return text.length - end.length >= at && text.endsWith(end);
  };
}

interface Part {
  readonly length: number;
  /** Index of the first occurrence at or after `from`; -1 without one. */
  readonly find: (text: string, from: number) => number;
}

/** Characters up to which V8 searches a part: its time may be the product of both lengths. */
const MAX_NATIVE = 64;

function partOf(part: string): Part {
  const { length } = part;
  if (length <= MAX_NATIVE) return { length, find: (text, from) => text.indexOf(part, from) };
  const borders = bordersOf(part);
  return { length, find: (text, from) => search(text, from, part, borders) };
}

/** For each prefix of the part, by its last index: length of the longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let border = 0;
  for (let at = 1; at < part.length; at++) {
    while (border > 0 && part[at] !== part[border]) border = borders[border - 1] ?? 0;
    if (part[at] === part[border]) border++;
    borders[at] = border;
  }
  return borders;
}

/** Searches as Knuth, Morris and Pratt do: no character of the text is passed twice. */
function search(text: string, from: number, part: string, borders: Uint32Array): number {
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && text[at] !== part[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === part[matched]) matched++;
    if (matched === part.length) return at + 1 - matched;
  }
  return -1;
}
