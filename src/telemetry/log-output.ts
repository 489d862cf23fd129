import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Characters that may wait for the output; what comes after them is dropped and counted. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds until the next attempt: where a pipe or terminal is full, and after other errors. */
const FULL_PAUSE = 10;
const ERROR_PAUSE = 1000;
/** Milliseconds that the end of the process waits for a pipe or terminal that is full. */
const END_PATIENCE = 200;

const STDOUT = 1;
const LINE_FEED = 10;
const EMPTY = Buffer.alloc(0);

/** Where bytes go. */
export interface Sink {
  /** Begins to write them, or a part of them, and tells how many it were. */
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** Writes them, or a part of them. @returns how many @throws the system's error, such as EAGAIN */
  writeSync(bytes: Buffer): number;
}

export interface LogOutputOptions {
  readonly sink: Sink;
  /** Bytes of one write at most, but for a longer line. */
  readonly maxWrite?: number;
  /** Called when the output takes lines again: how many were dropped, and the error's code. */
  readonly onLost: (lines: number, code: string) => void;
}

/**
 * Writes lines as fast as they are taken. A full disk or a pipe that nobody reads holds up nothing: a
 * bounded number of lines waits for it, and what comes after them is dropped.
 */
export class LogOutput {
  readonly #options: LogOutputOptions;
  #state: 'idle' | 'writing' | 'pausing' | 'ending' = 'idle';
  /** What is being written, before `#waiting`. */
  #pending: Buffer = EMPTY;
  #waiting = '';
  /** Bytes of `#pending` that a thread has. */
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  /** Why the last attempt failed. */
  #code = '';

  constructor(options: LogOutputOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#waiting.length > MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting += line;
    if (this.#state === 'idle') this.#next();
  }

  /** Writes what is left, as far as it is taken at once. Call when the process ends. */
  end(): void {
    this.#state = 'ending';
    clearTimeout(this.#timer);
    // Threads finish what they have before the process ends.
    this.#pending = this.#pending.subarray(this.#inFlight);
    this.#inFlight = 0;
    const timeUp = performance.now() + END_PATIENCE;
    while (this.#writeNow(timeUp)) {
      this.#take();
      if (this.#pending.length === 0) return;
    }
  }

  /** Makes what waits pending. In place of lines that were lost comes one that says so. */
  #take(): void {
    this.#pending = Buffer.from(this.#waiting);
    this.#waiting = '';
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.onLost(lost, this.#code);
  }

  #next(): void {
    this.#state = 'writing';
    if (this.#pending.length === 0) this.#take();
    if (this.#pending.length === 0) {
      this.#state = 'idle';
      return;
    }
    this.#inFlight = this.#nextLength();
    this.#options.sink.write(this.#pending.subarray(0, this.#inFlight), this.#onWritten);
  }

  readonly #onWritten = (error: Error | null, written: number): void => {
    this.#inFlight = 0;
    if (error) {
      this.#code = codeOf(error);
      this.#state = 'pausing';
      const pause = this.#code === 'EAGAIN' ? FULL_PAUSE : ERROR_PAUSE;
      // What is left when the process has nothing else to do is for end().
      this.#timer = setTimeout(this.#onPaused, pause).unref();
    } else {
      this.#pending = this.#pending.subarray(written);
      this.#next();
    }
  };

  readonly #onPaused = (): void => this.#next();

  /** @returns whether all that was pending has been written */
  #writeNow(timeUp: number): boolean {
    while (this.#pending.length > 0) {
      try {
        const bytes = this.#pending.subarray(0, this.#nextLength());
        this.#pending = this.#pending.subarray(this.#options.sink.writeSync(bytes));
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN' || performance.now() >= timeUp) return false;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PAUSE);
      }
    }
    return true;
  }

  /** As many whole lines as go in one write: those of several processes do not tear each other. */
  #nextLength(): number {
    const { maxWrite = Infinity } = this.#options;
    const { length } = this.#pending;
    if (length <= maxWrite) return length;
    const last = this.#pending.lastIndexOf(LINE_FEED, maxWrite - 1);
    return (last === -1 ? this.#pending.indexOf(LINE_FEED) : last) + 1;
  }
}

export function standardOutput(): Sink {
  const fd = descriptor();
  return {
    write: (bytes, done) => write(fd, bytes, done),
    writeSync: (bytes) => writeSync(fd, bytes),
  };
}

/**
 * Standard output, so that writing does not block. A pipe or terminal is opened once more for that: the
 * flag belongs to the open file, which other processes have too, and Node clears it in each child
 * process at its start and end. What cannot be opened again, such as a socket, is as process.stdout has
 * left it.
 */
function descriptor(): number {
  // Up to Node 22 fs.realpathSync(), which import() calls, may end early after a plain fstatSync() of
  // a pipe: it looks at what the last one has left.
  if (!isatty(STDOUT) && !fstatSync(STDOUT, { bigint: true }).isFIFO()) return STDOUT;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync('/dev/stdout', O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return STDOUT;
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}
