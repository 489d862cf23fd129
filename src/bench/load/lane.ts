import { failureText } from '../../check/client/connect.ts';
import {
  CLOSED,
  REFUSED,
  RESET,
  TIMEOUT,
  type Done,
  type LoadConnection,
  type Pending,
  type PreparedRequest,
} from './load-connection.ts';

/** How often a request that was not processed is sent again, at most. */
const MAX_REFUSALS = 3;

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: RESET,
  EPIPE: RESET,
  ETIMEDOUT: TIMEOUT,
  'the connection was closed': CLOSED,
};

/** A place for one connection at a time: if it has ended, the next request opens another. */
export class Lane {
  readonly #open: () => Promise<LoadConnection>;
  readonly #isReused: boolean;
  #connection: LoadConnection | undefined;
  #opening: Promise<LoadConnection> | undefined;

  /** @param isReused whether a connection carries more than one request */
  constructor(open: () => Promise<LoadConnection>, isReused: boolean) {
    this.#open = open;
    this.#isReused = isReused;
  }

  /** Opens the connection for the first request, which reports its errors. */
  async prepare(): Promise<void> {
    if (this.#isReused) await this.connect().catch(() => undefined);
  }

  /** The open connection; undefined if it cannot carry another request. */
  get current(): LoadConnection | undefined {
    return this.#isReused && this.#connection?.isOpen === true ? this.#connection : undefined;
  }

  /** Opens a connection. Requests that wait at the same time share one that can carry several. */
  connect(): Promise<LoadConnection> {
    if (!this.#isReused) return this.#open();
    this.#opening ??= this.#open()
      .then((connection) => {
        this.#connection = connection;
        return connection;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Closes a connection after its last response, if it is not reused. */
  release(connection: LoadConnection): void {
    if (!this.#isReused) connection.close();
  }
}

/** A place for one request at a time. With HTTP/2, several slots share a lane. */
export class Slot {
  readonly #lane: Lane;
  readonly #next: () => PreparedRequest;
  #request: PreparedRequest | undefined;
  #pending: Pending | undefined;
  #connection: LoadConnection | undefined;
  #done: Done | undefined;
  #since = 0;
  #refusals = 0;

  /** @param next chooses what it sends, unless `send` is given a request */
  constructor(lane: Lane, next: () => PreparedRequest) {
    this.#lane = lane;
    this.#next = next;
  }

  get isBusy(): boolean {
    return this.#done !== undefined;
  }

  /** Sends a request. @param since when its time limit begins, by performance.now() */
  send(since: number, done: Done, request = this.#next()): void {
    this.#request = request;
    this.#done = done;
    this.#since = since;
    this.#refusals = 0;
    this.#start();
  }

  /** Fails the request if its time limit began before this time. */
  abortIfSince(time: number): void {
    if (this.#since < time) this.#pending?.abort(TIMEOUT);
  }

  #start(): void {
    const { current } = this.#lane;
    if (current) this.#sendOn(current);
    else {
      this.#lane.connect().then(
        (connection) => this.#sendOn(connection),
        (error: unknown) => this.#finish(failureOfConnection(error)),
      );
    }
  }

  #sendOn(connection: LoadConnection): void {
    this.#connection = connection;
    // The connection may have ended since it was opened.
    if (connection.isOpen && this.#request) {
      this.#pending = connection.send(this.#request, this.#receive);
    } else this.#receive(CLOSED);
  }

  readonly #receive = (failure: string | undefined): void => {
    this.#pending = undefined;
    if (this.#connection) this.#lane.release(this.#connection);
    if (failure?.startsWith(REFUSED) === true && this.#refusals < MAX_REFUSALS) {
      this.#refusals++;
      this.#start();
    } else this.#finish(failure);
  };

  #finish(failure: string | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(failure);
  }
}

function failureOfConnection(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const text = failureText(first);
  return FAILURES[text] ?? text;
}
