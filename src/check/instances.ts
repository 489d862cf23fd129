import { Unjudged } from './unjudged.ts';
import { counted } from './words.ts';

/** The journal of an instance cannot be read: checks that need it are blocked, which says nothing of the target. */
export class JournalGap extends Unjudged {}

/** The instances of wirebin behind a target, by process id. */
export class Instances {
  /** Processes that have answered through the target. */
  readonly #answering = new Set<string>();
  /** The process at each URL of --origin. */
  readonly #reached = new Map<string, string>();
  #counted = 0;
  #generation = 0;
  /** Processes that were replaced by a restarted one. A cache may still have their responses. */
  readonly #replaced = new Set<string>();

  /** Notes a process that answered through the target. @returns whether it was not known before */
  saw(process: string | undefined): boolean {
    if (!process || this.#replaced.has(process) || this.#answering.has(process)) return false;
    this.#answering.add(process);
    return true;
  }

  /**
   * Notes the processes that answered the requests of a check, unless `forget()` was called since the check began: they
   * may have been restarted.
   *
   * @param generation `generation` when the check began
   */
  sawDuring(generation: number, processes: readonly (string | undefined)[]): void {
    if (generation === this.#generation) for (const process of processes) this.saw(process);
  }

  /** Notes the process at a URL of --origin, asked directly. If it is another one than before, that one has ended. */
  reached({ origin }: URL, process: string): void {
    const before = this.#reached.get(origin);
    this.#reached.set(origin, process);
    if (before === undefined || before === process) return;
    this.#answering.delete(before);
    this.#replaced.add(before);
  }

  /** Forgets all processes, to count again: without --origin, a restarted instance looks like an additional one. */
  forget(): void {
    this.#generation += 1;
    this.#answering.clear();
  }

  /** A number that changes with each `forget()`. */
  get generation(): number {
    return this.#generation;
  }

  /** Notes that the instances have been counted. */
  counted(): void {
    this.#counted = this.#answering.size;
  }

  /** Whether no new process was seen since `counted()`. */
  get isCounted(): boolean {
    return this.#counted === this.#answering.size;
  }

  /** A text that changes when an instance is restarted. */
  get identity(): string {
    return [...this.#answering].toSorted().join(' ');
  }

  /** Number of processes that answer. */
  get count(): number {
    return this.#answering.size;
  }

  /** Whether at least one of the processes that answer can be asked directly. */
  get hasReached(): boolean {
    return [...this.#reached.values()].some((process) => this.#answering.has(process));
  }

  /** Why the journals read do not cover all instances; undefined if they do. */
  get gap(): string | undefined {
    const reached = new Set(this.#reached.values());
    const missing = [...this.#answering].filter((process) => !reached.has(process)).length;
    // Without --origin, the journal is read through the target, which chooses any instance: complete only with one.
    if (missing === 0 || (reached.size === 0 && this.count === 1)) return undefined;
    if (this.count === 1)
      return '1 instance of wirebin answers behind the target, and its journal cannot be reached: name it by --origin';
    const all = `${counted(this.count, 'instance')} of wirebin answer behind the target`;
    const whose = missing === 1 ? 'one' : String(missing);
    return `${all}, and the journal of ${whose} cannot be reached: name each by --origin`;
  }
}
