import { randomBytes, randomUUID } from 'node:crypto';
import type { Worker } from 'node:cluster';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { forkWorker, type WorkerHandle } from './worker-handle.ts';
import {
  isBatch,
  isConnectionEntries,
  isCount,
  isNothing,
  isStory,
  serializeCredentials,
  type ChannelRequest,
  type ClusterCredentials,
  type TapRequest,
} from './messages.ts';
import { coalesce } from './coalesce.ts';
import { WorkerSamples } from './samples.ts';
import { WorkerPool } from './pool.ts';
import { Rehearsal, type Drainable } from '../server/rehearsal.ts';
import type { Settings } from '../settings/settings.ts';
import type { RuleText } from '../endpoints/respond/any-path.ts';
import { checkMethodPaths } from '../service/method-paths.ts';
import { loadRules } from '../service/respond-rules.ts';
import { loadCredentials } from '../service/tls.ts';
import { journalLimitsOf } from '../service/journal.ts';
import { REJECTED_KEY, type JournalView } from '../telemetry/journal/entry.ts';
import { JournalStore } from '../telemetry/journal/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { History } from '../telemetry/history-schema.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { mergeEntries } from '../telemetry/connection-statistics.ts';
import type { ConnectionEntries } from '../telemetry/connections-schema.ts';
import type { MetricsView } from '../telemetry/statistics.ts';
import type { StoryPage } from '../telemetry/story/page.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { READ_INTERVAL } from '../telemetry/tap/reader.ts';
import { listen, SOCKET_OPTIONS } from '../net/listen.ts';

const SECOND = 1000;
/** Length by which a worker's send queue may exceed the shortest one. Beyond it, it gets no more connections. */
const MAX_QUEUE_DIFFERENCE = 16;
const TICKET_KEYS_LENGTH = 48;
const NONCE_KEY_LENGTH = 32;

/** What files of the settings have. */
interface Loaded {
  readonly credentials: ClusterCredentials;
  readonly rules: readonly RuleText[];
}

/** Options of the primary besides settings. */
interface Given {
  /** Called for /control/exit. */
  readonly exit: (code: number) => void;
  /** Starts a worker. */
  readonly fork: () => Worker;
  /** Milliseconds beyond the drain timeout after which a worker is killed, and then again for its exit. */
  readonly grace: number;
}

/**
 * Runs several services behind one port, each in its own process.
 *
 * The primary accepts connections, and passes them to the workers in rotation. node:cluster is not used for that,
 * because both of its scheduling policies have visible defects: with SCHED_NONE, one worker can get all of sixteen
 * concurrent connections; with SCHED_RR, a connection on its way to a worker that dies stays open forever. See
 * bench/NOTES.md for figures.
 */
export class Primary {
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #server: Server;
  readonly #pool: WorkerPool;
  readonly #rehearsal: Rehearsal;
  readonly #given: Given;
  /** The address on which it listens, or listened before a drain closed the port. */
  #address: AddressInfo | undefined;
  /** Initial state of workers that start later. */
  #state = { ready: true, draining: false };
  /** Sum of the statistics of all workers, including exited ones. */
  readonly #metrics = new Metrics();
  /** The journal of all workers. */
  readonly #journal: JournalStore;
  /** State of all workers; and below, has them send statistics and journal changes. */
  readonly #samples = new WorkerSamples(() => this.#pool);
  readonly #requestStatistics = coalesce(() =>
    this.#pool.requestAll({ type: 'report' }, isNothing),
  );
  readonly #settle = coalesce(() =>
    this.#pool.requestAll({ type: 'settle-rejections' }, isNothing),
  );
  #credentials: ClusterCredentials;
  /** Rules of --respond. */
  #rules: readonly RuleText[];
  #turn = 0;
  /** Resolves when the taps may be read again. */
  #tapReady = Promise.resolve();

  private constructor(
    settings: Settings,
    log: Logger,
    { credentials, rules }: Loaded,
    given: Given,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#given = given;
    this.#rehearsal = new Rehearsal(this.#drainable(), log, () => given.exit(1));
    this.#credentials = credentials;
    this.#rules = rules;
    const nonceKey = randomBytes(NONCE_KEY_LENGTH).toString('base64');
    const processId = randomUUID();
    this.#journal = new JournalStore(journalLimitsOf(settings), processId);
    this.#pool = new WorkerPool({
      fork: given.fork,
      log,
      journal: this.#journal,
      createStartRequest: () => ({
        type: 'start',
        credentials: serializeCredentials(this.#credentials),
        rules: this.#rules,
        nonceKey,
        process: processId,
        ...this.#state,
      }),
      handle: (request) => this.#handle(request),
      onStatistics: (increase) => this.#metrics.add(increase),
      onUnsentConnection: (socket) => this.#dispatch(socket),
    });
    this.#server = createServer(SOCKET_OPTIONS, (socket) => {
      // Nothing else would close a connection that a worker fails to receive, for example because it hangs or has no
      // free file descriptors.
      socket.setTimeout(settings.headerTimeout * SECOND, () => socket.destroy());
      this.#dispatch(socket);
    });
  }

  /**
   * @throws the errors of Service.create, and if a worker cannot start
   */
  static async create(
    settings: Settings,
    log: Logger,
    given: Pick<Given, 'exit'> & Partial<Given>,
  ): Promise<Primary> {
    const ticketKeys = randomBytes(TICKET_KEYS_LENGTH);
    await checkMethodPaths(settings);
    const rules = await loadRules(settings);
    const credentials = { ...(await loadCredentials(settings)), ticketKeys };
    const primary = new Primary(
      settings,
      log,
      { credentials, rules },
      {
        fork: forkWorker,
        grace: 2 * SECOND,
        ...given,
      },
    );
    return primary.#closeOnError(primary.#pool.start(settings.workers).then(() => primary));
  }

  /** @throws the system error, such as EADDRINUSE */
  async listen(): Promise<AddressInfo> {
    return this.#closeOnError(this.#listen());
  }

  async #listen(): Promise<AddressInfo> {
    // After a drain, the same port is opened again, even if it was chosen freely at first.
    const { port } = this.#address ?? this.#settings;
    const onAcceptError = ({ message }: Error): void =>
      this.#log.error({ detail: message }, 'a connection was lost');
    this.#address = await listen(this.#server, port, this.#settings.host, onAcceptError);
    return this.#address;
  }

  /** Reloads the certificate in all workers. On error, the old one is kept. @throws as create() */
  async renewCertificate(): Promise<void> {
    const old = this.#credentials;
    const loaded = await loadCredentials(this.#settings);
    // With client certificates, old tickets must become invalid: resumption skips the client certificate, and the CA
    // bundle that it was verified with may have changed.
    const keepsKeys = this.#settings.clientCert === 'none';
    const ticketKeys = keepsKeys ? old.ticketKeys : randomBytes(TICKET_KEYS_LENGTH);
    this.#credentials = { ...loaded, ticketKeys };
    const credentials = serializeCredentials(this.#credentials);
    try {
      await this.#pool.requestAll({ type: 'renew-credentials', credentials }, isNothing);
    } catch (error) {
      /* v8 ignore start -- loadCredentials() has checked all that a worker could refuse */
      this.#credentials = old;
      throw error;
      /* v8 ignore stop */
    }
  }

  /** Reads the rules of --respond again, for all workers. @throws SettingsError; then the old rules stay */
  async renewRules(): Promise<void> {
    this.#rules = await loadRules(this.#settings);
    await this.#pool.requestAll({ type: 'renew-rules', rules: this.#rules }, isNothing);
  }

  /** Counts a promise of this process that was rejected without a handler. */
  countUnhandledRejection(): void {
    this.#metrics.unhandledRejection();
  }

  /**
   * Stops gracefully: marks all workers not ready, closes the port, and lets the workers finish.
   *
   * @returns the number of requests that were aborted when the drain timeout expired
   * @throws if a worker did not finish, so that the number is not known
   */
  async drain(): Promise<number> {
    const { drainDelay, drainTimeout } = this.#settings;
    this.#rehearsal.cancel();
    this.#pool.stopRestarting();
    const notReady = this.#pool.requestAll({ type: 'mark-not-ready' }, isNothing);
    await Promise.all([notReady, pause(drainDelay * SECOND)]);
    this.#server.close();
    const workers = this.#pool.ready;
    const finishTimeout = drainTimeout * SECOND + this.#given.grace;
    const aborted = await this.#pool.requestAll({ type: 'finish' }, isCount, finishTimeout);
    for (const worker of workers) worker.disconnect();
    const exited = Promise.all(workers.map((worker) => worker.exited));
    await Promise.race([exited, pause(this.#given.grace, undefined, { ref: false })]);
    this.close();
    if (this.#pool.hasLostWorker || aborted.length < workers.length) {
      throw new Error('a worker did not finish');
    }
    return aborted.reduce((total, count) => total + count, 0);
  }

  /** Closes the port and kills all workers. */
  close(): void {
    this.#rehearsal.cancel();
    this.#server.close();
    this.#pool.close();
  }

  /** All workers as one service. */
  #drainable(): Drainable {
    return {
      markNotReady: async () => {
        this.#state.draining = true;
        await this.#pool.requestAll({ type: 'mark-not-ready' }, isNothing);
      },
      closePort: () => void this.#server.close(),
      drainConnections: async (timeout) => {
        const limit = timeout * SECOND + this.#given.grace;
        const request = { type: 'drain-connections', timeout } as const;
        const aborted = await this.#pool.requestAll(request, isCount, limit);
        return aborted.reduce((total, count) => total + count, 0);
      },
      openPort: async () => void (await this.#listen()),
      resume: async () => {
        this.#state.draining = false;
        await this.#pool.requestAll({ type: 'resume' }, isNothing);
      },
    };
  }

  async #closeOnError<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #dispatch(socket: Socket): void {
    const worker = this.#nextWorker();
    if (worker) worker.sendConnection(socket);
    else socket.destroy();
  }

  /** The next worker in rotation, without those that are too slow. */
  #nextWorker(): WorkerHandle | undefined {
    const { ready } = this.#pool;
    const shortest = Math.min(...ready.map(({ queueLength }) => queueLength));
    const candidates = ready.filter(
      ({ queueLength }) => queueLength <= shortest + MAX_QUEUE_DIFFERENCE,
    );
    return candidates[this.#turn++ % candidates.length];
  }

  async #handle(
    request: ChannelRequest,
  ): Promise<
    | MetricsView
    | History
    | ConnectionEntries
    | StoryPage
    | readonly Batch[]
    | JournalView
    | number
    | boolean
    | null
  > {
    switch (request.type) {
      case 'set-ready':
        this.#state.ready = request.ready;
        await this.#pool.requestAll(request, isNothing);
        return null;
      case 'rehearse-drain':
        return this.#rehearsal.start(request);
      case 'exit':
        this.#given.exit(request.code);
        return null;
      case 'metrics':
        return this.#readMetrics();
      case 'metrics-history':
        await this.#requestStatistics();
        return this.#metrics.history();
      case 'connections':
        return mergeEntries(await this.#pool.requestAll(request, isConnectionEntries));
      case 'story': {
        const stories = await this.#pool.requestAll(request, isStory);
        return stories.find((story) => story !== null) ?? null;
      }
      case 'tap':
        return this.#readTaps(request);
      case 'count-attempt':
        return this.#journal.nextAttempt(request.key, request.client);
      case 'read-journal':
        await (request.key === REJECTED_KEY ? this.#settle() : this.#requestStatistics());
        return this.#journal.read(request.key, request.after, request.limit);
      case 'forget-journal':
        await this.#requestStatistics();
        this.#journal.forget(request.key);
        return null;
      case 'await-journal':
        return this.#journal.wait(request.goal, request.timeout);
      /* v8 ignore next -- no worker sends the others */
      default:
        throw new Error(`the primary does not handle ${request.type}`);
    }
  }

  /**
   * Reads the metrics. Workers send statistics before they respond. If one does not respond, its last report counts.
   */
  async #readMetrics(): Promise<MetricsView> {
    const [sample] = await Promise.all([this.#samples.read(), this.#requestStatistics()]);
    return { ...this.#metrics.view(), sample };
  }

  /** Reads the taps, one reader at a time, READ_INTERVAL apart: many readers cost no more than one. */
  #readTaps(request: TapRequest): Promise<readonly Batch[]> {
    const batches = this.#tapReady.then(async () => this.#pool.requestAll(request, isBatch));
    this.#tapReady = batches.then(waitReadInterval, waitReadInterval);
    return batches;
  }
}

async function waitReadInterval(): Promise<void> {
  await pause(READ_INTERVAL, undefined, { ref: false });
}
