import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Channel, RemoteError, type ChannelHandlers } from './channel.ts';
import { isNothing, type StartRequest } from './messages.ts';
import { WORKER_VARIABLE } from './is-worker.ts';

/**
 * V8 options for workers, such as --max-semi-space-size. They override NODE_OPTIONS, and are overridden by Node's
 * command line.
 */
const NODE_FLAGS: readonly string[] = [];

/** Starts a worker process. @throws if that fails, such as by ENOMEM */
export function forkWorker(): Worker {
  cluster.setupPrimary({ execArgv: [...NODE_FLAGS, ...process.execArgv] });
  return cluster.fork({ [WORKER_VARIABLE]: '1' });
}

/** A worker process, as seen by the primary. */
export class WorkerHandle {
  /** Id, unique among all workers that this primary starts. */
  readonly id: number;
  readonly channel: Channel;
  /** `performance.now()`, in milliseconds. */
  readonly startedAt = performance.now();
  /** Resolves when the process has exited, with its signal or `exit code N`. */
  readonly exited: Promise<string>;
  /** Whether the worker can receive requests. */
  isOnline = false;
  /** Whether the worker accepts connections. */
  isReady = false;
  isExitExpected = false;
  /** Connections that the worker has not acknowledged, oldest first. */
  readonly #unacknowledged = new Map<number, Socket>();
  #lastId = 0;
  #lastSentId = 0;
  readonly #worker: Worker;

  constructor(
    worker: Worker,
    handlers: Pick<ChannelHandlers, 'handle' | 'statistics' | 'journal'>,
  ) {
    this.id = worker.id;
    this.#worker = worker;
    this.exited = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal || `exit code ${code}`));
      // There is no 'exit' event if the process could not be spawned.
      worker.on('error', ({ message }) => worker.process.pid ?? resolve(message));
    });
    this.channel = new Channel(worker, {
      ...handlers,
      acknowledged: (id) => this.#closeUpTo(id),
    });
    worker.on('disconnect', () => {
      this.isOnline = false;
      this.isReady = false;
    });
  }

  /**
   * Waits until the process is online and starts its service.
   *
   * @param createRequest called once the process is online
   * @throws if it cannot start; the message is for the user
   */
  async start(createRequest: () => StartRequest): Promise<void> {
    try {
      await Promise.race([once(this.#worker, 'message'), this.exited]);
      this.isOnline = true;
      await this.channel.request(createRequest(), isNothing);
      this.isReady = true;
    } catch (error) {
      if (error instanceof RemoteError) throw error;
      throw new Error(`worker ${this.id} exited during startup: ${await this.exited}`, {
        cause: error,
      });
    }
  }

  /** Number of connections in the send queue, because Node sends one at a time. */
  get queueLength(): number {
    return this.#lastId - this.#lastSentId;
  }

  /** Sends a connection to the worker. */
  sendConnection(socket: Socket): void {
    const id = ++this.#lastId;
    this.#unacknowledged.set(id, socket);
    this.channel.sendConnection(id, socket, () => {
      this.#lastSentId = id;
    });
  }

  /** Closes this process's copies of sockets up to an id. Those that were lost on the way are closed thereby. */
  #closeUpTo(lastId: number): void {
    for (const [id, socket] of this.#unacknowledged) {
      if (id > lastId) break;
      socket.destroy();
      this.#unacknowledged.delete(id);
    }
  }

  /** Connections that were not sent to the worker. Those that were sent are lost with it, and closed. */
  unsentConnections(): Socket[] {
    this.#closeUpTo(this.#lastSentId);
    return [...this.#unacknowledged.values()];
  }

  /** Disconnects the worker. It exits when it is idle. */
  disconnect(): void {
    this.isExitExpected = true;
    this.#worker.disconnect();
  }

  /** Kills a worker that is no longer needed. */
  discard(): void {
    this.isExitExpected = true;
    this.kill();
  }

  /** Kills the worker. Its exit is handled like a crash. */
  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
