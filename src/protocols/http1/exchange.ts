import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { REQUEST_ABORTED, type Exchange } from '../../server/exchange.ts';
import { Finishable, type CallState, type RequestObserver } from '../../server/request.ts';
import { fieldPairs, type FieldLines } from '../../http/fields.ts';
import { isWhole, payloadLength, trailersOf, type Payload } from '../../server/payload.ts';
import { guarded, isDisconnect, respondToError } from '../../server/failure.ts';
import { pump, shareOf, type Window } from '../../server/pump.ts';
import { turns } from '../../net/turn-budget.ts';
import { UpgradeChannel } from '../../server/upgrade.ts';
import { listMembers } from '../../http/syntax.ts';
import { parseTarget, type Target } from '../../http/target.ts';
import { Problem } from '../../http/problem.ts';
import type { Fault, NamedFault } from '../../server/fault.ts';
import type { Reply } from '../../server/reply.ts';
import { perform } from '../../server/fault-plan.ts';
import type { CloseMethod } from '../../net/close-reason.ts';
import type { Connection } from '../../net/connection.ts';
import { isParsed } from '../../net/node-internals.ts';
import { delayReading } from './faults/delay-reading.ts';
import { FaultWriter } from './faults/fault-writer.ts';
import { COMPLETE, faultyResponse, stepsOf } from './faults/faulty-response.ts';
import { headerSection, reasonPhrase, type Http1Response } from './response.ts';

const KiB = 1024;
/** Bytes that are written at a time without TLS. A write costs some 20 µs, and shared bytes are not copied. */
const CLEARTEXT: Window = { own: 64 * KiB, shared: 1024 * KiB };
/** Bytes of shared pieces that all open requests together may queue with TLS, which copies them. */
const ENCRYPTED = 16 * 1024 * KiB;
/** Bytes of them for each request, even if that makes more in all, and at most. */
const MIN_ENCRYPTED = 64 * KiB;
const MAX_ENCRYPTED = 256 * KiB;

/** The window of a response. With TLS, that of shared pieces is smaller if many requests are open when it begins. */
function responseWindow({ tls }: Connection): Window {
  if (!tls) return CLEARTEXT;
  return { own: 64 * KiB, shared: shareOf(ENCRYPTED, MIN_ENCRYPTED, MAX_ENCRYPTED) };
}

/** The connection, as its exchanges use it. */
export interface ExchangeOwner {
  readonly connection: Connection;
  /** Whether the response to this request is the last one on the connection. */
  isLast(exchange: Http1Exchange): boolean;
  /** Call when a response with `Connection: close` is being sent. */
  close(): void;
  /** Closes the connection after the open requests are complete. */
  closeWhenIdle(): void;
  /** Closes the connection as a fault requires. */
  closeForFault(how: CloseMethod): void;
  /** Reports an internal error. */
  reportError(error: unknown): void;
}

/** A request and its response on `node:http`. */
export class Http1Exchange extends Finishable implements Exchange {
  readonly method: string;
  readonly version: string;
  readonly rawTarget: string;
  target: Target | undefined;
  readonly fields: FieldLines;
  readonly connection: Connection;
  readonly requestNumber: number;
  readonly stream = undefined;
  readonly receivedAt = performance.now();
  dialect: Exchange['dialect'];
  endpoint: Exchange['endpoint'];
  fault: NamedFault | undefined;
  respondedAt = 0;
  timing: Exchange['timing'];
  call: CallState | undefined;
  reserve: Exchange['reserve'];
  status: number | undefined;
  bytes = 0;
  readonly hasBody: boolean;
  isProgressing: (() => boolean) | undefined;
  contentProblem: Problem | undefined;
  onTrailers: Exchange['onTrailers'];
  observer: RequestObserver | undefined;
  readonly #incoming: IncomingMessage;
  readonly #response: Http1Response;
  readonly #owner: ExchangeOwner;
  /** Whether the client may be waiting for 100 (Continue). */
  #awaitsContinue: boolean;
  /** Whether the request is the last because of `Connection: close`, or Upgrade, after which llhttp stops parsing. */
  readonly #isLastByFields: boolean;
  #hasFailed = false;
  /** Whether the connection is closed after the response even if request content is still arriving. */
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
    super();
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
    if (this.#isChunked) incoming.once('end', () => this.#receiveTrailers());
  }

  #receiveTrailers(): void {
    const incoming = this.#incoming;
    const { rawTrailers } = incoming;
    if (rawTrailers.length === 0 || this.onTrailers?.(this, rawTrailers) !== false) return;
    incoming.rawTrailers = closesConnection(rawTrailers) ? ['Connection', 'close'] : [];
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

  get isAborted(): boolean {
    return this.#abort?.signal.aborted ?? false;
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

  /** Discards content that the handler does not read. While it is unread, a disconnect would not be noticed. */
  discardUnread(): void {
    if (this.#incoming.readableFlowing === null) this.#incoming.resume();
  }

  /**
   * Fails the handler's reading of the content, even if it begins later.
   *
   * @returns whether a handler is reading
   */
  failContent(problem: Problem): boolean {
    this.contentProblem = problem;
    // Without a listener, `error` would be thrown as uncaught exception.
    return this.#incoming.listenerCount('error') > 0 && this.#incoming.emit('error', problem);
  }

  /** Call if the connection is closed before the response is complete. */
  onConnectionClosed(): void {
    (this.#abort ??= new AbortController()).abort(REQUEST_ABORTED);
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
    // Node assigns the socket when the previous response is complete.
    if (this.#response.socket) begin();
    else {
      this.#response.once('socket', () => process.nextTick(begin));
      this.signal.addEventListener('abort', begin, { once: true });
    }
  }

  /** Calls the function at once: an HTTP/1.x response is finished only after its bytes were handed to the system. */
  afterSent(call: () => void): void {
    guarded(this, call)();
  }

  failed(error: unknown): void {
    if (this.#hasFailed || (this.signal.aborted && isDisconnect(error))) return;
    const { headersSent } = this.#response;
    // A Problem after the header section is an internal error, because it cannot become a response.
    if (headersSent || !(error instanceof Problem)) this.#owner.reportError(error);
    if (headersSent) this.#breakOff();
    else respondToError(this, error);
    this.#hasFailed = true;
  }

  /** Cuts the response off by closing the connection, after the responses to earlier requests. */
  #breakOff(): void {
    const response = this.#response;
    // On HTTP/1.0, FIN may mean the end of the content (RFC 9112 6.3), so RST is sent.
    const how = this.version === 'HTTP/1.0' ? 'reset' : 'abort';
    const close = (): void => this.connection.close(how, 'internal-error');
    if (response.socket) close();
    else response.once('socket', close);
  }

  /** Whether a response can begin. A second response is an internal error, and cuts off the first. */
  #mayRespond(): boolean {
    const { destroyed, headersSent } = this.#response;
    if (destroyed || this.#hasFailed) return false;
    if (headersSent) this.#breakOff();
    return !headersSent;
  }

  useReasonPhrases(phrases: Http1Response['reasonPhrases']): void {
    this.#response.reasonPhrases = phrases;
  }

  respond(status: number, fields: string[], payload: Payload, close: Reply['close']): void {
    if (!this.#mayRespond()) return;
    const response = this.#response;
    this.status = status;
    const last = Boolean(close) || this.#isLast();
    const content = this.method === 'HEAD' ? '' : payload;
    if (!last && this.version === 'HTTP/1.1') {
      if (isWhole(content) && response.sendWhole(status, fields, content)) {
        this.bytes = content.length;
        return;
      }
      if (payloadLength(content) === undefined) response.beginChunked(status, fields);
      else response.begin(status, fields);
    } else {
      if (last) {
        this.#owner.close();
        fields.push('Connection', 'close');
      }
      // Node would use the chunked coding for content without a length.
      if (close === 'ends-content') response.useChunkedEncodingByDefault = false;
      if (trailersOf(payload)) this.#prepareTrailer(fields, close);
      // With its reason phrase: Node would otherwise keep that of a response which it has rejected.
      response.writeHead(status, reasonPhrase(status, response.reasonPhrases), fields);
    }
    pump(response, content, responseWindow(this.connection), this);
  }

  /** Adds trailers. Node omits them if the response is not chunked, as on HTTP/1.0 (RFC 9112 7.1.2). */
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
    const phrases = response.reasonPhrases;
    const sound = { status, phrases, fields, payload: content, hasContent, hasChunks };
    const faulty = faultyResponse(sound, fault, this.connection.tls !== undefined);
    this.status = status;
    if (last || faulty.ending !== COMPLETE) this.#owner.close();
    const writer = new FaultWriter(response, faulty, this, responseWindow(this.connection).shared);
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
    const section = headerSection(status, fields, response.reasonPhrases);
    this.#owner.close();
    response.takeOver();
    const start = guarded(this, () => {
      const { socket } = response;
      if (!socket || socket.destroyed) return;
      // llhttp of Node 20 has parsed frames as HTTP: it does not recognize `upgrade` before a tab.
      if (isParsed(socket)) {
        this.connection.close('abort', 'refused');
        return;
      }
      socket.write(section, 'latin1');
      const ends = {
        end: () => response.complete(),
        abort: () => this.connection.close('abort'),
        reset: () => this.closeForFault('reset'),
      };
      begin(new UpgradeChannel(socket, this, ends));
    });
    // Deferred: not while Node parses the request, and after interim responses that wait for the socket.
    if (response.socket) process.nextTick(start);
    else response.once('socket', () => process.nextTick(start));
  }

  closeForFault(how: CloseMethod): void {
    this.#owner.closeForFault(how);
  }

  /** Whether the response is the last one on the connection. It may say so itself, too. */
  #isLast(): boolean {
    // Without 100 (Continue), the client may or may not send content, so the start of the next message is unknown (RFC
    // 9110 10.1.1). After Upgrade (7.8), llhttp stops parsing.
    const awaitsContinue = this.#awaitsContinue && !this.#incoming.complete;
    return (
      // Node would keep the connection alive because of another Connection field, such as `Upgrade`.
      !this.#response.shouldKeepAlive ||
      this.#endsWithResponse ||
      awaitsContinue ||
      this.#isLastByFields ||
      (this.#isChunked && this.#isLastByTrailers()) ||
      this.#owner.isLast(this)
    );
  }

  /**
   * Whether a trailer field closes the connection. By RFC 9110 6.5.1 it should have no effect, but llhttp parses no
   * further request after it. Trailers may also arrive after the response.
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
   * Prepares the fields for Trailer (RFC 9110 6.6.2), which Node accepts only in chunked responses. HTTP/1.0 has
   * neither, nor has content that the close of the connection ends. A response to HEAD declares the chunked coding that GET would have.
   */
  #prepareTrailer(fields: string[], close: Reply['close']): void {
    if (this.version === 'HTTP/1.0' || close === 'ends-content') {
      for (let at = fields.length - 2; at >= 0; at -= 2) {
        if (fields[at] === 'Trailer') fields.splice(at, 2);
      }
    } else if (this.method === 'HEAD') fields.push('Transfer-Encoding', 'chunked');
  }
}

/** Whether llhttp stops parsing after the request; true if in doubt. It treats Proxy-Connection like Connection. */
function requestsUpgrade(headers: IncomingHttpHeaders): boolean {
  const { upgrade, connection = '', 'proxy-connection': proxyConnection } = headers;
  if (upgrade === undefined) return false;
  return /\bupgrade\b/i.test(`${connection},${String(proxyConnection)}`);
}

/** Whether the client asks to close (RFC 9112 9.6). llhttp of Node 20 does not recognize `close` before a tab. */
function asksToClose({ connection = '' }: IncomingHttpHeaders): boolean {
  return /close/i.test(connection) && listMembers(connection.toLowerCase()).includes('close');
}

/** Whether llhttp closes the connection because of a trailer field; true if in doubt. */
function closesConnection(trailers: FieldLines): boolean {
  for (const [name, value] of fieldPairs(trailers)) {
    if (/^(?:proxy-)?connection$/i.test(name) && /close/i.test(value)) return true;
  }
  return false;
}
