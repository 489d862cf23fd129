import { Problem } from '../http/problem.ts';
import { readContent } from './body.ts';
import type { Dialect, Dialects, ResponseStyle } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import {
  MIN_COUNTED_SIZE,
  MemoryReservation,
  LARGE_CONTENT,
  MemoryBudget,
} from './memory-budget.ts';
import { allowedMethods } from './methods.ts';
import {
  heldBytes,
  splitIntoPieces,
  isWithTrailers,
  isWhole,
  payloadLength,
  type Payload,
} from './payload.ts';
import type { Reply } from './reply.ts';
import { addCommonFields, type CommonFields } from './response-fields.ts';
import { validateRequest } from './validate-request.ts';
import { validateRequestSize, type SizeLimits } from './request-size.ts';
import type { Match } from './router.ts';
import { serialize } from './serialize.ts';

/**
 * @param endpoint undefined where none has the path
 * @param status undefined when the client went before there was an answer
 */
export type Observe = (
  exchange: Exchange,
  endpoint: Endpoint | undefined,
  status: number | undefined,
) => void;

export interface DispatchOptions extends CommonFields, SizeLimits {
  readonly dialects: Dialects;
  /** The most bytes of content a request may have. */
  readonly maxBodySize: number;
  /** Requests that may be open at once, on all connections together. */
  readonly maxOpenRequests: number;
  /** MB that large contents and the answers to them may take at once. */
  readonly maxContentMemory: number;
  /** Told once of every request, when its answer has been handed over. */
  readonly observe: Observe;
  /** Told of each request that is answered with a problem. */
  readonly onProblem?: (exchange: Exchange, problem: Problem) => void;
  /** Told of errors that are no answer: a defect, answered with 500. */
  readonly onInternalError: (error: unknown) => void;
}

const NO_CONTENT = Buffer.alloc(0);
const MB = 1_000_000;

/** The one way of every request: check, route, read the content, handle, reply, observe. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #memory: MemoryBudget;
  #open = 0;
  readonly #onOver = (): void => {
    this.#open--;
  };

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#memory = new MemoryBudget(options.maxContentMemory * MB);
  }

  run(exchange: Exchange): void {
    exchange.onFinished = this.#onOver;
    if (++this.#open > this.#options.maxOpenRequests) {
      this.#refuse(exchange);
      return;
    }
    const { dialects } = this.#options;
    let dialect = dialects.default;
    let endpoint: Endpoint | undefined;
    try {
      dialect = dialects.select(exchange);
      const fault = validateRequestSize(exchange, this.#options) ?? validateRequest(exchange);
      if (fault) {
        this.#options.onProblem?.(exchange, fault);
        this.#reply(exchange, dialect, endpoint, { ...dialect.problem(fault), close: true });
        return;
      }
      const { method } = exchange;
      const path = exchange.target?.path ?? '';
      const match = dialect.router.find(path);
      endpoint = match?.endpoint;
      exchange.endpoint = endpoint;
      if (method === 'OPTIONS') {
        const methods = endpoint?.methods ?? (path === '*' ? 'any' : undefined);
        const options = dialect.options(exchange, methods && allowed(methods));
        if (options) {
          this.#reply(exchange, dialect, endpoint, options);
          return;
        }
      }
      if (!match) throw notFound(path, dialect);
      checkMethod(match.endpoint, method);
      const answering =
        match.endpoint.content === true && exchange.hasBody
          ? this.#answerWithContent(exchange, match)
          : match.endpoint.respond(exchange, match.segments, NO_CONTENT);
      if (answering instanceof Promise) this.#replyLater(exchange, dialect, endpoint, answering);
      else this.#reply(exchange, dialect, endpoint, answering);
    } catch (error) {
      this.#fail(exchange, dialect, endpoint, error);
    }
  }

  #refuse(exchange: Exchange): void {
    const { maxOpenRequests, observe, onProblem } = this.#options;
    onProblem?.(exchange, new Problem('overloaded', `${maxOpenRequests} requests are open`));
    exchange.refuse();
    observe(exchange, undefined, 503);
  }

  #answerWithContent(exchange: Exchange, { endpoint, segments }: Match): Promise<Reply> {
    const holding = new MemoryReservation(this.#memory, exchange);
    return holding.during(async () => {
      const content = await readContent(exchange, this.#options.maxBodySize, (bytes) => {
        holding.add(bytes);
      });
      if (content.length > LARGE_CONTENT) await serialize(exchange, () => undefined);
      return endpoint.respond(exchange, segments, content);
    });
  }

  #replyLater(
    exchange: Exchange,
    manner: ResponseStyle,
    endpoint: Endpoint | undefined,
    answering: Promise<Reply>,
  ): void {
    answering
      .then((reply) => {
        if (exchange.signal.aborted) this.#options.observe(exchange, endpoint, undefined);
        else this.#reply(exchange, manner, endpoint, reply);
      })
      .catch((error: unknown) => {
        if (exchange.signal.aborted) this.#options.observe(exchange, endpoint, undefined);
        else this.#fail(exchange, manner, endpoint, error);
      });
  }

  #reply(
    exchange: Exchange,
    manner: ResponseStyle,
    endpoint: Endpoint | undefined,
    reply: Reply,
  ): void {
    const payload = this.#held(exchange, reply.payload ?? '');
    respond(exchange, manner, reply, payload, this.#options);
    this.#options.observe(exchange, endpoint, reply.status);
  }

  /**
   * Counts what a payload holds until the client has taken it.
   *
   * @returns it in pieces, where it is large and there already
   * @throws Problem overloaded
   */
  #held(exchange: Exchange, payload: Payload): Payload {
    if (exchange.method === 'HEAD') return payload;
    const bytes = heldBytes(payload);
    if (bytes <= MIN_COUNTED_SIZE) return payload;
    new MemoryReservation(this.#memory, exchange).add(bytes);
    const isThere = isWhole(payload) || isWithTrailers(payload);
    return isThere && bytes > LARGE_CONTENT ? splitIntoPieces(payload) : payload;
  }

  #fail(
    exchange: Exchange,
    manner: ResponseStyle,
    endpoint: Endpoint | undefined,
    error: unknown,
  ): void {
    if (error instanceof Problem) this.#options.onProblem?.(exchange, error);
    else this.#options.onInternalError(error);
    try {
      this.#reply(exchange, manner, endpoint, manner.problem(asProblem(error)));
    } catch (again) {
      // What is said of a long request may itself be more than there is memory for.
      if (again instanceof Problem && !isOverload(error)) {
        this.#fail(exchange, manner, endpoint, again);
        return;
      }
      this.#options.onInternalError(again);
      this.#options.observe(exchange, endpoint, undefined);
    }
  }
}

function notFound(path: string, { disabled }: Dialect): Problem {
  const { setting } = disabled?.find(path)?.endpoint ?? {};
  return setting === undefined
    ? new Problem('not-found', `${path} is not one of wirebin's paths; see /`)
    : new Problem('endpoint-off', `${path} is off; ${setting} turns it on`);
}

function checkMethod(endpoint: Endpoint, method: string): void {
  const { methods } = endpoint;
  if (methods === 'any') return;
  // HEAD is told of what GET gets, its length included (RFC 9110 8.6).
  const wanted = method === 'HEAD' ? 'GET' : method;
  if (methods.some((candidate) => candidate === wanted)) return;
  throw new Problem('method-not-allowed', `${endpoint.path} does not take ${wanted}`, [
    'Allow',
    allowed(methods),
  ]);
}

/** The Allow field of an endpoint (RFC 9110 10.2.1). */
function allowed(methods: Endpoint['methods']): string {
  return allowedMethods(methods).join(', ');
}

function respond(
  exchange: Exchange,
  manner: ResponseStyle,
  reply: Reply,
  payload: Payload,
  common: CommonFields,
): void {
  const { status, close = false } = reply;
  const fields = [...reply.fields];
  // These two never have content, so their length is nobody's business (RFC 9110 8.6).
  const hasLength = status !== 204 && status !== 304;
  if (hasLength && (manner.lengthForHead || exchange.method !== 'HEAD')) {
    const length = payloadLength(payload);
    if (length !== undefined) fields.push('Content-Length', String(length));
  }
  addCommonFields(exchange, fields, reply.replacesDefaults ?? false, manner, common);
  if (reply.afterContinue) exchange.sendContinue();
  exchange.respond(status, fields, payload, close);
}

function isOverload(error: unknown): boolean {
  return error instanceof Problem && error.code === 'overloaded';
}

function asProblem(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal-error', 'the request has met a defect of wirebin; it has been logged');
}
