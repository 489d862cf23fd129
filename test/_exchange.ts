import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ExchangeState, type Exchange } from '../src/server/exchange.ts';
import type { StreamFacts } from '../src/server/request.ts';
import type { FieldLines } from '../src/http/fields.ts';
import type { Payload } from '../src/server/payload.ts';
import { parseTarget, type Target } from '../src/http/target.ts';
import type { Connection } from '../src/net/connection.ts';
import { TcpConnection } from '../src/net/tcp-connection.ts';

/** The response passed to the exchange. */
export interface Sent {
  readonly status: number;
  readonly fields: Record<string, string>;
  readonly payload: Payload;
  readonly close: boolean;
}

interface Given {
  readonly method?: string;
  readonly version?: string;
  readonly fields?: FieldLines;
  /** Without it the request has no content. */
  readonly incoming?: Readable | undefined;
  /** Default: one of its own. */
  readonly connection?: Connection | undefined;
  /** By performance.now(); default: now. */
  readonly receivedAt?: number | undefined;
  readonly stream?: StreamFacts | undefined;
  readonly trailers?: FieldLines;
  readonly repeatedSection?: object | undefined;
}

/** A request without a connection, which records its responses. */
export class FakeExchange extends ExchangeState implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection: Connection;
  readonly requestNumber = 1;
  readonly stream: StreamFacts | undefined;
  readonly repeatedSection: object | undefined;
  readonly receivedAt: number;
  readonly hasBody: boolean;
  readonly isReceived: boolean;
  readonly trailers: FieldLines;
  readonly body: Readable;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly sent: Sent[] = [];
  continuesSent = 0;
  /** Thrown by the next `respond`, as HTTP/2 does for an invalid field. */
  sendError: Error | undefined;

  constructor(rawTarget: string, given: Given = {}) {
    super();
    this.rawTarget = rawTarget;
    this.receivedAt = given.receivedAt ?? performance.now();
    this.connection = given.connection ?? new TcpConnection(new Socket());
    this.stream = given.stream;
    this.repeatedSection = given.repeatedSection;
    this.trailers = given.trailers ?? [];
    this.method = given.method ?? 'GET';
    this.version = given.version ?? 'HTTP/1.1';
    this.target = parseTarget(this.method, rawTarget);
    this.fields = given.fields ?? ['Host', 'a'];
    this.isReceived = given.incoming === undefined;
    this.hasBody = given.incoming !== undefined;
    this.body = given.incoming ?? Readable.from([]);
    const http2 = this.version === 'HTTP/2.0';
    this.connection.detected(http2 ? 'h2c' : 'http/1.1');
  }

  get isAborted(): boolean {
    return this.signal.aborted;
  }

  sendContinueIfExpected(): void {
    this.sendInformation(100);
  }

  sendInformation(status: number): boolean {
    if (status === 100) this.continuesSent++;
    return true;
  }

  endWithResponse(): void {}

  sendLarge(send: () => void): void {
    send();
  }

  failed(error: unknown): void {
    throw error;
  }

  afterSent(call: () => void): void {
    call();
  }

  respondWithFault(status: number, fields: string[], payload: Payload): void {
    this.respond(status, fields, payload, false);
  }

  discardUnread(): void {}

  respond(status: number, fields: string[], payload: Payload, close: boolean): void {
    const { sendError } = this;
    this.sendError = undefined;
    if (sendError) throw sendError;
    const pairs: Record<string, string> = {};
    for (let at = 0; at < fields.length; at += 2) pairs[fields[at] ?? ''] = fields[at + 1] ?? '';
    this.sent.push({ status, fields: pairs, payload, close });
  }

  respondWithUpgrade(status: number, fields: string[]): void {
    this.respond(status, fields, '', false);
  }

  refuse(): void {
    this.respond(503, [], '', true);
  }

  leave(): void {
    this.#controller.abort();
  }
}
