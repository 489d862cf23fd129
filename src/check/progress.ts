import { SingleBar } from 'cli-progress';
import type { Streams } from './streams.ts';

/** A progress bar on standard error, if that is a terminal. */
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

  /** @param text shown after the numbers */
  update(done: number, text: string): void {
    this.#bar?.update(done, { text });
  }

  end(): void {
    this.#bar?.stop();
  }
}
