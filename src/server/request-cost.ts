import { setImmediate as nextIteration } from 'node:timers/promises';
import { sectionSize, textLength, type FieldLines } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { FairQueue } from '../net/queues.ts';
import { BOUNDS, turns } from '../net/scheduler.ts';
import { REQUEST_ABORTED, type Exchange } from './exchange.ts';
import type { Request } from './request.ts';
import { addedToHead, heldByFault, type Fault } from './fault.ts';
import { heldBytes, isWhole, splitIntoPieces, trailersOf, type Payload } from './payload.ts';

/** Bytes above which content, or a response that is entirely in memory, counts as large. */
export const LARGE_CONTENT = BOUNDS.content;

/** Bytes above which request content, or a queued response, is counted against a memory budget. */
export const MIN_COUNTED_SIZE = BOUNDS.uncountedContent;

/** Bytes of memory per name or value, as measured with 1,800 short fields on HTTP/2. */
const FIELD_MEMORY = 140;

/** Bytes of memory counted for a number of names and values of an open request; 0 for few, as in most requests. */
export function heldByValues(count: number): number {
  return count > BOUNDS.uncountedFields ? count * FIELD_MEMORY : 0;
}

/** Counts the header section or the trailers of a request until it is finished. @throws Problem overloaded */
export function reserveFields(memory: MemoryBudget, exchange: Exchange, lines: FieldLines): void {
  const held = heldByValues(lines.length);
  if (held > 0) new MemoryReservation(memory, exchange).add(held);
}

/**
 * Whether a request has to wait for its turn. Small requests do not wait for long ones, except on their own connection.
 * Otherwise, many clients with one long request each would block all others.
 *
 * @param contentLength bytes of content for the handler
 */
function hasToWait(exchange: Exchange, contentLength: number): boolean {
  return takesLong(exchange, contentLength)
    ? turns.isSpent()
    : turns.isSpentBy(exchange.connection);
}

type Work<T> = () => T | Promise<T>;

/** Calls the handler, immediately or when it is its turn. @throws AbortError if the client disconnects first */
export function inTurn<T>(exchange: Exchange, length: number, handle: Work<T>): T | Promise<T> {
  if (!hasToWait(exchange, length)) return handle();
  return turns.resultOf(exchange.connection, () => {
    if (exchange.isAborted) throw REQUEST_ABORTED;
    return handle();
  });
}

/** Like `inTurn()`, after content has been read. */
export async function inTurnWithContent<T>(
  exchange: Exchange,
  length: number,
  handle: Work<T>,
): Promise<T> {
  const isLarge = length > LARGE_CONTENT;
  if (isLarge) await serialize(exchange, () => undefined);
  const start = performance.now();
  // Large content does not count again: it has had an iteration of the event loop to itself.
  const reply = inTurn(exchange, isLarge ? 0 : length, handle);
  turns.count(start, exchange.connection);
  return reply;
}

export function takesLong({ fields, rawTarget }: Request, contentLength: number): boolean {
  return (
    fields.length > BOUNDS.smallFields ||
    textLength(fields) > BOUNDS.smallSection ||
    rawTarget.length > BOUNDS.smallTarget ||
    contentLength > MIN_COUNTED_SIZE
  );
}

/** The request that a job belongs to. */
type Client = Pick<Request, 'signal' | 'connection'>;

/**
 * Runs a limited number of jobs at the same time. Those of one connection run in order, and connections take turns. If
 * a client disconnects, its queued jobs are dropped, which frees their memory.
 */
class JobQueue {
  #free: number;
  /** Number of jobs that have overtaken the next one, whose client has half-closed its connection. */
  #overtaken = 0;
  readonly #before: (() => Promise<void>) | undefined;
  /** Functions that start the queued jobs. */
  readonly #queue = new FairQueue<Client['connection'], () => void>();

  /**
   * @param concurrency maximum number of jobs that run at the same time
   * @param before awaited before each job
   */
  constructor(concurrency: number, before?: () => Promise<void>) {
    this.#free = concurrency;
    this.#before = before;
  }

  async run<Result>(client: Client, job: () => Result | Promise<Result>): Promise<Result> {
    const { signal } = client;
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#enqueue(client);
    try {
      await this.#before?.();
      signal.throwIfAborted();
      return await job();
    } finally {
      this.#next()?.();
    }
  }

  #enqueue({ signal, connection }: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', drop);
        resolve();
      };
      const drop = (): void => {
        this.#queue.delete(connection, start);
        reject(signal.reason);
      };
      this.#queue.push(connection, start);
      signal.addEventListener('abort', drop);
    });
  }

  /** Takes the next job from the queue; frees the slot if there is none. */
  #next(): (() => void) | undefined {
    const isHalfClosed = this.#queue.next?.clientHalfClosed === true;
    const isOvertaken = isHalfClosed && this.#overtaken < BOUNDS.overtaking;
    this.#overtaken = isOvertaken ? this.#overtaken + 1 : 0;
    const start = this.#queue.shift(({ clientHalfClosed }) => isOvertaken && clientHalfClosed);
    if (!start) this.#free++;
    return start;
  }
}

const largeJobs = new JobQueue(1, nextIteration);
const threadJobs = new JobQueue(BOUNDS.threadJobs);
/** Queue of jobs that may take seconds. Leaves threads for other jobs, and limits memory. */
const largeThreadJobs = new JobQueue(BOUNDS.largeThreadJobs);

/**
 * Runs jobs that take much time or memory one at a time, each in an event loop iteration of its own, so that other
 * requests are served in between.
 *
 * @throws AbortError if the client disconnects before the job has begun
 */
export function serialize<Result>(
  client: Client,
  job: () => Result | Promise<Result>,
): Promise<Result> {
  return largeJobs.run(client, job);
}

/**
 * Runs jobs in libuv's thread pool. Without a limit, libuv would queue any number of them, keep their memory, and
 * complete all of them before the process can exit.
 *
 * @param isLarge true if the job may take long; such jobs must not occupy all threads
 * @throws AbortError as `serialize`
 */
export function inThread<Result>(
  client: Client,
  job: () => Promise<Result>,
  isLarge = false,
): Promise<Result> {
  return (isLarge ? largeThreadJobs : threadJobs).run(client, job);
}

/**
 * Limits the memory of large request content and of the responses to it, for all connections together. A client that
 * does not read keeps its response for `--stall-timeout`, and the echo of 2 MiB of JSON may have 8 MiB of indentation.
 */
export class MemoryBudget {
  /** Responds with 503 and aborts the request. */
  readonly refuse: (exchange: Exchange) => void;
  readonly #limit: number;
  readonly #purpose: string;
  readonly #reservations = new Set<MemoryReservation>();
  #reserved = 0;

  /**
   * @param limit in bytes
   * @param purpose of the memory, for the detail of a Problem
   */
  constructor(limit: number, refuse: (exchange: Exchange) => void, purpose = 'large content') {
    this.#limit = limit;
    this.#purpose = purpose;
    this.refuse = refuse;
  }

  /**
   * Counts bytes for a reservation. If there is too little memory, requests on half-closed connections are refused
   * first, because their clients may have disconnected.
   *
   * @throws Problem overloaded
   */
  reserve(bytes: number, reservation: MemoryReservation): void {
    for (const other of this.#reservations) {
      if (this.#reserved + bytes <= this.#limit) break;
      if (other !== reservation) other.refuseIfHalfClosed();
    }
    if (this.#reserved + bytes > this.#limit) {
      const detail = `the memory for ${this.#purpose}, ${this.#limit} bytes, is in use`;
      throw new Problem('overloaded', detail, ['Retry-After', '1']);
    }
    this.#reservations.add(reservation);
    this.#reserved += bytes;
  }

  release(bytes: number, reservation: MemoryReservation): void {
    this.#reservations.delete(reservation);
    this.#reserved -= bytes;
  }
}

/**
 * Memory reserved for an exchange, released when the exchange is finished and its bytes have been sent. What is added
 * later is not counted, because nothing would release it.
 */
export class MemoryReservation {
  readonly #memory: MemoryBudget;
  readonly #exchange: Exchange;
  #bytes = 0;
  #isSent = false;
  #isInUse = false;

  constructor(memory: MemoryBudget, exchange: Exchange) {
    this.#memory = memory;
    this.#exchange = exchange;
    exchange.whenFinished(() => {
      exchange.afterSent(() => {
        this.#isSent = true;
        this.#release();
      });
    });
  }

  /** Reserves further bytes. @throws Problem overloaded */
  add(bytes: number): void {
    if (this.#isSent && !this.#isInUse) return;
    this.#memory.reserve(bytes, this);
    this.#bytes += bytes;
  }

  /**
   * Keeps the reservation until work ends: a thread may use the content after its client has disconnected. Only
   * `refuseIfHalfClosed` releases it earlier.
   */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work;
    } finally {
      this.#isInUse = false;
      this.#release();
    }
  }

  /** Refuses the request if its client has half-closed the connection, and no response has begun. */
  refuseIfHalfClosed(): void {
    const { connection, status, isFinished } = this.#exchange;
    if (isFinished || status !== undefined || !connection.clientHalfClosed) return;
    this.#memory.refuse(this.#exchange);
    this.#free();
  }

  #release(): void {
    if (this.#isSent && !this.#isInUse) this.#free();
  }

  #free(): void {
    this.#memory.release(this.#bytes, this);
    this.#bytes = 0;
  }
}

/** Lets the handler of a request count memory, which is released with the request. */
export function allowReserving(exchange: Exchange, memory: MemoryBudget): void {
  let reservation: MemoryReservation | undefined;
  exchange.reserve = (bytes) => {
    reservation ??= new MemoryReservation(memory, exchange);
    reservation.add(bytes);
  };
}

interface Reserved {
  /** The payload, split into pieces if it is large and in memory. */
  readonly payload: Payload;
  /** Whether the header section and the trailers are so large that `sendLarge` must send them. */
  readonly isHeadLarge: boolean;
}

/**
 * Reserves the memory of a response until it has been sent.
 *
 * @throws Problem overloaded
 */
export function reserveResponse(
  memory: MemoryBudget,
  exchange: Exchange,
  fields: readonly string[],
  payload: Payload,
  fault: Fault | undefined,
): Reserved {
  const head = headSize(fields, payload, fault);
  const isHeadLarge = head > MIN_COUNTED_SIZE;
  const isSent = exchange.method !== 'HEAD' || fault !== undefined;
  const held = isSent ? heldBytes(payload) : 0;
  const bytes =
    held +
    (isHeadLarge ? head : 0) +
    (fault ? heldByFault(fault, exchange.stream?.session.maxWindow ?? 0) : 0);
  if (bytes > MIN_COUNTED_SIZE) new MemoryReservation(memory, exchange).add(bytes);
  return {
    payload: isWhole(payload) && held > LARGE_CONTENT ? splitIntoPieces(payload) : payload,
    isHeadLarge,
  };
}

/** The size of the header section and trailers of a response, in bytes (RFC 9113 6.5.2). */
function headSize(fields: readonly string[], payload: Payload, fault: Fault | undefined): number {
  const trailers = trailersOf(payload);
  return (
    sectionSize(fields) + (trailers ? sectionSize(trailers) : 0) + (fault ? addedToHead(fault) : 0)
  );
}
