/** Where a command reads and writes. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether `out` and `error` are terminals. */
  readonly isTerminal: boolean;
  readonly isErrorTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
  /** Asks the user; undefined if nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}
