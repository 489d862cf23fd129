/** What is needed of a connection to stop and resume reading it. */
export interface Reading {
  hold(reason: 'turn'): void;
  release(reason: 'turn'): void;
}

/** Number of connections resumed in an iteration. It doubles each time, and is halved if they used it up. */
const MIN_RESUMED = 1;
const FIRST_RESUMED = 4;
const MAX_RESUMED = 1024;

/**
 * All connections, and which of them are not read because others have used up an iteration of the event loop. They are
 * resumed a few at a time, because it is not known which of them have sent much.
 */
export class StoppedConnections {
  readonly #open = new Set<Reading>();
  /** Connections that have used up an iteration before. Others are resumed first. */
  readonly #heavy = new WeakSet<Reading>();
  /** Connections that are not read, in the order in which they will be resumed. */
  #stopped = new Set<Reading>();
  /** Connections that were resumed in the last iteration. */
  #resumed = new Set<Reading>();
  /** Number of connections to resume next. */
  #count = FIRST_RESUMED;
  /** Whether connections were stopped in this iteration. */
  #hasStopped = false;
  /** Whether a resumed connection has used up this iteration. */
  #resumedTooMany = false;

  get isEmpty(): boolean {
    return this.#stopped.size === 0;
  }

  opened(connection: Reading): void {
    this.#open.add(connection);
  }

  closed(connection: Reading): void {
    this.#open.delete(connection);
    this.#stopped.delete(connection);
    this.#resumed.delete(connection);
  }

  /** Call for a connection that has used up an iteration, and is now paused until its own turn. */
  hasMuch(connection: Reading): void {
    this.#heavy.add(connection);
    if (this.#resumed.has(connection)) this.#resumedTooMany = true;
    this.#stopped.delete(connection);
  }

  /** Stops reading connections, at most once per iteration. libuv skips those that it has not read yet. */
  stop(isConcerned: (connection: Reading) => boolean): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    const before = this.#stopped;
    this.#stopped = new Set();
    // Resumed connections that were not read yet come first.
    const unread = [...this.#resumed].filter(isConcerned);
    const light: Reading[] = [];
    const heavy: Reading[] = [];
    for (const each of this.#open) {
      if (before.has(each) || this.#resumed.has(each) || !isConcerned(each)) continue;
      (this.#heavy.has(each) ? heavy : light).push(each);
    }
    for (const each of [...unread, ...light, ...heavy]) each.hold('turn');
    for (const each of [...unread, ...before, ...light, ...heavy]) this.#stopped.add(each);
  }

  /** Call at the end of each iteration. */
  iterationEnded(): void {
    // Resuming fewer would not help if other connections used the iteration up: most are idle or have sent little.
    if (this.#resumedTooMany) this.#count = Math.max(MIN_RESUMED, Math.floor(this.#count / 2));
    else if (this.#resumed.size > 0) this.#count = Math.min(MAX_RESUMED, 2 * this.#count);
    if (this.isEmpty) this.#count = FIRST_RESUMED;
    this.#hasStopped = false;
    this.#resumedTooMany = false;
    if (this.#resumed.size > 0) this.#resumed = new Set();
  }

  /** Resumes some connections, which are read in the next iteration. */
  resumeSome(): void {
    for (const each of this.#stopped) {
      if (this.#resumed.size >= this.#count) break;
      this.#stopped.delete(each);
      this.#resumed.add(each);
      each.release('turn');
    }
  }
}
