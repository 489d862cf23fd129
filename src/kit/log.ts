import pino, { type Logger } from 'pino';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  /** Lines for a person at a terminal instead of JSON for a machine. */
  readonly pretty: boolean;
}

/** The log, on standard output. Callers never pass fields or queries of a request: no secrets. */
export async function createLog({ level, pretty }: LogOptions): Promise<Log> {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!pretty) return pino(options, pino.destination({ dest: 1, sync: false }));
  // Loaded only for people: it would cost every start its time.
  const { default: prettyStream } = await import('pino-pretty');
  return pino(
    options,
    prettyStream({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }),
  );
}
