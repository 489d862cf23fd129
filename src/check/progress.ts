import type { Result } from './result.ts';
import type { Streams } from './streams.ts';

const WIDTH = 30;

/** A line on a terminal's standard error that says how far the run is. */
export class Progress {
  readonly #all: number;
  readonly #streams: Streams;
  #findings = 0;

  constructor(all: number, streams: Streams) {
    this.#all = all;
    this.#streams = streams;
  }

  update({ id, outcome }: Result, done: number): void {
    if (outcome === 'fail') this.#findings++;
    if (!this.#streams.isErrorTerminal) return;
    const filled = Math.round((WIDTH * done) / Math.max(1, this.#all));
    const bar = '#'.repeat(filled).padEnd(WIDTH, '.');
    this.#streams.error(`\r\x1b[K[${bar}] ${done}/${this.#all}, ${this.#findings} failed  ${id}`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#streams.isErrorTerminal) this.#streams.error('\r\x1b[K');
  }
}
