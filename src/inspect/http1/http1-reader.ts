import { isInterim, responseFraming, statusOf } from '../../wire/http1/framing.ts';
import { parseSection, type RawField } from '../../wire/http1/section.ts';
import {
  parseRequestHead,
  parseResponseHead,
  startLineOffset,
  type RawHead,
  type RawRequestLine,
  type RawStatusLine,
} from '../../wire/http1/start-line.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { ProtocolReader } from '../protocol-reader.ts';
import { Http1Direction } from './direction.ts';
import { ResponseDirection } from './response-direction.ts';
import type { RequestTap } from '../../net/inspector.ts';
import type { Draft, Http1Limits, RawMessage } from './message.ts';

/** Where and why wirebin refused what the client sent. */
export interface Stop {
  /** Offset of the refused byte from the beginning of the direction. */
  readonly offset: number;
  readonly reason: string;
}

interface MessageTrace<Line> {
  readonly message: RawMessage;
  readonly head: RawHead<Line>;
  /** Trailer fields; undefined without any. */
  readonly trailers: readonly RawField[] | undefined;
}

export type ResponseTrace = MessageTrace<RawStatusLine>;

export interface RequestTrace extends MessageTrace<RawRequestLine> {
  /** Offset in this message of the byte that was refused; undefined if it is not in this message. */
  readonly stoppedAt: number | undefined;
  /** Interim responses (1xx) and the final one. */
  readonly responses: readonly ResponseTrace[];
}

/** Maximum bytes of a head that is kept for comparison with the next one. */
const MAX_REPEATED = 4096;

/** Keeps the messages of both directions of an HTTP/1.x connection, and pairs requests and responses. */
export class Http1Reader implements ProtocolReader {
  readonly #requests: Readonly<Http1Direction>;
  readonly #responses: Readonly<ResponseDirection>;
  /** Methods of requests whose final response is not complete; empty if framing does not depend on them. */
  readonly #methods: string[] = [];
  /** The newest request head of at most `MAX_REPEATED` bytes, which the next request may repeat. */
  #repeated: { readonly head: RawText; readonly method: string } | undefined;
  /** Number of requests with a complete final response. */
  #responded = 0;
  /** Number of requests that began before all earlier responses were complete. */
  #pipelined = 0;
  /** Maximum of `ahead` over all requests. */
  #maxAhead = 0;

  constructor(limits: Http1Limits) {
    this.#requests = new Http1Direction(limits, {
      onStart: (request) => this.#onRequest(request),
      onHead: (request) => this.#onRequestHead(request),
    });
    this.#responses = new ResponseDirection(
      limits,
      {
        onStart: (response) => this.#onResponse(response),
        onEnd: (response) => this.#onResponseEnd(response),
      },
      (head) => responseFraming(head, this.#methods[0] ?? ''),
    );
  }

  /** Receives the requests as the connection reads them. */
  get requestTap(): RequestTap {
    return this.#requests;
  }

  // The connection reads the requests, and passes them to `requestTap`.
  received(): void {}

  sent(bytes: Buffer, time: number): void {
    this.#responses.push(bytes, time);
  }

  /** Call when the server has ended its direction, which completes a response without a length. */
  sentEnd(time: number): void {
    this.#responses.end(time);
  }

  /** Call when the connection has closed. */
  release(): void {
    this.#requests.release();
  }

  get bytesKept(): number {
    return this.#requests.bytesKept + this.#responses.bytesKept;
  }

  /** The newest requests, oldest first. The last one may be incomplete. */
  get requests(): readonly RawMessage[] {
    return this.#requests.messages;
  }

  /** The newest responses, oldest first, including interim responses. */
  get responses(): readonly RawMessage[] {
    return this.#responses.messages;
  }

  /** @param number from 1; undefined if the request does not exist, or is no longer kept */
  request(number: number): RequestTrace | undefined {
    const message = this.#requests.message(number);
    if (!message) return undefined;
    const stoppedAt = this.#stop && this.#stop.offset - message.offset;
    return {
      ...traceOf(message, parseRequestHead),
      stoppedAt:
        stoppedAt !== undefined && stoppedAt >= 0 && stoppedAt < (message.length ?? Infinity)
          ? stoppedAt
          : undefined,
      responses: this.#responsesTo(number).map((each) => traceOf(each, parseResponseHead)),
    };
  }

  /** The responses to a request, oldest first. Searches backwards, because responses are in the order of requests. */
  #responsesTo(request: number): readonly RawMessage[] {
    const found: RawMessage[] = [];
    const responses = this.#responses;
    for (let number = responses.count; number > responses.leftOut; number--) {
      const response = responses.message(number);
      if (response?.request === request) found.push(response);
      else if (response?.request !== undefined && response.request < request) break;
    }
    return found.toReversed();
  }

  get summary() {
    return {
      requests: directionSummary(this.#requests),
      responses: directionSummary(this.#responses),
      stop: this.#stop,
      pipelined: this.#pipelined,
      maxAhead: this.#maxAhead,
    };
  }

  get #stop(): Stop | undefined {
    const { rest } = this.#requests;
    return rest?.kind === 'confused' ? { offset: rest.byte, reason: rest.reason ?? '' } : undefined;
  }

  #onRequest(request: Draft): void {
    request.ahead = Math.max(0, request.number - 1 - this.#responded);
    if (request.ahead > 0) this.#pipelined++;
    if (request.ahead > this.#maxAhead) this.#maxAhead = request.ahead;
  }

  #onRequestHead(request: Draft): void {
    const { head, number } = request;
    // A client often repeats its head. The text is then kept only once.
    const known = head.text === this.#repeated?.head.text ? this.#repeated : undefined;
    const method = known?.method ?? framingMethod(head.text);
    if (known) request.head = known.head;
    else if (head.length <= MAX_REPEATED) this.#repeated = { head, method };
    // A response that refuses a head may be complete before the head is. Its method is then not needed.
    if (number > this.#responded) this.#methods.push(method);
  }

  #onResponse(response: Draft): void {
    if (this.#requests.count > this.#responded) response.request = this.#responded + 1;
  }

  #onResponseEnd({ head, request }: RawMessage): void {
    if (request === undefined || isInterim(statusOf(head.text))) return;
    this.#responded++;
    this.#methods.shift();
  }
}

/** The method if it affects the framing of the response. A constant: a slice would retain the whole head. */
function framingMethod(text: string): 'CONNECT' | 'HEAD' | '' {
  const at = startLineOffset(text);
  if (text.startsWith('HEAD ', at)) return 'HEAD';
  return text.startsWith('CONNECT ', at) ? 'CONNECT' : '';
}

function traceOf<Line>(message: RawMessage, parse: (text: string) => RawHead<Line>) {
  return { message, head: parse(message.head.text), trailers: trailerFields(message) };
}

function trailerFields({ trailers }: RawMessage): readonly RawField[] | undefined {
  if (!trailers) return undefined;
  const { fields } = parseSection(trailers.text, 0, trailers.offset);
  return fields.length > 0 ? fields : undefined;
}

function directionSummary({ offset, count, leftOut, pending, rest }: Readonly<Http1Direction>) {
  return { bytes: offset, messages: count, leftOut, pending, rest };
}
