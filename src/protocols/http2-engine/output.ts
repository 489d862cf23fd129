import type { Socket } from 'node:net';
import { turns } from '../../net/scheduler.ts';

/** Maximum bytes that the socket is given before it has taken earlier ones: over TLS it takes some in each iteration. */
const MAX_PENDING = 128 * 1024;
/** Bytes of one write from which on content waits for the next one. */
const MAX_WRITE = 128 * 1024;

/** The frames of a connection, as `Http2Connection` makes them. */
interface FrameSource {
  /** Bytes of frames that were not taken. */
  readonly outputLength: number;
  takeOutput(limit: number): readonly Uint8Array[];
  keepTaken(): void;
  reuseTaken(): void;
}

/**
 * Which bytes have to stay as they are after a write: those that the system has not taken at once; of TLS none, because
 * it has encrypted a single write when that returns; all of them if somebody observes the bytes.
 */
type Keeping = 'pending' | 'never' | 'always';

/** Waits for the bytes of a response. */
export interface Written {
  /** Called when the system has taken the bytes. @param isSent false if it never will */
  onWritten(isSent: boolean): void;
}

const NOTHING: readonly Written[] = [];
const NO_BYTES = Buffer.alloc(0);

/**
 * Writes the frames of a connection to its socket: all that answer what was read at once in one write, and in one write
 * per turn what is sent from elsewhere. As long as the socket is full, frames stay where they are, and with them the
 * content that waits behind them.
 */
export class Output {
  readonly #socket: Socket;
  readonly #source: FrameSource;
  readonly #keeping: Keeping;
  /** What waits for frames that were not written. */
  #waiting: Written[] = [];
  /** What waits for each write that the socket has not reported, oldest first; undefined if the system took it at once. */
  readonly #pending: (readonly Written[] | undefined)[] = [];
  readonly #large: (() => void)[] = [];
  /** Whether the next large header section has its turn soon. */
  #isLargeDue = false;
  #isBatch = false;
  #isScheduled = false;
  #isHeld = false;
  #isWriting = false;
  #onEmptied: (() => void) | undefined;

  constructor(socket: Socket, source: FrameSource, keeping: Keeping) {
    this.#socket = socket;
    this.#source = source;
    this.#keeping = keeping;
  }

  get #isFull(): boolean {
    const { writableLength } = this.#socket;
    return this.#keeping === 'never' ? writableLength > 0 : writableLength >= MAX_PENDING;
  }

  /** Whether the system has taken all frames, and the next ones need not wait. */
  get isEmpty(): boolean {
    const { destroyed, writableLength } = this.#socket;
    const { outputLength } = this.#source;
    return destroyed || (outputLength === 0 && writableLength === 0 && !this.#isHeld);
  }

  /** Call before anything is read, and `endBatch` afterwards: what is sent meanwhile is written then. */
  beginBatch(): void {
    this.#isBatch = true;
  }

  endBatch(): void {
    this.#isBatch = false;
    this.flush();
  }

  /** Call when frames have been made, or may be made of content that waits. */
  schedule(): void {
    if (this.#isBatch || this.#isScheduled || this.#isWriting) return;
    this.#isScheduled = true;
    process.nextTick(this.#flushScheduled);
  }

  /** Calls `onWritten` when the frames made so far have been written. */
  whenWritten(written: Written): void {
    this.#waiting.push(written);
  }

  /** Calls the function once all frames made so far have been written or dropped. */
  afterSent(call: () => void): void {
    if (this.isEmpty && this.#waiting.length === 0) call();
    else {
      this.#waiting.push({ onWritten: call });
      this.schedule();
    }
  }

  /** Calls functions that send large header sections one at a time, each after the previous one has been written. */
  sendLarge(send: () => void): void {
    this.#large.push(send);
    this.#sendNextLarge();
  }

  /** Calls the function when the socket has been given all frames. It replaces the one of an earlier call. */
  whenEmptied(call: () => void): void {
    this.#onEmptied = call;
    this.schedule();
  }

  /**
   * Has the frames of the connection wait until `release`, behind bytes of `writeHeld` that it does not make.
   *
   * @returns false if that is not possible now: others hold them, or some have not been written
   */
  hold(): boolean {
    if (!this.isEmpty) return false;
    this.#isHeld = true;
    return true;
  }

  /** Writes bytes while held. Resolves when the system has taken them. @returns false if it never will */
  async writeHeld(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      this.#write([bytes], [{ onWritten: resolve }]);
    });
  }

  release(): void {
    this.#isHeld = false;
    this.schedule();
  }

  readonly #flushScheduled = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  /** Writes frames until there are none, or the socket is full. */
  flush(): void {
    if (this.#isBatch || this.#isHeld || this.#isWriting) return;
    this.#isWriting = true;
    for (let writes = 0; !this.#isFull && this.#socket.writable; writes++) {
      // Content of any length may be waiting for a client that reads fast.
      if (writes > 1 && turns.isSpent()) {
        if (!this.#isScheduled) turns.run(this.#flushScheduled);
        this.#isScheduled = true;
        break;
      }
      const pieces = this.#source.takeOutput(MAX_WRITE);
      const waiting = this.#takeWaiting();
      if (pieces.length > 0) this.#writeFrames(pieces, waiting);
      else if (waiting.length > 0) this.#joinLastWrite(waiting);
      else break;
    }
    this.#isWriting = false;
    if (this.#source.outputLength === 0) this.#emptied();
    this.#sendNextLarge();
  }

  #takeWaiting(): readonly Written[] {
    const waiting = this.#waiting;
    if (waiting.length === 0) return NOTHING;
    this.#waiting = [];
    return waiting;
  }

  /** Has what waits for no bytes of its own wait for the last write, if that is not done. */
  #joinLastWrite(waiting: readonly Written[]): void {
    const last = this.#pending.at(-1);
    if (last && this.#socket.writableLength > 0) {
      this.#pending[this.#pending.length - 1] = [...last, ...waiting];
    } else for (const each of waiting) each.onWritten(!this.#socket.destroyed);
  }

  #emptied(): void {
    const call = this.#onEmptied;
    this.#onEmptied = undefined;
    call?.();
  }

  #writeFrames(pieces: readonly Uint8Array[], waiting: readonly Written[]): void {
    const isKept = this.#write(
      this.#keeping === 'always' ? [Buffer.concat(pieces)] : pieces,
      waiting,
    );
    if (isKept && this.#keeping === 'pending') this.#source.keepTaken();
    else this.#source.reuseTaken();
  }

  /** @returns whether the socket keeps the bytes for a while */
  #write(pieces: readonly Uint8Array[], waiting: readonly Written[]): boolean {
    const socket = this.#socket;
    const last = pieces.length - 1;
    if (last > 0) socket.cork();
    for (let at = 0; at < last; at++) socket.write(pieces[at] ?? NO_BYTES);
    socket.write(pieces[last] ?? NO_BYTES, this.#onWritten);
    if (last > 0) socket.uncork();
    const isKept = socket.writableLength > 0;
    this.#pending.push(isKept ? waiting : undefined);
    if (!isKept) for (const each of waiting) each.onWritten(true);
    return isKept;
  }

  readonly #onWritten = (error?: Error | null): void => {
    const waiting = this.#pending.shift();
    if (!waiting) return;
    for (const each of waiting) each.onWritten(!error);
    if (!error && !this.#isScheduled) this.flush();
  };

  #sendNextLarge(): void {
    // Called again after the next write.
    if (this.#isLargeDue || this.#large.length === 0 || !this.isEmpty) return;
    this.#isLargeDue = true;
    turns.run(() => {
      this.#isLargeDue = false;
      this.#large.shift()?.();
      if (this.#large.length > 0) this.schedule();
    });
  }

  /** Call when the socket has closed: what waits for its bytes never gets them. */
  onClosed(): void {
    const waiting = [
      ...this.#pending.splice(0).flatMap((each) => each ?? NOTHING),
      ...this.#waiting.splice(0),
    ];
    for (const each of waiting) each.onWritten(false);
    this.#sendNextLarge();
  }
}
