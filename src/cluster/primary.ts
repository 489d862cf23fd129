import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkerHandle } from './worker-handle.ts';
import {
  inBase64,
  isDone,
  isLedgerEntries,
  isLook,
  sentCredentials,
  type Question,
  type Shared,
} from './messages.ts';
import { WorkerPool } from './pool.ts';
import type { Settings } from '../settings/settings.ts';
import { credentialsOf } from '../settings/credentials.ts';
import { isCount } from '../telemetry/guard.ts';
import type { Log } from '../telemetry/log.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { mergeEntries, type ConnectionEntries } from '../telemetry/connection-statistics.ts';
import type { MetricsView } from '../telemetry/statistics.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { TURN } from '../telemetry/tap/reader.ts';
import { listen, SOCKET_OPTIONS } from '../net/listen.ts';

const SECOND = 1000;
/** Milliseconds a worker is waited for that has the answer at hand. */
const PATIENCE = SECOND;
/** Milliseconds a worker may take for a drain beyond its time, and then to end. */
const GRACE = 2 * SECOND;
/** Connections by which a worker may be behind the others before it is passed over. */
const SLACK = 16;
const TICKET_KEYS = 48;
const NONCE_KEY = 32;

/**
 * Several services, each in a process of its own, behind one port.
 *
 * The primary accepts and hands the connections over in turn. It does so itself, with no listening
 * socket in the workers, since each way of node:cluster has a fault that would show: left to the
 * system, sixteen connections at once may all be one worker's; by its round robin a connection that is
 * on its way to a worker that dies stays open for ever. bench/NOTES.md has the figures.
 */
export class Primary {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #server: Server;
  readonly #team: WorkerPool;
  /** What the workers have counted, those that have ended too. */
  readonly #metrics = new Metrics();
  #credentials: Shared;
  #turn = 0;
  /** Until the taps may be looked at again. */
  #looking = Promise.resolve();

  private constructor(settings: Settings, log: Log, credentials: Shared) {
    this.#settings = settings;
    this.#log = log;
    this.#credentials = credentials;
    const nonceKey = inBase64(randomBytes(NONCE_KEY));
    this.#team = new WorkerPool({
      log,
      start: () => ({
        about: 'start',
        credentials: sentCredentials(this.#credentials),
        nonceKey,
      }),
      answer: (question) => this.#answer(question),
      onGrowth: (growth) => this.#metrics.add(growth),
      onReturned: (socket) => this.#hand(socket),
    });
    this.#server = createServer({ ...SOCKET_OPTIONS, pauseOnConnect: true }, (socket) => {
      // Of one that no worker takes, for want of a descriptor or of time, nobody else hears.
      socket.setTimeout(settings.headerTimeout * SECOND, () => socket.destroy());
      this.#hand(socket);
    });
  }

  /** @throws what Service.create throws, and where a worker cannot be started */
  static async create(settings: Settings, log: Log): Promise<Primary> {
    const ticketKeys = randomBytes(TICKET_KEYS);
    const credentials = { ...(await credentialsOf(settings)), ticketKeys };
    const workers = new Primary(settings, log, credentials);
    return workers.#orEnd(workers.#team.start(settings.workers).then(() => workers));
  }

  /** @throws the system's error, such as EADDRINUSE */
  async listen(): Promise<AddressInfo> {
    const { port, host } = this.#settings;
    const onAcceptError = ({ message }: Error): void =>
      this.#log.error({ detail: message }, 'a connection was lost');
    return this.#orEnd(listen(this.#server, port, host, onAcceptError));
  }

  /** Reads the certificate again, for all workers. @throws as create does, the old one stays */
  async renewCertificate(): Promise<void> {
    const old = this.#credentials;
    const read = await credentialsOf(this.#settings);
    // A resumed session is not asked for its client's certificate again, and the authorities that
    // it was checked against may have changed: then no ticket from before may be used.
    const keeps = this.#settings.clientCert === 'none';
    this.#credentials = { ...read, ticketKeys: keeps ? old.ticketKeys : randomBytes(TICKET_KEYS) };
    const credentials = sentCredentials(this.#credentials);
    try {
      await this.#team.ask({ about: 'renew', credentials }, isDone, PATIENCE);
    } catch (error) {
      this.#credentials = old;
      throw error;
    }
  }

  /**
   * Stops in order: no worker is ready, then no new connections, then all finish what is open.
   *
   * @returns how many requests were cut because the time was up
   * @throws where a worker did not get to its end in order, so that nobody knows how many
   */
  async drain(): Promise<number> {
    const { drainDelay, drainTimeout } = this.#settings;
    this.#team.settle();
    const retired = this.#team.ask({ about: 'retire' }, isDone, PATIENCE);
    await Promise.all([retired, pause(drainDelay * SECOND)]);
    this.#server.close();
    const members = this.#team.ready;
    const cuts = await this.#team.ask({ about: 'finish' }, isCount, drainTimeout * SECOND + GRACE);
    for (const member of members) member.release();
    const ended = Promise.all(members.map((member) => member.ended));
    await Promise.race([ended, pause(GRACE, undefined, { ref: false })]);
    this.close();
    if (this.#team.hasLost || cuts.length < members.length) {
      throw new Error('a worker did not finish');
    }
    return cuts.reduce((total, cut) => total + cut, 0);
  }

  /** Ends everything at once. */
  close(): void {
    this.#server.close();
    this.#team.end();
  }

  async #orEnd<T>(beginning: Promise<T>): Promise<T> {
    try {
      return await beginning;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #hand(socket: Socket): void {
    const member = this.#next();
    if (member) member.hand(socket);
    else socket.destroy();
  }

  /** In turn, but for those that do not take what they were given. */
  #next(): WorkerHandle | undefined {
    const { ready } = this.#team;
    const least = Math.min(...ready.map(({ waiting }) => waiting));
    const taking = ready.filter(({ waiting }) => waiting <= least + SLACK);
    return taking[this.#turn++ % taking.length];
  }

  async #answer(question: Question): Promise<MetricsView | ConnectionEntries | readonly Batch[]> {
    switch (question.about) {
      case 'metrics':
        // Each sends its counts before it answers; of one that does not, the last report counts.
        await this.#team.ask({ about: 'report' }, isDone, PATIENCE);
        return this.#metrics.view();
      case 'connections':
        return mergeEntries(await this.#team.ask({ about: 'ledger' }, isLedgerEntries, PATIENCE));
      case 'looks':
        return this.#look({ ...question, about: 'look' });
      default:
        throw new Error(`the primary is not asked to ${question.about}`);
    }
  }

  /** One look at a time, whoever asks: many readers take no more of anybody's time than one. */
  #look(question: Extract<Question, { about: 'look' }>): Promise<readonly Batch[]> {
    const looks = this.#looking.then(async () => this.#team.ask(question, isLook, PATIENCE));
    this.#looking = looks.then(turn, turn);
    return looks;
  }
}

/** Lets the time between two looks go by. */
async function turn(): Promise<void> {
  await pause(TURN, undefined, { ref: false });
}
