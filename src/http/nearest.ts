/** Maximum length of a typo. Longer input is not compared. */
const MAX_LENGTH = 64;

/**
 * Suggests a name for a mistyped one: the shortest that begins with it, or else the one with the smallest edit
 * distance, if that is at most a third of the input's length (at least 2).
 *
 * @returns undefined if no name is close enough
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  if (typed === '' || typed.length > MAX_LENGTH) return undefined;
  const completions = names.filter((name) => name.startsWith(typed));
  if (completions.length > 0) return completions.reduce((a, b) => (b.length < a.length ? b : a));
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed, name);
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

/** Suggests what was meant. */
export function didYouMean(...meant: readonly string[]): string {
  return `did you mean ${meant.join(' or ')}?`;
}

/**
 * Suggests a name for a mistyped one.
 *
 * @param otherwise returned if no name is close enough
 * @param prefix of the name as it is written, such as two hyphens
 */
export function nameHint(
  typed: string,
  names: readonly string[],
  otherwise: string,
  prefix = '',
): string {
  const near = nearest(typed, names);
  return near === undefined ? otherwise : didYouMean(prefix + near);
}

const SCHEMES = ['http', 'https'];

/**
 * The origins that may be meant by a text that is no HTTP URL, because its scheme is missing or mistyped. Without a
 * scheme it may be either: with a guessed one, wirebin could check the wrong listener. A port is one of this machine.
 */
export function meantOrigins(text: string): readonly string[] {
  const [, scheme = '', rest = ''] = /^(?:(\w*):\/\/|\/*)(.*)/s.exec(text) ?? [];
  const near = nearest(scheme.toLowerCase(), SCHEMES);
  const isPort = /^:?\d+$/.test(rest);
  // An IPv6 address without its brackets.
  const isAddress = /^[\da-f]*:[\da-f.]*:[\da-f:.]*$/i.test(rest);
  const host = isPort ? `localhost:${rest.replace(':', '')}` : isAddress ? `[${rest}]` : rest;
  const urls = (near === undefined ? SCHEMES : [near]).map((each) => `${each}://${host}`);
  const parsed = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url));
  const [typed = ''] = /^(?:\[.*\]|[^/?#:]*)/.exec(host.toLowerCase()) ?? [];
  // The parser expands numbers: 1.5 would be 1.0.0.5, the host of somebody else.
  return parsed.filter(({ hostname }) => hostname === typed).map(({ origin }) => origin);
}

/** Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps. */
export function editDistance(from: string, to: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let distance = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) distance = Math.min(distance, (previous[j - 2] ?? 0) + 1);
      next.push(distance);
    }
    previous = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
