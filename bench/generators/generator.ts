import type { Protocol } from '../scenarios.ts';

/** One load that a generator is asked for. */
export interface Load {
  readonly url: string;
  readonly protocol: Protocol;
  readonly connections: number;
  /** Requests at once on each connection. */
  readonly streams: number;
  readonly seconds: number;
  /** Requests per second; undefined for as many as there can be. */
  readonly rate: number | undefined;
}

/** What a generator says of a load. */
export interface Figures {
  readonly requestsPerSecond: number;
  /** Percentiles of the latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Requests that failed. */
  readonly failures: number;
}

/** A program that loads a server, and says how fast it was. */
export interface Generator {
  readonly name: string;
  readonly program: string;
  /** What to install, for the line that says it is missing. */
  readonly needs: string;
  /** Whether it can make this load. */
  does(load: Load): boolean;
  /**
   * A line for the shell that makes the load with one thread.
   *
   * @param program its path
   * @param file where it may write what `read` wants
   */
  command(program: string, load: Load, file: string): string;
  /** @param output its standard output @param file that of `command` @throws if it has no figures */
  read(output: string, file: string): Figures;
}

export const isHttp1 = ({ protocol }: Load): boolean =>
  protocol === 'http/1.1' || protocol === 'https/1.1';

/** The number that a pattern captures. @throws if the text has none */
export function numberIn(text: string, pattern: RegExp): number {
  const [, number] = pattern.exec(text) ?? [];
  if (number === undefined) throw new Error(`no ${pattern.source} in ${text.slice(0, 500)}`);
  return Number(number);
}
