import pino, { type Logger as Pino } from 'pino';
import type { Logger } from './logger.ts';
import { LogOutput, standardOutput } from './log-output.ts';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  /** Lines for a person at a terminal instead of JSON for a machine. */
  readonly pretty: boolean;
  /** The number of this process where several share the output; every line has it. */
  readonly worker?: number;
}

/** Bytes that POSIX keeps together when several processes write to a pipe; a longer line may tear. */
const PIPE_BUF = 4096;

/**
 * The log, on standard output. Callers never pass fields or queries of a request: no secrets. `end`
 * writes what is left: call it when the process exits.
 */
export async function createLog({
  level,
  pretty,
  worker,
}: LogOptions): Promise<{ log: Pino; end: () => void }> {
  const shared = worker !== undefined;
  const output = new LogOutput({
    sink: standardOutput(),
    ...(shared && { maxWrite: PIPE_BUF }),
    onLost: (lines, code) => log.warn({ lines, code }, 'lines of the log were lost'),
  });
  const readable = pretty ? await prettifier() : undefined;
  const log = pino(
    {
      level,
      base: shared ? { worker } : null,
      formatters: { level: (label: string) => ({ level: label }) },
    },
    { write: (line) => output.write(readable ? readable(line) : line) },
  );
  return { log, end: () => output.end() };
}

/** What makes a line for people of one of JSON. */
async function prettifier(): Promise<(line: string) => string> {
  // Loaded only for people: it would cost every start its time.
  const { default: pretty } = await import('pino-pretty');
  return pretty.prettyFactory({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' });
}
