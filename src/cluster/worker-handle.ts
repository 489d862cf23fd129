import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Channel, Refusal, type Handlers } from './channel.ts';
import { isDone, type Start } from './messages.ts';
import { WORKER_MARK } from './worker.ts';

/**
 * Settings of V8 for workers, such as --max-semi-space-size. What stands on Node's command line comes
 * behind them and beats them; they beat NODE_OPTIONS.
 */
const NODE_FLAGS: readonly string[] = [];

/** A worker, as the primary sees it. */
export class WorkerHandle {
  /** No other worker of this primary has had it, or will. */
  readonly id: number;
  readonly channel: Channel;
  /** `performance.now()`, in milliseconds. */
  readonly startedAt = performance.now();
  /** Resolves when the process has ended, with its exit code or signal in words. */
  readonly ended: Promise<string>;
  /** Whether it can be asked. */
  isOnline = false;
  /** Whether it takes connections. */
  isReady = false;
  /** Whether its end is wanted. */
  isReleased = false;
  /** Connections that it has not got, oldest first. */
  readonly #handed = new Map<number, Socket>();
  #lastId = 0;
  #lastSent = 0;
  readonly #worker: Worker;

  /** Starts a process. */
  constructor(handlers: Pick<Handlers, 'answer' | 'counts'>) {
    cluster.setupPrimary({ execArgv: [...NODE_FLAGS, ...process.execArgv] });
    const worker = cluster.fork({ [WORKER_MARK]: '1' });
    this.id = worker.id;
    this.#worker = worker;
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal || `exit code ${code}`));
      // A process that cannot be started has no exit.
      worker.on('error', ({ message }) => worker.process.pid ?? resolve(message));
    });
    this.channel = new Channel(worker, { ...handlers, taken: (id) => this.#taken(id) });
    worker.on('disconnect', () => {
      this.isOnline = false;
      this.isReady = false;
    });
  }

  /**
   * Waits for the process and lets it begin its service.
   *
   * @param question as it is by then
   * @throws why it cannot be; the message is for the user
   */
  async start(question: () => Start): Promise<void> {
    try {
      await Promise.race([once(this.#worker, 'message'), this.ended]);
      this.isOnline = true;
      await this.channel.ask(question(), isDone);
      this.isReady = true;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Error(`worker ${this.id} ended at its start: ${await this.ended}`, {
        cause: error,
      });
    }
  }

  /** How many connections it was given that wait for those before them to be taken. */
  get waiting(): number {
    return this.#lastId - this.#lastSent;
  }

  /** Gives it a connection, of which this process then has no more to do. */
  hand(socket: Socket): void {
    const id = ++this.#lastId;
    this.#handed.set(id, socket);
    this.channel.hand(id, socket, () => {
      this.#lastSent = id;
    });
  }

  /** What was sent before and did not get through is closed too: nobody has it. */
  #taken(last: number): void {
    for (const [id, socket] of this.#handed) {
      if (id > last) break;
      socket.destroy();
      this.#handed.delete(id);
    }
  }

  /** Connections that were never sent to it. Those that were have gone with it. */
  takeBack(): Socket[] {
    this.#taken(this.#lastSent);
    return [...this.#handed.values()];
  }

  /** Lets it end by itself, once it has nothing more to do. */
  release(): void {
    this.isReleased = true;
    this.#worker.disconnect();
  }

  /** Ends it at once, since nobody needs it. */
  discard(): void {
    this.isReleased = true;
    this.kill();
  }

  /** Ends it at once, as one that has died. */
  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
