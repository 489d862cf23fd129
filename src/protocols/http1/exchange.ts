import { STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Endpoint } from '../../server/endpoint.ts';
import type { RequestTiming } from '../../server/timing.ts';
import { REQUEST_ABORTED, type Exchange } from '../../server/exchange.ts';
import type { RequestObserver } from '../../server/request.ts';
import { fieldPairs, type FieldLines } from '../../http/fields.ts';
import {
  isWithTrailers,
  isWhole,
  payloadLength,
  trailersOf,
  type Payload,
} from '../../server/payload.ts';
import { guarded, isDisconnect, respondToError } from '../../server/failure.ts';
import { pump, type Window } from '../../server/pump.ts';
import { turns } from '../../net/turn-budget.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import { listMembers } from '../../http/syntax.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import { Problem } from '../../http/problem.ts';
import type { Fault } from '../../server/fault.ts';
import { perform } from '../../server/fault-plan.ts';
import type { CloseMethod } from '../../net/close-reason.ts';
import type { Connection } from '../../net/connection.ts';
import { detachParser } from '../../net/node-internals.ts';
import { delayReading } from './faults/delay-reading.ts';
import { FaultWriter } from './faults/fault-writer.ts';
import { COMPLETE, faultyResponse, stepsOf } from './faults/faulty-response.ts';
import { headerSection, type Http1Response } from './response.ts';

const KiB = 1024;
/** Every write costs some 20 µs, so large ones are cheap; shared bytes are written without a copy. */
const CLEARTEXT: Window = { own: 64 * KiB, shared: 1024 * KiB };
/** TLS copies each write as a whole. */
const ENCRYPTED: Window = { own: 64 * KiB, shared: 64 * KiB };

/** The connection as an exchange uses it. */
export interface ExchangeOwner {
  readonly connection: Connection;
  /** Whether the response to this request is the last on the connection. */
  isLast(exchange: Http1Exchange): boolean;
  /** Call when a response with `Connection: close` is sent. */
  close(): void;
  /** Closes the connection once the open requests are complete. */
  closeWhenIdle(): void;
  /** Closes the connection as a response asks for. */
  closeForFault(how: CloseMethod): void;
  /** Reports an error of wirebin. */
  reportError(error: unknown): void;
}

/** A request and its response on `node:http`. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection: Connection;
  readonly requestNumber: number;
  readonly stream = undefined;
  readonly receivedAt = performance.now();
  endpoint: Endpoint | undefined;
  fault: Fault | undefined;
  respondedAt = 0;
  timing: RequestTiming | undefined;
  status: number | undefined;
  bytes = 0;
  readonly hasBody: boolean;
  isProgressing: (() => boolean) | undefined;
  contentProblem: Problem | undefined;
  onFinished: (() => void) | undefined;
  observer: RequestObserver | undefined;
  readonly #incoming: IncomingMessage;
  readonly #response: Http1Response;
  readonly #owner: ExchangeOwner;
  /** Whether the client may wait for 100 (Continue) before sending the content. */
  #awaitsContinue: boolean;
  /** Whether the request has Upgrade, after which llhttp stops parsing, or `Connection: close`. */
  readonly #isLastByFields: boolean;
  #hasFailed = false;
  /** Whether the connection is closed after the response, even if content is still arriving. */
  #endsWithResponse = false;
  /** Whether trailers may follow the content. */
  readonly #isChunked: boolean;
  #abort: AbortController | undefined;

  constructor(
    incoming: IncomingMessage,
    response: Http1Response,
    owner: ExchangeOwner,
    awaitsContinue: boolean,
  ) {
    this.#incoming = incoming;
    this.#response = response;
    this.#owner = owner;
    this.connection = owner.connection;
    this.requestNumber = this.connection.requestStarted();
    this.method = incoming.method ?? '';
    const { httpVersion } = incoming;
    this.version = httpVersion === '1.1' ? 'HTTP/1.1' : `HTTP/${httpVersion}`;
    this.rawTarget = incoming.url ?? '';
    this.target = parseTarget(this.method, this.rawTarget);
    this.fields = incoming.rawHeaders;
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
    this.#isChunked = coding !== undefined;
    this.hasBody = this.#isChunked || (length !== undefined && length !== '0');
    this.#awaitsContinue = awaitsContinue && this.hasBody;
    this.#isLastByFields = requestsUpgrade(incoming.headers) || asksToClose(incoming.headers);
  }

  get body(): Readable {
    return this.#incoming;
  }

  get trailers(): FieldLines {
    return this.#incoming.rawTrailers;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  get complete(): boolean {
    return this.#incoming.complete;
  }

  sendContinueIfExpected(): void {
    if (this.#awaitsContinue) this.sendInformation(100);
  }

  sendInformation(status: number, fields: readonly string[] = []): boolean {
    const response = this.#response;
    if (this.version === 'HTTP/1.0' || response.headersSent || response.destroyed) return false;
    response.sendInterim(status, fields);
    if (status === 100) this.#awaitsContinue = false;
    return true;
  }

  endWithResponse(how: 'close' | 'stop'): void {
    if (how === 'stop') {
      const reason = 'HTTP/1.1 can stop a request only by closing the connection';
      throw new Problem('fault-unavailable', `then=stop resets a stream of HTTP/2; ${reason}`);
    }
    this.#endsWithResponse = true;
  }

  /** Discards content that the handler does not read: unread, it would hide that the client disconnects. */
  discardUnread(): void {
    if (this.#incoming.readableFlowing === null) this.#incoming.resume();
  }

  /**
   * Fails the handler's read of the content, also one that has yet to begin.
   *
   * @returns whether a handler is reading it
   */
  failContent(problem: Problem): boolean {
    this.contentProblem = problem;
    // Without a listener the event would be an uncaught exception.
    return this.#incoming.listenerCount('error') > 0 && this.#incoming.emit('error', problem);
  }

  /** Call when the connection is closed before the response is complete. */
  onConnectionClosed(): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(REQUEST_ABORTED);
  }

  refuse(): void {
    this.respond(503, ['Retry-After', '1', 'Content-Length', '0'], '', true);
    this.onConnectionClosed();
  }

  sendLarge(send: () => void): void {
    let isCalled = false;
    const begin = (): void => {
      if (isCalled) return;
      isCalled = true;
      turns.run(guarded(this, send));
    };
    // Node assigns the socket once the previous response is complete.
    if (this.#response.socket) begin();
    else {
      this.#response.once('socket', () => process.nextTick(begin));
      this.signal.addEventListener('abort', begin, { once: true });
    }
  }

  /** A response is finished when its bytes have been handed to the system. */
  afterSent(call: () => void): void {
    guarded(this, call)();
  }

  failed(error: unknown): void {
    if (this.#hasFailed || (this.signal.aborted && isDisconnect(error))) return;
    const { headersSent } = this.#response;
    // A Problem that comes too late for a response is no Problem of the client.
    if (headersSent || !(error instanceof Problem)) this.#owner.reportError(error);
    if (headersSent) this.#breakOff();
    else respondToError(this, error);
    this.#hasFailed = true;
  }

  /** Closes the connection once the responses to earlier requests are complete, so that the client sees the truncation. */
  #breakOff(): void {
    const response = this.#response;
    // FIN may be the end of content on HTTP/1.0 (RFC 9112 6.3).
    const how = this.version === 'HTTP/1.0' ? 'reset' : 'abort';
    const close = (): void => this.connection.close(how, 'internal-error');
    if (response.socket) close();
    else response.once('socket', close);
  }

  /** Whether a response can begin. A second one would be an error of wirebin, and breaks off the first. */
  #mayRespond(): boolean {
    const { destroyed, headersSent } = this.#response;
    if (destroyed || this.#hasFailed) return false;
    if (headersSent) this.#breakOff();
    return !headersSent;
  }

  respond(status: number, fields: string[], payload: Payload, close: boolean): void {
    if (!this.#mayRespond()) return;
    const response = this.#response;
    this.status = status;
    const last = close || this.#isLast();
    const content = this.method === 'HEAD' ? '' : payload;
    if (!last && this.version === 'HTTP/1.1') {
      if (isWhole(content) && response.sendWhole(status, fields, content)) {
        this.bytes = content.length;
        return;
      }
      if (isWithTrailers(content) && response.sendWithTrailers(status, fields, content)) {
        this.bytes = content.content.length;
        return;
      }
      if (payloadLength(content) === undefined) response.beginChunked(status, fields);
      else response.begin(status, fields);
    } else {
      if (last) {
        this.#owner.close();
        fields.push('Connection', 'close');
      }
      if (trailersOf(payload)) this.#prepareTrailer(fields);
      // Without the phrase Node would keep that of a response which it has rejected.
      response.writeHead(status, STATUS_CODES[status] ?? 'unknown', fields);
    }
    pump(response, content, this.connection.tls ? ENCRYPTED : CLEARTEXT, this);
  }

  /** Node omits them from a response that is not chunked, as on HTTP/1.0 (RFC 9112 7.1.2). */
  addTrailers(trailers: FieldLines): void {
    this.#response.addTrailers(Array.from(fieldPairs(trailers), ([...pair]) => pair));
  }

  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void {
    if (!this.#mayRespond()) return;
    const response = this.#response;
    if (fault.kind === 'no-read') {
      delayReading(this, fault)
        .then(() => this.respond(status, fields, payload, false))
        .catch((error: unknown) => this.failed(error));
      return;
    }
    const hasContent = this.method !== 'HEAD';
    const hasChunks = this.version === 'HTTP/1.1';
    const last = !hasChunks || this.#isLast();
    if (last) fields.push('Connection', 'close');
    const content = hasContent ? payload : '';
    const sound = { status, fields, payload: content, hasContent, hasChunks };
    const faulty = faultyResponse(sound, fault, this.connection.tls !== undefined);
    this.status = status;
    if (last || faulty.ending !== COMPLETE) this.#owner.close();
    const window = this.connection.tls ? ENCRYPTED : CLEARTEXT;
    const writer = new FaultWriter(response, faulty, this, window.shared);
    writer
      .begin()
      .then(() => perform(stepsOf(faulty), faulty.payload, writer))
      .catch((error: unknown) => this.failed(error));
  }

  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void {
    if (!this.#mayRespond()) return;
    const response = this.#response;
    this.status = status;
    const section = headerSection(status, fields);
    this.#owner.close();
    response.takeOver();
    // What follows the request in the same bytes is lost (RFC 6455 4.1: the client waits for the response).
    const start = guarded(this, () => {
      const { socket } = response;
      if (!socket || socket.destroyed) return;
      detachParser(socket);
      socket.write(section, 'latin1');
      const end = (): void => response.complete();
      begin(new UpgradeChannel(socket, this, end, () => this.connection.close('abort')));
    });
    // Not while Node parses the request, and after the interim responses that wait for the socket.
    if (response.socket) process.nextTick(start);
    else response.once('socket', () => process.nextTick(start));
  }

  closeForFault(how: CloseMethod): void {
    this.#owner.closeForFault(how);
  }

  /** Whether the response is the last on the connection, unless it says so itself. */
  #isLast(): boolean {
    // Without 100 (Continue) the client may or may not send its content, so the start of the next
    // message is unknown (RFC 9110 10.1.1); so it is after Upgrade (7.8), where llhttp stops parsing.
    const awaitsContinue = this.#awaitsContinue && !this.#incoming.complete;
    return (
      // Node would keep the connection alive if we sent any Connection field, such as Upgrade.
      !this.#response.shouldKeepAlive ||
      this.#endsWithResponse ||
      awaitsContinue ||
      this.#isLastByFields ||
      (this.#isChunked && this.#isLastByTrailers()) ||
      this.#owner.isLast(this)
    );
  }

  /**
   * Whether a trailer field closes the connection. It should have no effect (RFC 9110 6.5.1), but llhttp
   * parses no further request after it. The trailers may also arrive after the response.
   */
  #isLastByTrailers(): boolean {
    const incoming = this.#incoming;
    if (incoming.complete) return closesConnection(incoming.rawTrailers);
    incoming.once('end', () => {
      if (closesConnection(incoming.rawTrailers)) this.#owner.closeWhenIdle();
    });
    return false;
  }

  /**
   * Node accepts a Trailer field (RFC 9110 6.6.2) only in chunked responses. HTTP/1.0 has neither, and
   * for HEAD the chunked coding that GET would have must be declared.
   */
  #prepareTrailer(fields: string[]): void {
    if (this.version === 'HTTP/1.0') {
      for (let at = fields.length - 2; at >= 0; at -= 2) {
        if (fields[at] === 'Trailer') fields.splice(at, 2);
      }
    } else if (this.method === 'HEAD') fields.push('Transfer-Encoding', 'chunked');
  }
}

/** Whether llhttp stops parsing after the request; it takes Proxy-Connection for Connection. If in doubt, yes. */
function requestsUpgrade(headers: IncomingHttpHeaders): boolean {
  const { upgrade, connection = '', 'proxy-connection': proxyConnection } = headers;
  if (upgrade === undefined) return false;
  return /\bupgrade\b/i.test(`${connection},${String(proxyConnection)}`);
}

/** RFC 9112 9.6. llhttp of Node 20 misses `close` before a tab. */
function asksToClose({ connection = '' }: IncomingHttpHeaders): boolean {
  return /close/i.test(connection) && listMembers(connection.toLowerCase()).includes('close');
}

/** Whether llhttp closes the connection because of one of the fields; if in doubt, yes. */
function closesConnection(trailers: FieldLines): boolean {
  for (const [name, value] of fieldPairs(trailers)) {
    if (/^(?:proxy-)?connection$/i.test(name) && /close/i.test(value)) return true;
  }
  return false;
}
