import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Exchange } from '../http/exchange.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Payload } from '../http/payload.ts';
import { pump } from '../http/pump.ts';
import { parseTarget, type Target } from '../http/target.ts';
import type { Problem } from '../kit/problem.ts';
import type { Connection } from '../wire/connection.ts';

/** Octets handed to the socket at a time. */
const CHUNK_SIZE = 64 * 1024;

/** What an exchange needs to know of the connection it came on. */
export interface ExchangeLine {
  readonly connection: Connection;
  /** Whether the next answer is the connection's last. */
  isLast(): boolean;
}

/** A request and its answer on `node:http`. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  readonly target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection: Connection;
  readonly ordinal: number;
  readonly stream = undefined;
  readonly receivedAt = performance.now();
  readonly hasContent: boolean;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #line: ExchangeLine;
  /** Whether the client holds the content back until it is invited. */
  #awaitsContinue: boolean;
  #gone: AbortController | undefined;

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    line: ExchangeLine,
    awaitsContinue: boolean,
  ) {
    this.#incoming = incoming;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    this.#line = line;
    this.connection = line.connection;
    this.ordinal = this.connection.requestBegan();
    this.method = incoming.method ?? '';
    const { httpVersion } = incoming;
    this.version = httpVersion === '1.1' ? 'HTTP/1.1' : `HTTP/${httpVersion}`;
    this.rawTarget = incoming.url ?? '';
    this.target = parseTarget(this.method, this.rawTarget);
    this.fields = incoming.rawHeaders;
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    this.hasContent = coding !== undefined || (length !== undefined && length !== '0');
  }

  get incoming(): Readable {
    return this.#incoming;
  }

  get gone(): AbortSignal {
    this.#gone ??= aborterOf(this.#response);
    return this.#gone.signal;
  }

  invite(): void {
    if (this.#awaitsContinue) this.#response.writeContinue();
    this.#awaitsContinue = false;
  }

  /** Tells whoever reads the content why there will be no more; false when nobody does. */
  contentLost(problem: Problem): boolean {
    if (this.#incoming.complete || this.#response.headersSent) return false;
    return this.#incoming.emit('error', problem);
  }

  respond(status: number, fields: string[], payload: Payload, close: boolean): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // A client that was not invited may send its content or not: nobody knows what comes next
    // (RFC 9110 10.1.1).
    const last = close || this.#awaitsContinue || this.#line.isLast();
    if (last) fields.push('Connection', 'close');
    // Persistence is HTTP/1.1's default and needs no field (RFC 9112 9.3).
    else if (response.shouldKeepAlive && this.version === 'HTTP/1.1') {
      response.removeHeader('Connection');
    }
    response.writeHead(status, fields);
    if (this.method === 'HEAD') response.end();
    else pump(response, payload, CHUNK_SIZE, () => this.gone);
  }
}

function aborterOf(response: ServerResponse): AbortController {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller;
}
