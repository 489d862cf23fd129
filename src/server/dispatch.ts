import { Problem } from '../http/problem.ts';
import { wantedDigests } from '../http/integrity-fields.ts';
import { exceededLimit } from '../net/close-reason.ts';
import { readTurns } from '../net/read-turns.ts';
import { turns } from '../net/turn-budget.ts';
import { readContent } from './body.ts';
import { beginCall, Calls, isCall, mayBeCall } from './calls.ts';
import type { Chaos } from './chaos.ts';
import { wantsContent } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { isDisconnect, problemOf } from './failure.ts';
import { observeResponse, type ExchangeObserver } from './observer.ts';
import {
  allowReserving,
  heldByFields,
  holdsTrailers,
  LARGE_CONTENT,
  MAX_FIELD_MEMORY,
  MemoryBudget,
  MemoryReservation,
  reserveFields,
  reserveResponse,
  usedBudget,
} from './request-cost.ts';
import type { Payload } from './payload.ts';
import { pause } from './pause.ts';
import type { DrainState } from './rehearsal.ts';
import type { Reply } from './reply.ts';
import { refuseOtherPages, type PageAccess } from './cross-origin.ts';
import { allResponseFields, withOptionalFields, type CommonFields } from './response-fields.ts';
import { RequestTiming, wantsServerTiming } from './timing.ts';
import { UpgradedConnections } from './upgrade.ts';
import {
  allowed,
  checkMethod,
  validateRequest,
  validateRequestSize,
  type SizeLimits,
} from './validate-request.ts';
import { endpointPathOf } from './path-prefix.ts';
import { notFound, type DescribedPaths, type Dialect, type Dialects } from './dialect.ts';
import type { Match } from './router.ts';
import { serialize } from './serialize.ts';

export interface DispatchOptions extends CommonFields, SizeLimits, PageAccess {
  readonly dialects: Dialects;
  /** Maximum content of a request, in bytes. */
  readonly maxBodySize: number;
  /** Maximum number of open requests on all connections. */
  readonly maxOpenRequests: number;
  /** Memory for large request content and the responses to it, in MB. */
  readonly maxContentMemory: number;
  /** Whether every response has Server-Timing (--server-timing). */
  readonly serverTiming: boolean;
  readonly observer: ExchangeObserver;
  readonly drainState: DrainState;
  /** undefined without --chaos. */
  readonly chaos?: Chaos | undefined;
  /** undefined with --lean. */
  readonly described?: DescribedPaths | undefined;
  /** Loads the methods of gRPC; undefined without --grpc. */
  readonly loadCalls?: (() => Promise<Dialect>) | undefined;
}

const NO_CONTENT = Buffer.alloc(0);
const MB = 1_000_000;
/** Share of open requests that is reserved for connections without another open request. */
const RESERVED_SHARE = 0.1;

/** Processes requests: validate, route, read the content, handle, respond, observe. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #memory: MemoryBudget;
  readonly #fieldMemory: MemoryBudget;
  readonly upgraded: UpgradedConnections;
  /** undefined without --grpc. */
  readonly #calls: Calls | undefined;
  #open = 0;
  readonly #onFinished = (): void => {
    this.#open--;
  };

  readonly run = (exchange: Exchange): void => {
    this.#serve(exchange);
    turns.count(exchange.receivedAt, exchange.connection);
  };

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.upgraded = new UpgradedConnections(options.drainState);
    this.#calls = options.loadCalls && new Calls(options.loadCalls);
    const refuse = (exchange: Exchange): void => {
      this.#refuse(exchange, 'other requests needed the memory of a half-closed connection');
    };
    this.#memory = new MemoryBudget(options.maxContentMemory * MB, refuse);
    const fields = Math.min(options.maxContentMemory * MB, MAX_FIELD_MEMORY);
    this.#fieldMemory = new MemoryBudget(fields, refuse, 'large header sections');
  }

  readonly #onTrailers: Exchange['onTrailers'] = (exchange, trailers) =>
    holdsTrailers(this.#fieldMemory, exchange, trailers, (why) => this.#refuse(exchange, why));

  #serve(exchange: Exchange): void {
    exchange.whenFinished(this.#onFinished);
    if (exchange.hasBody) exchange.onTrailers = this.#onTrailers;
    this.#open++;
    const limit = this.#openLimit(exchange);
    if (this.#open > limit) {
      this.#refuse(exchange, `${this.#open - 1} requests are open`);
      return;
    }
    const { dialects, serverTiming, described, pathPrefix } = this.#options;
    let dialect = dialects.default;
    try {
      dialect = dialects.select(exchange);
      reserveFields(this.#fieldMemory, exchange, exchange.fields);
      // Called with --server-timing, too, because it takes the parameter out of the query.
      const isTimed = dialect.optionalFields && wantsServerTiming(exchange);
      if (serverTiming || isTimed) exchange.timing = new RequestTiming(exchange);
      const problem = validateRequestSize(exchange, this.#options) ?? validateRequest(exchange);
      if (problem) {
        this.#observeProblem(exchange, problem);
        this.#reply(exchange, dialect, { ...dialect.problem(problem, exchange), close: true });
        return;
      }
      const path = endpointPathOf(exchange, pathPrefix);
      const match = dialect.router.find(path);
      const isFree = !match || dialect.hasEveryPath === true;
      const chosen = described?.find(exchange, path, isFree, dialect);
      if (chosen) this.#call(exchange, dialect, chosen);
      else if (isFree && this.#calls && mayBeCall(exchange)) {
        this.#serveCall(exchange, dialect, path, this.#calls);
      } else this.#answer(exchange, dialect, path, match);
    } catch (error) {
      this.#fail(exchange, dialect, error);
    }
  }

  /** Calls the endpoint of a path, or makes the response without one. @throws Problem */
  #answer(exchange: Exchange, dialect: Dialect, path: string, match: Match | undefined): void {
    exchange.endpoint = match?.endpoint;
    if (exchange.method === 'OPTIONS') {
      const methods = match?.endpoint.methods ?? (path === '*' ? 'any' : undefined);
      const options = dialect.options(exchange, methods && allowed(methods));
      if (options) {
        this.#reply(exchange, dialect, options);
        return;
      }
    }
    if (!match) throw notFound(path, dialect);
    this.#call(exchange, dialect, match);
  }

  /** Calls an endpoint, whatever the method is if it takes any. @throws Problem */
  #call(exchange: Exchange, dialect: Dialect, match: Match): void {
    exchange.endpoint = match.endpoint;
    if (match.endpoint.ownOriginOnly) refuseOtherPages(exchange, this.#options);
    if (match.endpoint.reserves) allowReserving(exchange, this.#fieldMemory);
    checkMethod(match.endpoint, exchange);
    const { chaos } = this.#options;
    if (chaos && this.#disturb(chaos, exchange, dialect, match)) return;
    this.#reply(exchange, dialect, this.#handle(exchange, match));
  }

  /** Serves a gRPC call. Before the first one, loads what that takes. */
  #serveCall(exchange: Exchange, dialect: Dialect, path: string, calls: Calls): void {
    const serve = (methods: Dialect): void => {
      const found = methods.router.find(path);
      const match = found ?? dialect.router.find(path);
      // The preflight of another path, or the dialect has the path.
      const chosen = found || (isCall(exchange) && !match) ? methods : dialect;
      if (chosen === methods && isCall(exchange)) beginCall(exchange, this.#memory);
      try {
        this.#answer(exchange, chosen, path, match);
      } catch (error) {
        this.#fail(exchange, chosen, error);
      }
    };
    const loaded = calls.for(exchange);
    if (loaded instanceof Promise) {
      this.#whenDone(exchange, dialect, loaded, (methods) => {
        serve(methods);
        exchange.body.resume();
      });
    } else serve(loaded);
  }

  /** The limit of open requests. The last tenth is for first requests of connections: few must not use up all. */
  #openLimit({ connection }: Exchange): number {
    const { maxOpenRequests } = this.#options;
    if (connection.openRequests === 1) return maxOpenRequests;
    return maxOpenRequests - Math.floor(RESERVED_SHARE * maxOpenRequests);
  }

  #refuse(exchange: Exchange, detail: string): void {
    this.#observeProblem(exchange, new Problem('overloaded', detail));
    exchange.refuse();
    this.#observeResponse(exchange, 503);
  }

  /** Calls the handler. @param delay awaited after the content was read */
  #handle(exchange: Exchange, match: Match, delay?: Promise<void>): Reply | Promise<Reply> {
    const { endpoint, segments } = match;
    const { connection, hasBody } = exchange;
    if (hasBody && wantsContent(endpoint, exchange)) {
      return this.#handleWithContent(exchange, match, delay);
    }
    // No waiting if there is content: it would be discarded before the handler can read or observe it.
    const budget = hasBody ? undefined : usedBudget(exchange, 0);
    if (!budget) return endpoint.respond(exchange, segments, NO_CONTENT);
    // On HTTP/1.1, the signal only works if it is read before the client disconnects.
    const { signal } = exchange;
    const isLarge = heldByFields(exchange.fields) > 0;
    if (isLarge) readTurns.largeRequests++;
    return budget.resultOf(connection, () => {
      if (isLarge) readTurns.largeRequests--;
      signal.throwIfAborted();
      return endpoint.respond(exchange, segments, NO_CONTENT);
    });
  }

  /** Disturbs the request by chance. @returns whether a response was sent in place of the endpoint's */
  #disturb(chaos: Chaos, exchange: Exchange, dialect: Dialect, match: Match): boolean {
    const disturbance = chaos.draw(exchange);
    if (!disturbance) return false;
    if (disturbance.kind === 'delay') {
      this.#reply(exchange, dialect, this.#handleLater(exchange, match, disturbance.seconds));
      return true;
    }
    try {
      const reply = dialect.chaos?.(disturbance, exchange) ?? chaos.reply(disturbance, exchange);
      // Sent synchronously, not by #reply(), which may wait for digests: so fault-unavailable is thrown here.
      if (!(reply instanceof Promise) && reply.fault) this.#send(exchange, dialect, reply);
      else this.#reply(exchange, dialect, reply);
      return true;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'fault-unavailable')) throw error;
      chaos.spare(exchange);
      return false;
    }
  }

  /**
   * Handles a request after a delay. Content is read meanwhile, before it is discarded; the reply is made afterwards.
   */
  async #handleLater(exchange: Exchange, match: Match, seconds: number): Promise<Reply> {
    const delay = pause(seconds, exchange.signal);
    const handle = async (): Promise<Reply> => this.#handle(exchange, match, delay);
    const reading = match.endpoint.content !== false && exchange.hasBody ? handle() : undefined;
    reading?.catch(ignoreUntilThen);
    await delay;
    return reading ?? handle();
  }

  #handleWithContent(
    exchange: Exchange,
    { endpoint, segments }: Match,
    delay: Promise<void> | undefined,
  ): Promise<Reply> {
    const reservation = new MemoryReservation(this.#memory, exchange);
    return reservation.during(async () => {
      const content = await readContent(exchange, this.#options.maxBodySize, (bytes) => {
        reservation.add(bytes);
      });
      if (delay) await delay;
      const isLarge = content.length > LARGE_CONTENT;
      if (isLarge) await serialize(exchange, () => undefined);
      const { connection } = exchange;
      const start = performance.now();
      const handle = () => endpoint.respond(exchange, segments, content);
      // Large content does not count again: it has already had an iteration of the event loop to itself.
      const budget = usedBudget(exchange, isLarge ? 0 : content.length);
      if (budget) return budget.resultOf(connection, handle);
      const reply = handle();
      turns.count(start, connection);
      return reply;
    });
  }

  #whenDone<Result>(
    exchange: Exchange,
    dialect: Dialect,
    pending: Promise<Result>,
    use: (result: Result) => void,
  ): void {
    pending
      .then((result) => {
        if (exchange.signal.aborted) this.#observeAborted(exchange);
        else use(result);
      })
      .catch((error: unknown) => {
        if (!exchange.signal.aborted) {
          this.#fail(exchange, dialect, error);
          return;
        }
        if (!isDisconnect(error)) this.#options.observer.internalError?.(error);
        this.#observeAborted(exchange);
      });
  }

  #observeResponse(exchange: Exchange, status: number | undefined): void {
    observeResponse(this.#options.observer, exchange, status);
  }

  /** Observes an aborted request. A refused one was already observed. */
  #observeAborted(exchange: Exchange): void {
    if (exchange.status === undefined) this.#observeResponse(exchange, undefined);
  }

  /** Observes a problem. If it is a response to an exceeded limit, it counts as a termination. */
  #observeProblem({ connection }: Exchange, problem: Problem): void {
    const limit = exceededLimit(problem);
    if (limit) this.#options.observer.terminated?.(limit, connection);
  }

  /** Adds optional fields to a reply (digests, Server-Timing), and sends it. */
  #reply(exchange: Exchange, dialect: Dialect, reply: Reply | Promise<Reply>): void {
    if (reply instanceof Promise) {
      this.#whenDone(exchange, dialect, reply, (done) => this.#reply(exchange, dialect, done));
      return;
    }
    const wanted = dialect.optionalFields ? wantedDigests(exchange.fields) : undefined;
    if ((!wanted && !exchange.timing) || reply.upgrade) {
      this.#send(exchange, dialect, reply);
      return;
    }
    const extended = withOptionalFields(exchange, reply, wanted);
    this.#whenDone(exchange, dialect, extended, (done) => this.#send(exchange, dialect, done));
  }

  /** Adds the fields of every response, and begins it. A large header section waits for earlier ones. */
  #send(exchange: Exchange, dialect: Dialect, reply: Reply): void {
    const { payload: given = '', fault } = reply;
    if (dialect.reasonPhrases) exchange.useReasonPhrases(dialect.reasonPhrases);
    const fields = allResponseFields(exchange, dialect, reply, given, this.#options);
    const { payload, isHeadLarge } = reserveResponse(this.#memory, exchange, fields, given, fault);
    if (!isHeadLarge) {
      this.#begin(exchange, reply, fields, payload);
      return;
    }
    exchange.sendLarge(() => {
      if (exchange.signal.aborted) {
        this.#observeAborted(exchange);
        return;
      }
      try {
        this.#begin(exchange, reply, fields, payload);
      } catch (error) {
        this.#fail(exchange, dialect, error);
      }
    });
  }

  #begin(exchange: Exchange, reply: Reply, fields: string[], payload: Payload): void {
    const { status, upgrade, fault, close = false } = reply;
    if (reply.afterContinue) exchange.sendInformation(100);
    if (upgrade) {
      const reservation = new MemoryReservation(this.#memory, exchange);
      const reserve = (bytes: number): void => reservation.add(bytes);
      exchange.respondWithUpgrade(status, fields, (channel) => {
        this.upgraded.add(exchange, upgrade.begin(channel, reserve));
      });
      exchange.fault = upgrade.fault;
    } else if (fault) {
      exchange.respondWithFault(status, fields, payload, fault);
      exchange.fault = fault;
    } else exchange.respond(status, fields, payload, close);
    this.#observeResponse(exchange, status);
  }

  #fail(exchange: Exchange, dialect: Dialect, error: unknown): void {
    const { observer } = this.#options;
    const problem = problemOf(error);
    if (problem === error) this.#observeProblem(exchange, problem);
    else observer.internalError?.(error);
    try {
      // Without digests unless the error is a Problem: a response that cannot be sent must not be tried again.
      if (problem === error) this.#reply(exchange, dialect, dialect.problem(problem, exchange));
      else this.#send(exchange, dialect, dialect.problem(problem, exchange));
    } catch (secondError) {
      // The problem document may exceed the memory budget too, if the request is long.
      if (secondError instanceof Problem && problem.code !== 'overloaded') {
        this.#fail(exchange, dialect, secondError);
        return;
      }
      observer.internalError?.(secondError);
      this.#observeResponse(exchange, undefined);
    }
  }
}

/** Keeps an early error from being unhandled. It is thrown when the promise is awaited after the delay. */
function ignoreUntilThen(): void {}
