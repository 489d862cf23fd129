import type { Streams } from '../src/check/streams.ts';

/** The streams of a command without a terminal; what it writes is dropped unless given. */
export function streams(given: Partial<Streams> = {}): Streams {
  return {
    out: () => undefined,
    error: () => undefined,
    isTerminal: false,
    errorTerminal: undefined,
    program: 'wirebin',
    environment: {},
    signal: new AbortController().signal,
    ask: undefined,
    ...given,
  };
}
