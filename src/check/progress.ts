import { SingleBar } from 'cli-progress';
import type { Streams } from './streams.ts';

/** Milliseconds between two lines where standard error is no terminal. */
const INTERVAL = 10_000;

/** The progress of a run on standard error: a bar on a terminal, elsewhere a line every ten seconds. */
export class Progress {
  readonly #bar: SingleBar | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #ofAll: string;
  /** The line that says how far the run is; empty before the first update. */
  #line = '';

  /** @param what is counted, in the plural */
  constructor(all: number, what: string, { errorTerminal, error }: Streams) {
    this.#ofAll = `of ${all} ${what}`;
    if (errorTerminal) {
      this.#bar = new SingleBar({
        format: `{bar} {value} of {total} ${what}, about {eta_formatted} left{text}`,
        stream: errorTerminal,
        clearOnComplete: true,
        hideCursor: true,
      });
      this.#bar.start(all, 0, { text: '' });
    } else this.#timer = setInterval(() => this.#line && error(`${this.#line}\n`), INTERVAL);
  }

  /** @param text shown after the numbers */
  update(done: number, text: string): void {
    this.#bar?.update(done, { text });
    this.#line = `${done} ${this.#ofAll}${text}`;
  }

  end(): void {
    this.#bar?.stop();
    clearInterval(this.#timer);
  }
}
