import { Problem } from '../http/problem.ts';
import { wantedDigests } from '../http/integrity-fields.ts';
import { exceededLimit } from '../net/close-reason.ts';
import { BOUNDS, turns } from '../net/scheduler.ts';
import { WHOLE_SERVER } from './allow.ts';
import { readContent } from './body.ts';
import { Calls, mayBeCall } from './calls.ts';
import type { Chaos } from './chaos.ts';
import { wantsContent, type Endpoint } from './endpoint.ts';
import { REQUEST_ABORTED, type Exchange } from './exchange.ts';
import { isDisconnect, problemOf } from './failure.ts';
import { observeResponse, type ExchangeObserver } from './observer.ts';
import {
  allowReserving,
  inTurn,
  inTurnWithContent,
  MemoryBudget,
  MemoryReservation,
  reserveFields,
  reserveResponse,
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
  checkMethod,
  InvalidRequest,
  validateRequest,
  validateRequestSize,
  type SizeLimits,
} from './validate-request.ts';
import { endpointPathOf } from './path-prefix.ts';
import { notFound, type DescribedPaths, type Dialect, type Dialects } from './dialect.ts';
import type { Match } from './router.ts';

export interface DispatchOptions extends CommonFields, SizeLimits, PageAccess {
  readonly dialects: Dialects;
  /** Maximum content of a request, in bytes. */
  readonly maxBodySize: number;
  /** Maximum number of open requests on all connections. */
  readonly maxOpenRequests: number;
  /** Maximum memory for large request content and the responses to it, in MB. */
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

const MB = 1_000_000;
/** Share of `maxOpenRequests` that is reserved for connections without another open request. */
const RESERVED_SHARE = 0.1;

/** What makes the reply to a request: a match, or a function instead of an endpoint. */
interface Route {
  readonly endpoint: Pick<Endpoint, 'content' | 'respond'>;
  readonly segments: readonly string[];
  /** Seconds by which --chaos delays the handler. */
  readonly delay?: number;
}

interface HandlerContent {
  readonly bytes: Buffer;
  /** Memory reserved for the content; undefined if it was not read. */
  readonly memory: MemoryReservation | undefined;
}

const UNREAD: HandlerContent = { bytes: Buffer.alloc(0), memory: undefined };

/** Processes requests. `#process()` has the steps. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #memory: MemoryBudget;
  readonly #fieldMemory: MemoryBudget;
  readonly upgraded: UpgradedConnections;
  /** undefined without --grpc. */
  readonly #calls: Calls | undefined;
  #open = 0;
  readonly #onFinished = (): void => void this.#open--;

  readonly run = (exchange: Exchange): void => {
    void this.#process(exchange);
    turns.count(exchange.receivedAt, exchange.connection);
  };

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.upgraded = new UpgradedConnections(options.drainState);
    const refuse = (exchange: Exchange): void => {
      this.#refuse(exchange, 'other requests needed the memory of a half-closed connection');
    };
    this.#memory = new MemoryBudget(options.maxContentMemory * MB, refuse);
    const fields = Math.min(options.maxContentMemory * MB, BOUNDS.fieldMemory);
    this.#fieldMemory = new MemoryBudget(fields, refuse, 'large header sections');
    this.#calls = options.loadCalls && new Calls(options.loadCalls, this.#memory);
  }

  /**
   * Takes a request through the steps: admit, route, read the content, handle, send, or send the problem. A step
   * returns a promise only if it has to wait, so that most responses have been sent when this function returns.
   */
  async #process(exchange: Exchange): Promise<void> {
    try {
      if (!this.#admit(exchange)) return;
      const routing = this.#route(exchange);
      const route = routing instanceof Promise ? unlessAborted(exchange, await routing) : routing;
      if (!route) return;
      const reading = this.#readContent(exchange, route);
      const content = reading instanceof Promise ? unlessAborted(exchange, await reading) : reading;
      const handling = this.#handle(exchange, route, content);
      const reply =
        handling instanceof Promise ? unlessAborted(exchange, await handling) : handling;
      const sending = this.#send(exchange, reply);
      if (sending) await sending;
    } catch (error) {
      this.#sendProblem(exchange, error);
    }
  }

  /**
   * Counts the request and its fields, and checks the message.
   *
   * @returns false if the request was refused
   * @throws Problem
   */
  #admit(exchange: Exchange): boolean {
    exchange.whenFinished(this.#onFinished);
    if (exchange.hasBody) exchange.onTrailers = this.#onTrailers;
    this.#open++;
    const { dialects, maxOpenRequests, serverTiming } = this.#options;
    // The last tenth is for first requests of connections, so that a few connections cannot use up all.
    const isFirst = exchange.connection.requests.open === 1;
    const reserved = isFirst ? 0 : Math.floor(RESERVED_SHARE * maxOpenRequests);
    if (this.#open > maxOpenRequests - reserved) {
      this.#refuse(exchange, `${this.#open - 1} requests are open`);
      return false;
    }
    const dialect = dialects.select(exchange);
    exchange.dialect = dialect;
    reserveFields(this.#fieldMemory, exchange, exchange.fields);
    // Called even with --server-timing, because it removes the parameter from the query.
    const isTimed = dialect.optionalFields && wantsServerTiming(exchange);
    if (serverTiming || isTimed) exchange.timing = new RequestTiming(exchange);
    const invalid = validateRequestSize(exchange, this.#options) ?? validateRequest(exchange);
    if (invalid) throw invalid;
    return true;
  }

  /** Counts trailers against the memory of fields, like the header section. */
  readonly #onTrailers: Exchange['onTrailers'] = (exchange, trailers) => {
    try {
      reserveFields(this.#fieldMemory, exchange, trailers);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // Once the response has begun, the trailers are of no use, and the request need not be refused.
      if (exchange.status === undefined) this.#refuse(exchange, error.message);
      return false;
    }
  };

  #refuse(exchange: Exchange, detail: string): void {
    this.#observeProblem(exchange, new Problem('overloaded', detail));
    exchange.refuse();
    observeResponse(this.#options.observer, exchange, 503);
  }

  #dialectOf({ dialect }: Exchange): Dialect {
    return dialect ?? this.#options.dialects.default;
  }

  /** Finds what makes the reply; undefined if --chaos has sent a fault instead. @throws Problem */
  #route(exchange: Exchange): Route | undefined | Promise<Route | undefined> {
    const { described, pathPrefix } = this.#options;
    const dialect = this.#dialectOf(exchange);
    const path = endpointPathOf(exchange, pathPrefix);
    const match = dialect.router.find(path);
    const isFree = !match || dialect.hasEveryPath === true;
    const chosen = described?.find(exchange, path, isFree, dialect);
    if (chosen) return this.#routeToEndpoint(exchange, chosen);
    const calls = isFree ? this.#calls : undefined;
    const found = calls && mayBeCall(exchange) ? calls.find(exchange, path, match) : match;
    if (!(found instanceof Promise)) return this.#routeToPath(exchange, path, found);
    return found.then((it) => this.#routeToPath(exchange, path, unlessAborted(exchange, it)));
  }

  #routeToPath(exchange: Exchange, path: string, match: Match | undefined): Route | undefined {
    exchange.endpoint = match?.endpoint;
    const dialect = this.#dialectOf(exchange);
    if (exchange.method === 'OPTIONS') {
      const reply = dialect.options(
        exchange,
        match?.endpoint ?? (path === '*' ? WHOLE_SERVER : undefined),
      );
      if (reply) return routeTo(() => reply);
    }
    if (!match) throw notFound(path, dialect);
    return this.#routeToEndpoint(exchange, match);
  }

  #routeToEndpoint(exchange: Exchange, match: Match): Route | undefined {
    const { endpoint } = match;
    exchange.endpoint = endpoint;
    if (endpoint.ownOriginOnly) refuseOtherPages(exchange, this.#options);
    if (endpoint.reserves) allowReserving(exchange, this.#fieldMemory);
    checkMethod(endpoint, exchange);
    const { chaos } = this.#options;
    return chaos ? this.#disturb(chaos, exchange, match) : match;
  }

  /** Disturbs the request at random. @returns the route to continue with; undefined if a fault was sent */
  #disturb(chaos: Chaos, exchange: Exchange, match: Match): Route | undefined {
    const disturbance = chaos.draw(exchange);
    if (!disturbance) return match;
    if (disturbance.kind === 'delay') return { ...match, delay: disturbance.seconds };
    try {
      const own = this.#dialectOf(exchange).chaos?.(disturbance, exchange);
      const reply = own ?? chaos.reply(disturbance, exchange);
      if (reply instanceof Promise || !reply.fault) return routeTo(() => reply);
      // Without digests, which would have to wait: if the fault is unavailable, the endpoint still has the content.
      this.#sendComplete(exchange, reply);
      return undefined;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'fault-unavailable')) throw error;
      chaos.spare(exchange);
      return match;
    }
  }

  /** Reads the content if the handler gets it as a whole. */
  #readContent(exchange: Exchange, { endpoint }: Route): HandlerContent | Promise<HandlerContent> {
    if (!exchange.hasBody || !wantsContent(endpoint, exchange)) return UNREAD;
    const memory = new MemoryReservation(this.#memory, exchange);
    const reserve = (bytes: number): void => memory.add(bytes);
    const reading = readContent(exchange, this.#options.maxBodySize, reserve);
    return memory.during(reading).then((bytes) => ({ bytes, memory }));
  }

  /** Calls the handler when it is its turn. */
  #handle(exchange: Exchange, route: Route, content: HandlerContent): Reply | Promise<Reply> {
    if (route.delay !== undefined) return this.#handleLater(exchange, route, content, route.delay);
    const { bytes, memory } = content;
    const handle = (): Reply | Promise<Reply> => {
      const reply = route.endpoint.respond(exchange, route.segments, bytes);
      if (exchange.hasBody && reply instanceof Promise) exchange.discardUnread();
      return reply;
    };
    if (memory) return memory.during(inTurnWithContent(exchange, bytes.length, handle));
    return inTurn(exchange, 0, handle);
  }

  /** Handles a request after a delay. For unread content, the delay does not count against the request timeout. */
  async #handleLater(
    exchange: Exchange,
    { endpoint, segments }: Route,
    content: HandlerContent,
    seconds: number,
  ): Promise<Reply> {
    if (endpoint.content === false) exchange.discardUnread();
    exchange.isProgressing = () => true;
    await pause(seconds, exchange.signal).finally(() => {
      exchange.isProgressing = undefined;
    });
    return this.#handle(exchange, { endpoint, segments }, content);
  }

  /** Sends a reply, with digests and Server-Timing if requested. @returns a promise if these have to wait */
  #send(exchange: Exchange, reply: Reply): Promise<void> | undefined {
    const { optionalFields } = this.#dialectOf(exchange);
    const wanted = optionalFields ? wantedDigests(exchange.fields) : undefined;
    if ((!wanted && !exchange.timing) || reply.upgrade) {
      this.#sendComplete(exchange, reply);
      return undefined;
    }
    const completing = withOptionalFields(exchange, reply, wanted);
    return completing.then((it) => this.#sendComplete(exchange, unlessAborted(exchange, it)));
  }

  /** Sends a reply with the fields of every response. A large header section waits for its turn. */
  #sendComplete(exchange: Exchange, reply: Reply): void {
    const { payload: given = '', fault } = reply;
    const dialect = this.#dialectOf(exchange);
    const fields = allResponseFields(exchange, dialect, reply, given, this.#options);
    const { payload, isHeadLarge } = reserveResponse(this.#memory, exchange, fields, given, fault);
    if (!isHeadLarge) {
      this.#sendNow(exchange, reply, fields, payload);
      return;
    }
    exchange.sendLarge(() => {
      try {
        if (exchange.isAborted) throw REQUEST_ABORTED;
        this.#sendNow(exchange, reply, fields, payload);
      } catch (error) {
        this.#sendProblem(exchange, error);
      }
    });
  }

  #sendNow(exchange: Exchange, reply: Reply, fields: string[], payload: Payload): void {
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
    observeResponse(this.#options.observer, exchange, status);
  }

  /**
   * Sends the problem that reports an error; nothing if the client has disconnected.
   *
   * @param isSecond true if another problem could not be sent: after a second failure, none is tried
   */
  #sendProblem(exchange: Exchange, error: unknown, isSecond = false): void {
    const { observer } = this.#options;
    if (exchange.isAborted) {
      if (!isDisconnect(error)) observer.internalError?.(error);
      // A refused request has already been observed.
      if (exchange.status === undefined) observeResponse(observer, exchange, undefined);
      return;
    }
    const problem = problemOf(error);
    if (problem === error) this.#observeProblem(exchange, problem);
    else observer.internalError?.(error);
    try {
      const reply = this.#dialectOf(exchange).problem(problem, exchange);
      const close = error instanceof InvalidRequest;
      // The response to an internal error has no digests: it must not fail a second time.
      if (problem !== error) this.#sendComplete(exchange, reply);
      else {
        this.#send(exchange, close ? { ...reply, close } : reply)?.catch((secondError: unknown) =>
          this.#sendProblem(exchange, secondError, true),
        );
      }
    } catch (secondError) {
      // The problem document may itself exceed the memory budget, if the request is long.
      if (secondError instanceof Problem && !isSecond) {
        this.#sendProblem(exchange, secondError, true);
        return;
      }
      observer.internalError?.(secondError);
      observeResponse(observer, exchange, undefined);
    }
  }

  /** Observes a problem. A response to an exceeded limit counts as a termination. */
  #observeProblem({ connection }: Exchange, problem: Problem): void {
    const limit = exceededLimit(problem);
    if (limit) this.#options.observer.terminated?.(limit, connection);
  }
}

/** The result of a step that had to wait. @throws AbortError if the client has disconnected in the meantime */
function unlessAborted<T>(exchange: Exchange, result: T): T {
  if (exchange.isAborted) throw REQUEST_ABORTED;
  return result;
}

/** A route to a function that reads no content. */
function routeTo(respond: Endpoint['respond']): Route {
  return { endpoint: { content: false, respond }, segments: [] };
}
