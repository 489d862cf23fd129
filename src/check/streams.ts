/** Where a command reads and writes. */
export interface Streams {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether `out` is a terminal. */
  readonly isTerminal: boolean;
  /** Characters of its lines. */
  readonly columns?: number | undefined;
  /** The stream of `error`, if it is a terminal. */
  readonly errorTerminal: NodeJS.WritableStream | undefined;
  /** How the user has called this program: in a clone there is no `wirebin` command. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
  /** Asks the user a question; undefined if standard input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** Whether `out` shows colors; NO_COLOR turns them off. */
export function isColored({ isTerminal, environment }: Streams): boolean {
  return isTerminal && !environment['NO_COLOR'];
}
