const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-9],
  ['us', 1e-6],
  ['µs', 1e-6],
  ['μs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * Parses a duration like Go's `time.ParseDuration`: `300ms`, `1m30s`, `-1.5h`.
 *
 * @returns seconds, rounded to nanoseconds; undefined if malformed
 */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '') return undefined;
  let seconds = 0;
  PART.lastIndex = 0;
  for (let end = 0; end < unsigned.length; end = PART.lastIndex) {
    const [, number, unit = ''] = PART.exec(unsigned) ?? [];
    if (number === undefined) return undefined;
    seconds += Number(number) * (UNITS.get(unit) ?? 0);
  }
  // Rounded, to remove floating-point errors of the sum.
  const rounded = Math.round(seconds * 1e9) / 1e9;
  return text.startsWith('-') ? -rounded : rounded;
}
