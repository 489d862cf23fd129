/** Milliseconds in which a repeated signal is ignored: npm sends a terminal's Ctrl-C a second time. */
const REPEATED_SIGNAL_WINDOW = 500;

export class StopSignals {
  #first: { readonly signal: string; readonly at: number } | undefined;

  /**
   * What a signal asks for: first a drain, then that the process ends at once.
   *
   * @param at milliseconds, from performance.now()
   */
  received(signal: string, at: number): 'drain' | 'ignore' | 'exit' {
    const first = this.#first;
    if (!first) {
      this.#first = { signal, at };
      return 'drain';
    }
    return signal === first.signal && at - first.at < REPEATED_SIGNAL_WINDOW ? 'ignore' : 'exit';
  }
}
