import { counted } from './words.ts';

/** That the journal of an instance cannot be read: what needs it is blocked, and says nothing of the target. */
export class JournalGap extends Error {}

/** The instances of wirebin behind a target, by their process ids. */
export class Instances {
  /** Those that have answered through the target. */
  readonly #answering = new Set<string>();
  /** The one at each URL of --origin. */
  readonly #reached = new Map<string, string>();
  #counted = 0;
  #generation = 0;
  /** Those whose place another one has taken. A cache may still have their responses. */
  readonly #replaced = new Set<string>();

  /** Notes who has answered through the target. @returns whether it is another one than before */
  saw(process: string | undefined): boolean {
    if (!process || this.#replaced.has(process) || this.#answering.has(process)) return false;
    this.#answering.add(process);
    return true;
  }

  /**
   * Notes who has answered the requests of a check, unless they were forgotten since it began: one that has answered
   * before may have been restarted.
   *
   * @param generation that of when the check began
   */
  sawDuring(generation: number, processes: readonly (string | undefined)[]): void {
    if (generation === this.#generation) for (const process of processes) this.saw(process);
  }

  /** Notes who has answered past the target. One that was there before has ended. */
  reached({ origin }: URL, process: string): void {
    const before = this.#reached.get(origin);
    this.#reached.set(origin, process);
    if (before === undefined || before === process) return;
    this.#answering.delete(before);
    this.#replaced.add(before);
  }

  /** Begins to count anew: without --origin, only that tells one that was restarted from another one. */
  forget(): void {
    this.#generation += 1;
    this.#answering.clear();
  }

  /** Another number after they were forgotten. */
  get generation(): number {
    return this.#generation;
  }

  /** Notes that those that answer have been counted. */
  counted(): void {
    this.#counted = this.#answering.size;
  }

  /** Whether none was seen since then. */
  get isCounted(): boolean {
    return this.#counted === this.#answering.size;
  }

  /** What changes when one is restarted. */
  get identity(): string {
    return [...this.#answering].toSorted().join(' ');
  }

  /** How many answer. */
  get count(): number {
    return this.#answering.size;
  }

  /** Whether one that answers can be asked past the target. */
  get hasReached(): boolean {
    return [...this.#reached.values()].some((process) => this.#answering.has(process));
  }

  /** Why the journal is not that of all instances; undefined if it is. */
  get gap(): string | undefined {
    const reached = new Set(this.#reached.values());
    const missing = [...this.#answering].filter((process) => !reached.has(process)).length;
    // Without --origin the journal is read through the target, which leads to any of them.
    if (missing === 0 || (reached.size === 0 && this.count === 1)) return undefined;
    if (this.count === 1)
      return '1 instance of wirebin answers behind the target, and its journal cannot be reached: name it by --origin';
    const all = `${counted(this.count, 'instance')} of wirebin answer behind the target`;
    const whose = missing === 1 ? 'one' : String(missing);
    return `${all}, and the journal of ${whose} cannot be reached: name each by --origin`;
  }
}
