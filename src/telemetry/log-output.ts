import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Characters that are buffered. Further lines are dropped and counted. */
const MAX_BUFFERED = 1024 * 1024;
/** Milliseconds until a write is retried: if a pipe or terminal is full, and after other errors. */
const EAGAIN_DELAY = 10;
const ERROR_DELAY = 1000;
/** Milliseconds that `end()` blocks if a pipe or terminal is full. */
const END_TIMEOUT = 200;

const STDOUT = 1;
const LINE_FEED = 10;
const EMPTY = Buffer.alloc(0);

/** Destination of the log. Both methods may write only a part of the bytes, like `fs.write()`. */
export interface Sink {
  write(bytes: Buffer, callback: (error: Error | null, written: number) => void): void;
  /** @returns the number of bytes written @throws the system error, such as EAGAIN */
  writeSync(bytes: Buffer): number;
}

export interface LogOutputOptions {
  readonly sink: Sink;
  /** Maximum bytes in one write, unless a single line is longer. */
  readonly maxWrite?: number;
  /** Called when writing works again, with the number of dropped lines and the error code. */
  readonly onDropped: (lines: number, code: string) => void;
}

/**
 * Writes lines without blocking. If the disk is full or the reader of the pipe has stalled, it buffers a
 * bounded number of lines and drops the rest.
 */
export class LogOutput {
  readonly #options: LogOutputOptions;
  #state: 'idle' | 'writing' | 'retrying' | 'ended' = 'idle';
  /** Bytes that are being written. `#buffered` follows them. */
  #pending: Buffer = EMPTY;
  #buffered = '';
  /** Bytes of `#pending` that have been passed to the thread pool. */
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  /** Code of the last error. */
  #code = '';

  constructor(options: LogOutputOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#buffered.length > MAX_BUFFERED) {
      this.#dropped++;
      return;
    }
    this.#buffered += line;
    if (this.#state === 'idle') this.#next();
  }

  /** Writes the remaining lines synchronously, for up to END_TIMEOUT. Call when the process exits. */
  end(): void {
    this.#state = 'ended';
    clearTimeout(this.#timer);
    // The writes of the thread pool are completed before the process exits.
    this.#pending = this.#pending.subarray(this.#inFlight);
    this.#inFlight = 0;
    const deadline = performance.now() + END_TIMEOUT;
    while (this.#writePendingSync(deadline)) {
      this.#flushBuffer();
      if (this.#pending.length === 0) return;
    }
  }

  /** Moves the buffered lines to `#pending`, and reports dropped lines. */
  #flushBuffer(): void {
    this.#pending = Buffer.from(this.#buffered);
    this.#buffered = '';
    if (this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.#options.onDropped(dropped, this.#code);
  }

  #next(): void {
    this.#state = 'writing';
    if (this.#pending.length === 0) this.#flushBuffer();
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
      this.#code = errorCode(error);
      this.#state = 'retrying';
      const delay = this.#code === 'EAGAIN' ? EAGAIN_DELAY : ERROR_DELAY;
      // Unreferenced: if the process exits first, end() writes the rest.
      this.#timer = setTimeout(() => this.#next(), delay).unref();
    } else {
      this.#pending = this.#pending.subarray(written);
      this.#next();
    }
  };

  /** @returns whether everything in `#pending` has been written */
  #writePendingSync(deadline: number): boolean {
    while (this.#pending.length > 0) {
      try {
        const bytes = this.#pending.subarray(0, this.#nextLength());
        this.#pending = this.#pending.subarray(this.#options.sink.writeSync(bytes));
      } catch (error) {
        if (errorCode(error) !== 'EAGAIN' || performance.now() >= deadline) return false;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EAGAIN_DELAY);
      }
    }
    return true;
  }

  /** Bytes of as many whole lines as fit in one write, so that lines of several processes do not mix. */
  #nextLength(): number {
    const { maxWrite = Infinity } = this.#options;
    const { length } = this.#pending;
    if (length <= maxWrite) return length;
    const last = this.#pending.lastIndexOf(LINE_FEED, maxWrite - 1);
    return (last === -1 ? this.#pending.indexOf(LINE_FEED) : last) + 1;
  }
}

export function standardOutput(): Sink {
  const fd = standardOutputDescriptor();
  return {
    write: (bytes, callback) => write(fd, bytes, callback),
    writeSync: (bytes) => writeSync(fd, bytes),
  };
}

/**
 * A non-blocking file descriptor for standard output. Pipes and terminals are opened anew, because O_NONBLOCK belongs
 * to the open file description: other processes share it, and Node clears the flag when a child process starts or
 * exits. Anything that cannot be opened anew, such as a socket, is used as process.stdout has configured it.
 */
function standardOutputDescriptor(): number {
  // `bigint`: up to Node 22, fs.realpathSync(), which import() calls, can return early after a plain
  // fstatSync() of a pipe, because both share one buffer.
  if (!isatty(STDOUT) && !fstatSync(STDOUT, { bigint: true }).isFIFO()) return STDOUT;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync('/dev/stdout', O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return STDOUT;
  }
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}
