/** Maximum number of sentences, and of problems, of a field. */
const MAX_NOTES = 32;

/** Maximum characters of a text from the client in a sentence. */
const MAX_QUOTED = 64;

/** Collects the notes on a field. */
export class Notes {
  readonly #meaning = new Lines();
  readonly #problems = new Lines();

  means(sentence: string): void {
    this.#meaning.add(sentence);
  }

  problem(text: string): void {
    this.#problems.add(text);
  }

  get meaning(): readonly string[] {
    return this.#meaning.all;
  }

  get problems(): readonly string[] {
    return this.#problems.all;
  }
}

/** The first lines, and the number of those that were left out. */
class Lines {
  readonly #lines: string[] = [];
  #count = 0;

  add(line: string): void {
    if (++this.#count <= MAX_NOTES) this.#lines.push(line);
  }

  get all(): readonly string[] {
    const leftOut = this.#count - this.#lines.length;
    return leftOut > 0 ? [...this.#lines, `${leftOut} more are not shown.`] : this.#lines;
  }
}

/** Text from the client within a sentence: in quotation marks, and no longer than 64 characters. */
export function quoted(text: string): string {
  const start = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return JSON.stringify(start);
}

/** A number of things within a sentence. @param unit singular of a word whose plural ends in s */
export function countText(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** A time within a sentence. @param seconds since 1970 */
export function timeText(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} seconds after 1970`;
  return date.toISOString().replace('.000Z', 'Z');
}

/** How long ago or ahead a time is, in the largest unit that fits. @param seconds positive: ahead */
export function distanceText(seconds: number): string {
  if (seconds === 0) return 'now';
  const length = Math.abs(seconds);
  const [unit, size] = UNITS.find(([, each]) => length >= each) ?? ['second', 1];
  const text = countText(Math.floor(length / size), unit);
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
