import pino, { type Logger as Pino } from 'pino';
import type { Logger } from './logger.ts';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  /** Lines for a person at a terminal instead of JSON for a machine. */
  readonly pretty: boolean;
  /** The number of this process where several share the output; every line has it. */
  readonly worker?: number;
}

/** Octets that POSIX keeps together when several processes write to a pipe; a longer line may tear. */
const PIPE_BUF = 4096;

/** The log, on standard output. Callers never pass fields or queries of a request: no secrets. */
export async function createLog({ level, pretty, worker }: LogOptions): Promise<Pino> {
  const shared = worker !== undefined;
  const options = {
    level,
    base: shared ? { worker } : null,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!pretty) {
    const together = shared && { maxWrite: PIPE_BUF };
    return pino(options, pino.destination({ dest: 1, sync: false, ...together }));
  }
  // Loaded only for people: it would cost every start its time.
  const { default: prettyStream } = await import('pino-pretty');
  return pino(
    options,
    prettyStream({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }),
  );
}
