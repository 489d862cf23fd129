import { SingleBar } from 'cli-progress';
import type { Result } from './result.ts';
import type { Streams } from './streams.ts';

/** A bar on a terminal's standard error that says how far the run is. */
export class Progress {
  readonly #bar: SingleBar | undefined;
  #failed = 0;

  constructor(all: number, { errorTerminal }: Streams) {
    if (!errorTerminal) return;
    this.#bar = new SingleBar({
      format: '{bar} {value}/{total}, {failed} failed  {id}',
      stream: errorTerminal,
      clearOnComplete: true,
      hideCursor: true,
    });
    this.#bar.start(all, 0, { failed: 0, id: '' });
  }

  update({ id, outcome }: Result, done: number): void {
    if (outcome === 'fail') this.#failed++;
    this.#bar?.update(done, { failed: this.#failed, id });
  }

  end(): void {
    this.#bar?.stop();
  }
}
