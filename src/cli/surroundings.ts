/** Exit codes: success or graceful stop; failure or aborted requests; usage error. */
export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

interface Output {
  write(text: string): unknown;
}

/** The parts of `process` that all commands use. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}
