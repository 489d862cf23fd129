interface Output {
  write(text: string): unknown;
}

/** What every command uses of `process`. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}
