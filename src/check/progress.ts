import { SingleBar } from 'cli-progress';
import type { Streams } from './streams.ts';

/** A bar on a terminal's standard error that says how far the run is. */
export class Progress {
  readonly #bar: SingleBar | undefined;

  constructor(all: number, { errorTerminal }: Streams) {
    if (!errorTerminal) return;
    this.#bar = new SingleBar({
      format: '{bar} {value}/{total}{text}',
      stream: errorTerminal,
      clearOnComplete: true,
      hideCursor: true,
    });
    this.#bar.start(all, 0, { text: '' });
  }

  /** @param text follows the numbers */
  update(done: number, text: string): void {
    this.#bar?.update(done, { text });
  }

  end(): void {
    this.#bar?.stop();
  }
}
