import pino, { type Logger as Pino } from 'pino';
import type { WriteLine } from './access-log.ts';
import { LogOutput, standardOutput, type Sink } from './log-output.ts';

export interface LogOptions {
  readonly level: string;
  /** Whether to write human-readable lines instead of JSON. */
  readonly pretty: boolean;
  /** The worker number, if several processes share the output. Added to every line. */
  readonly worker?: number;
  /** Default: standard output. */
  readonly sink?: Sink | undefined;
}

export interface LogOutputs {
  readonly log: Pino;
  /** Writes a line without a format, to the output of the log. */
  readonly writeLine: WriteLine;
}

/** A write of up to so many bytes to a pipe is atomic (POSIX). Longer lines can mix with those of other processes. */
const PIPE_BUF = 4096;

/**
 * Creates the log. Callers must not log field values or queries, which may be secret. Call `end` when the process
 * exits, to write the remaining lines.
 */
export async function createLog({
  level,
  pretty,
  worker,
  sink = standardOutput(),
}: LogOptions): Promise<LogOutputs & { end: () => void }> {
  const isShared = worker !== undefined;
  const output = new LogOutput({
    sink,
    ...(isShared && { maxWrite: PIPE_BUF }),
    onDropped: (lines, code) => log.warn({ lines, code }, 'log lines were dropped'),
  });
  const prettify = pretty ? await createPrettifier() : undefined;
  const log = pino(
    {
      level,
      base: isShared ? { worker } : null,
      formatters: { level: (label: string) => ({ level: label }) },
    },
    { write: (line) => output.write(escapeControls(prettify ? prettify(line) : line)) },
  );
  return { log, writeLine: (line) => output.write(`${line}\n`), end: () => output.end() };
}

/** Control characters that terminals interpret, but JSON does not escape: DEL and C1. */
const CONTROLS = /[\x7f-\x9f]/g;

function escapeControls(line: string): string {
  return line.replace(CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

async function createPrettifier(): Promise<(line: string) => string> {
  // Imported only if needed, because it delays the start.
  const { default: pretty } = await import('pino-pretty');
  return pretty.prettyFactory({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' });
}
