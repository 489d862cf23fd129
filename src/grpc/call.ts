import { encoderFor } from '../http/codings.ts';
import { fieldValue, MAX_REQUESTED_FIELDS, sectionSize } from '../http/fields.ts';
import { listMembers } from '../http/syntax.ts';
import { Problem } from '../http/problem.ts';
import { turns } from '../net/scheduler.ts';
import { REQUEST_ABORTED } from '../server/exchange.ts';
import { isDisconnect } from '../server/failure.ts';
import type { TimedStream } from '../server/payload.ts';
import type { Reply } from '../server/reply.ts';
import { LARGE_CONTENT, MIN_COUNTED_SIZE, inThread, serialize } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { readMetadata, timeoutOf, writeMetadata, type Metadata } from '../wire/grpc/fields.ts';
import { COMPRESSED, frameMessage, frameTrailers } from '../wire/grpc/message.ts';
import { GrpcStatus } from '../wire/grpc/status.ts';
import { FAULT_FIELD, faultOf, type CallFault } from './faults.ts';
import type { Flavor } from './flavor.ts';
import { Incoming } from './incoming.ts';
import type { MessageType } from '../wire/protobuf/message.ts';
import { ProtobufError, TooManyValues, VALUE_MEMORY } from '../wire/protobuf/reader.ts';
import { ACCEPTED, statusOf, tooLarge, trailerFields } from './status-reply.ts';
import { Wakeup } from './wakeup.ts';

const gzip = encoderFor('gzip');

/** Made once: an error takes as long as a small message, because of its stack. */
const OK = new GrpcStatus('OK');
/** Bytes of responses that wait for the client, above which `send` waits. */
const QUEUE = 64 * 1024;
/** Bytes that a queued message counts in addition to its length. */
const OVERHEAD = 256;
/** Longest delay of a timer in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

export interface CallLimits {
  /** Maximum bytes of a message. */
  readonly maxMessage: number;
  /** Maximum milliseconds of a call without a deadline. */
  readonly maxDuration: number;
  /** Maximum milliseconds of all waits that a client asks for. */
  readonly maxWait: number;
}

/** A call: what its handler works with. `Req` and `Res` are the types of its messages. */
export class Call<Req, Res> {
  readonly request: Request;
  /** When the client stops waiting, by `performance.now()`; undefined without `grpc-timeout`. */
  readonly deadline: number | undefined;
  /** Whether the message that was read last was compressed. */
  isCompressed = false;
  /** Milliseconds for which sending has waited for the client. */
  waited = 0;
  /** A fault of the response. Set it before the first message. */
  fault: CallFault | undefined;
  /** Whether `send` compresses messages by default, if the client accepts that. */
  compresses = false;
  readonly limits: CallLimits;
  readonly #incoming: Incoming;
  readonly #flavor: Flavor;
  /** Whether the client accepts compressed messages. */
  readonly #acceptsGzip: boolean;
  readonly #requestType: MessageType<Req>;
  readonly #responseType: MessageType<Res>;
  /** Made when `signal` is read: most handlers wait for nothing. */
  #abort: AbortController | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #queue: (Uint8Array | string)[] = [];
  #queued = 0;
  #reserved = 0;
  /** Woken by a message in the queue, and by the end of the call. */
  readonly #due = new Wakeup();
  /** Woken when the queue has room, and by the end of the call. */
  readonly #room = new Wakeup();
  #isOver = false;
  /** Milliseconds of waits that the client has asked for. */
  #wait = 0;
  /** Whether the message that was read last is large. */
  #isLarge = false;
  #hasHeaders = false;
  #headers: Metadata = [];
  #trailers: Metadata = [];
  /** Field lines, filled at the end of the call. */
  readonly #trailerLines: string[] = [];
  #resolve: (reply: Reply) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** The response, once its header section is known. */
  readonly reply: Promise<Reply>;

  /** @throws GrpcStatus if the request cannot be a call */
  constructor(
    request: Request,
    flavor: Flavor,
    types: { readonly request: MessageType<Req>; readonly response: MessageType<Res> },
    limits: CallLimits,
  ) {
    const { maxMessage, maxDuration } = limits;
    const { fields, receivedAt } = request;
    const timeout = timeoutOf(fields);
    this.request = request;
    this.limits = limits;
    this.#flavor = flavor;
    this.#requestType = types.request;
    this.#responseType = types.response;
    const accepted = fieldValue(fields, 'grpc-accept-encoding') ?? '';
    this.#acceptsGzip = listMembers(accepted.toLowerCase()).includes('gzip');
    const fault = fieldValue(fields, FAULT_FIELD);
    if (fault !== undefined) this.fault = faultOf(fault);
    this.deadline = timeout === undefined ? undefined : receivedAt + timeout;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = (reply) => resolve(this.fault?.apply(reply, request) ?? reply);
      this.#reject = reject;
    });
    const reserve = (bytes: number): void => this.#reserve(bytes);
    this.#incoming = new Incoming(request, maxMessage, flavor.isText, reserve);
    request.isProgressing = () => performance.now() - receivedAt < maxDuration;
    // A fault may end the response before the handler.
    request.whenFinished(() => this.#disconnected());
    request.signal.addEventListener('abort', () => this.#disconnected(), { once: true });
    if (request.signal.aborted) this.#disconnected();
    if (this.deadline === undefined || this.deadline - performance.now() > MAX_TIMER) return;
    const end = (): void =>
      this.#end(new GrpcStatus('DEADLINE_EXCEEDED', 'the deadline has passed'));
    // That of thousands may be the same.
    const pass = (): void => turns.run(end, request.connection);
    const left = Math.max(0, this.deadline - performance.now());
    this.#timer = setTimeout(pass, left).unref();
  }

  /** Aborts when the client cancels the call, at the deadline, and when the call has ended. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isOver) this.#abort.abort(REQUEST_ABORTED);
    return this.#abort.signal;
  }

  /** Bytes of requests that have arrived and were not taken. */
  get unread(): number {
    return this.#incoming.length;
  }

  /** Bytes of responses that wait for the client. */
  get queued(): number {
    return this.#queued;
  }

  /** The metadata of the request, in order and with repetitions. Read anew each time. @throws GrpcStatus if it is too much */
  get metadata(): Metadata {
    return readMetadata(this.request.fields);
  }

  /** The messages of the request. The next one is read when it is asked for. @throws GrpcStatus */
  async *messages(): AsyncGenerator<Req, void> {
    for (;;) {
      const message = await this.#read();
      if (!message) return;
      yield message.value;
    }
  }

  /** The only message of the request. @throws GrpcStatus if there is none, or another one */
  async message(): Promise<Req> {
    const message = await this.#read();
    if (!message) throw new GrpcStatus('UNIMPLEMENTED', 'the request has no message');
    const { isCompressed } = this;
    if (await this.#incoming.next()) {
      throw new GrpcStatus('UNIMPLEMENTED', 'the request has more than one message');
    }
    this.isCompressed = isCompressed;
    return message.value;
  }

  /** Adds initial metadata. Call before the first message. @throws GrpcStatus if it is too large */
  addHeaders(...metadata: Metadata): void {
    const headers = [...this.#headers, ...metadata];
    const size = sectionSize(writeMetadata(headers));
    if (size > MAX_REQUESTED_FIELDS) throw tooLarge('initial metadata', size);
    this.#headers = headers;
  }

  /** Adds trailing metadata. */
  addTrailers(...metadata: Metadata): void {
    this.#trailers = [...this.#trailers, ...metadata];
  }

  /**
   * Counts waits that the client asks for.
   *
   * @param what names of their fields
   * @param waits in milliseconds
   * @throws GrpcStatus if one is negative, or those of the call are too long
   */
  addWaits(what: string, waits: readonly number[]): void {
    for (const wait of waits) this.#wait += wait >= 0 ? wait : NaN;
    const { maxWait } = this.limits;
    if (this.#wait <= maxWait) return;
    const limits = `must not be negative, or exceed the maximum of ${maxWait} ms in all`;
    throw new GrpcStatus('INVALID_ARGUMENT', `${what} are ${waits.join(' + ')} ms, and ${limits}`);
  }

  /** Sends the initial metadata, if it was not sent. The first message does so, too. */
  sendHeaders(): void {
    if (this.#hasHeaders || this.#isOver) return;
    this.#hasHeaders = true;
    const { isWeb } = this.#flavor;
    const payload: TimedStream = {
      kind: 'timed',
      next: (size) => this.#next(size),
      wait: async () => {
        if (this.#queue.length === 0 && !this.#isOver) await this.#due.wait();
      },
      ...(!isWeb && { trailers: this.#trailerLines }),
    };
    this.#resolve({ status: 200, fields: this.#headLines(), payload });
  }

  /**
   * Sends a message. Waits while the client takes no more.
   *
   * @param isCompressed whether to compress it, if the client accepts that
   * @throws AbortError if the call has ended
   */
  async send(message: Res, isCompressed?: boolean): Promise<void> {
    await this.#queueMessage(() => message, isCompressed);
    this.sendHeaders();
    if (this.#queued > QUEUE) await this.#roomToSend();
  }

  /**
   * Makes the only message of the response, and sends it together with the end of the call, in one turn: what thousands
   * of calls have made would otherwise wait together.
   *
   * @throws as `send`, and what `make` throws
   */
  async sendLast(make: () => Res): Promise<void> {
    await this.#queueMessage(make);
    if (this.#queued <= QUEUE) return;
    this.sendHeaders();
    await this.#roomToSend();
  }

  /** @param isCompressed default: what the call says once the message is made */
  async #queueMessage(make: () => Res, isCompressed?: boolean): Promise<void> {
    // Thousands may wait for the same time.
    if (turns.isSpent()) await turns.waitForTurn(this.request.connection);
    const content = await this.#inTurn(() => this.#responseType.encode(make()));
    this.#throwIfOver();
    this.#reserve(content.length);
    if ((isCompressed ?? this.compresses) && this.#acceptsGzip) {
      const compressed = await inThread(this.request, () => gzip(content));
      this.#throwIfOver();
      this.#push(frameMessage(compressed, COMPRESSED));
    } else this.#push(frameMessage(content));
  }

  #throwIfOver(): void {
    if (this.#isOver) throw REQUEST_ABORTED;
  }

  async #roomToSend(): Promise<void> {
    const start = performance.now();
    while (this.#queued > QUEUE) {
      await this.#room.wait();
      this.#throwIfOver();
    }
    this.waited += performance.now() - start;
  }

  /** Sends messages, each when there is room for it. Initial metadata is sent even if there are none. */
  async sendAll(messages: AsyncIterable<Res>): Promise<void> {
    for await (const message of messages) await this.send(message);
    this.sendHeaders();
  }

  /** Runs the handler, and ends the call with its result. */
  run(handle: (call: this) => Promise<void>): void {
    handle(this).then(
      () => this.#end(OK),
      (error: unknown) => this.#failed(error),
    );
  }

  async #read(): Promise<{ readonly value: Req } | undefined> {
    const framed = await this.#incoming.next();
    if (!framed) return undefined;
    this.isCompressed = framed.isCompressed;
    this.#isLarge = framed.content.length > LARGE_CONTENT;
    try {
      return { value: await this.#inTurn(() => this.#decode(framed.content)) };
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      const status = error instanceof TooManyValues ? 'RESOURCE_EXHAUSTED' : 'INTERNAL';
      throw new GrpcStatus(status, `a message is not ${this.#requestType.name}: ${error.message}`);
    }
  }

  /** Decodes a message, and reserves memory for its values, which may take 50 times its bytes. */
  #decode(content: Uint8Array): Req {
    const values = { count: 0 };
    const message = this.#requestType.decode(content, values);
    this.#reserve(content.length + values.count * VALUE_MEMORY);
    return message;
  }

  /** Decodes or encodes a message, one at a time if the last request was large: either may take 65 ms then. */
  #inTurn<T>(job: () => T): T | Promise<T> {
    return this.#isLarge ? serialize(this.request, job) : job();
  }

  #headLines(): string[] {
    const coding = this.#acceptsGzip ? ['grpc-encoding', 'gzip'] : [];
    return [
      'content-type',
      this.#flavor.contentType,
      ...coding,
      ...ACCEPTED,
      ...writeMetadata(this.#headers),
    ];
  }

  #push(frame: Buffer): void {
    const piece = this.#flavor.isText ? frame.toString('base64') : frame;
    this.#queue.push(piece);
    this.#queued += piece.length + OVERHEAD;
    this.#due.wake();
  }

  /** The next piece that is due, as in `TimedStream`. */
  #next(size: number): Uint8Array | string | null | undefined {
    const [first] = this.#queue;
    if (first === undefined) return this.#isOver ? undefined : null;
    if (first.length > size) {
      this.#queue[0] = typeof first === 'string' ? first.slice(size) : first.subarray(size);
      this.#queued -= size;
    } else {
      this.#queue.shift();
      this.#queued -= first.length + OVERHEAD;
    }
    if (this.#queued <= QUEUE) this.#room.wake();
    if (first.length <= size) return first;
    return typeof first === 'string' ? first.slice(0, size) : first.subarray(0, size);
  }

  /** Reserves memory for the largest message so far. @throws Problem overloaded */
  #reserve(bytes: number): void {
    if (bytes <= Math.max(this.#reserved, MIN_COUNTED_SIZE)) return;
    this.request.reserve?.(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  #failed(error: unknown): void {
    if (this.#isOver) {
      if (!isDisconnect(error) && !(error instanceof GrpcStatus)) this.request.failed(error);
    } else if (error instanceof GrpcStatus) this.#end(error);
    else if (error instanceof Problem) this.#end(statusOf(error));
    else {
      this.#close();
      if (this.#hasHeaders) this.request.failed(error);
      else this.#reject(error);
    }
  }

  /** Ends the call: trailers after all messages, or in place of them. */
  #end(status: GrpcStatus): void {
    if (this.#isOver) return;
    const { request } = this;
    if (request.call) request.call.status = status.code;
    const lines = trailerFields(status, this.#trailers);
    if (this.#flavor.isWeb) {
      this.sendHeaders();
      this.#push(frameTrailers(lines));
    } else if (this.#hasHeaders || this.#queue.length > 0) {
      this.#trailerLines.push(...lines);
      this.sendHeaders();
    } else {
      this.#hasHeaders = true;
      this.#resolve({ status: 200, fields: [...this.#headLines(), ...lines], payload: undefined });
    }
    // The client may still be sending, for as long as it likes (RFC 9113 8.1).
    if (!this.#incoming.hasEnded && request.stream) request.endWithResponse('stop');
    this.#close();
  }

  /** Ends the call without a status. */
  #disconnected(): void {
    if (this.#isOver) return;
    this.#queue.length = 0;
    this.#close();
    this.#reject(REQUEST_ABORTED);
  }

  #close(): void {
    this.#isOver = true;
    this.request.isProgressing = undefined;
    clearTimeout(this.#timer);
    this.#abort?.abort(REQUEST_ABORTED);
    this.#incoming.fail(REQUEST_ABORTED);
    this.#due.wake();
    this.#room.wake();
  }
}
