import { Problem } from '../kit/problem.ts';
import { discard, readContent, tooLarge } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { fieldValue } from './fields.ts';
import { payloadLength } from './payload.ts';
import { empty, problemReply, type Reply } from './reply.ts';
import { addCommonFields } from './response-fields.ts';
import { faultOf } from './request-check.ts';
import type { Router } from './router.ts';

/** How a request ended. */
export interface Outcome {
  readonly exchange: Exchange;
  /** undefined where no endpoint has the path. */
  readonly endpoint: Endpoint | undefined;
  /** undefined when the client went before there was an answer. */
  readonly status: number | undefined;
}

export interface DispatchOptions {
  readonly router: Router;
  /** The most octets of content a request may have. */
  readonly maxBodySize: number;
  /** Told once of every request. */
  readonly observe: (outcome: Outcome) => void;
  /** Told of errors that are no answer: a defect, answered with 500. */
  readonly onDefect: (error: unknown) => void;
}

const NO_CONTENT = Buffer.alloc(0);
const ANY_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE';

/** The one way of every request: check, route, read the content, handle, reply, observe. */
export function createDispatch(options: DispatchOptions): (exchange: Exchange) => void {
  const { router, maxBodySize, observe, onDefect } = options;

  return (exchange) => {
    let endpoint: Endpoint | undefined;

    const send = (reply: Reply): void => {
      respond(exchange, reply);
      observe({ exchange, endpoint, status: reply.status });
    };
    const fail = (error: unknown): void => {
      if (exchange.gone.aborted) {
        observe({ exchange, endpoint, status: undefined });
        return;
      }
      if (!(error instanceof Problem)) onDefect(error);
      send(problemReply(asProblem(error)));
    };

    try {
      const fault = faultOf(exchange);
      if (fault) {
        send({ ...problemReply(fault), close: true });
        return;
      }
      const path = exchange.target?.path ?? '';
      const match = router.find(path);
      endpoint = match?.endpoint;
      if (exchange.method === 'OPTIONS' && (match || path === '*')) {
        send(empty(204, ['Allow', endpoint ? allowed(endpoint) : ANY_METHODS]));
        return;
      }
      if (!match) throw new Problem('not-found', `${path} is not one of wirebin's paths; see /`);
      checkMethod(match.endpoint, exchange.method);
      const { segments } = match;
      const answering =
        match.endpoint.content && exchange.hasContent
          ? contentOf(exchange, maxBodySize).then((content) =>
              match.endpoint.answer(exchange, segments, content),
            )
          : match.endpoint.answer(exchange, segments, NO_CONTENT);
      if (answering instanceof Promise) answering.then(send).catch(fail).catch(onDefect);
      else send(answering);
    } catch (error) {
      fail(error);
    }
  };
}

/** The content, asked for only when it can be taken: a client may wait for 100 (Continue). */
async function contentOf(exchange: Exchange, limit: number): Promise<Buffer> {
  const announced = Number(fieldValue(exchange.fields, 'content-length') ?? 0);
  if (announced > limit) {
    discard(exchange.incoming);
    throw tooLarge(limit);
  }
  exchange.invite();
  return readContent(exchange.incoming, limit);
}

function checkMethod(endpoint: Endpoint, method: string): void {
  const { methods } = endpoint;
  if (methods === 'any') return;
  const wanted = method === 'HEAD' ? 'GET' : method;
  if (methods.some((candidate) => candidate === wanted)) return;
  throw new Problem('method-not-allowed', `${endpoint.path} does not take ${method}`, [
    'Allow',
    allowed(endpoint),
  ]);
}

/** The Allow field of an endpoint (RFC 9110 10.2.1). */
function allowed({ methods }: Endpoint): string {
  if (methods === 'any') return ANY_METHODS;
  return [
    ...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    'OPTIONS',
  ].join(', ');
}

function respond(exchange: Exchange, reply: Reply): void {
  const { status, payload = '', close = false } = reply;
  const fields = [...reply.fields];
  // These two never have content, so their length is nobody's business (RFC 9110 8.6).
  if (status !== 204 && status !== 304) {
    const length = payloadLength(payload);
    if (length !== undefined) fields.push('Content-Length', String(length));
  }
  addCommonFields(exchange, fields, reply.replacesDefaults ?? false);
  exchange.respond({ status, fields, payload, close });
}

function asProblem(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal-error', 'the request has met a defect of wirebin; it has been logged');
}
