import {
  isInterim,
  requestFraming,
  responseFraming,
  statusOf,
  type Framing,
} from '../../wire/http1/framing.ts';
import { parseSection, type RawField } from '../../wire/http1/section.ts';
import {
  parseRequestHead,
  parseResponseHead,
  startLineOffset,
  type Head,
  type RawRequestLine,
  type RawStatusLine,
} from '../../wire/http1/start-line.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { ProtocolReader } from '../protocol-reader.ts';
import { Http1Direction } from './direction.ts';
import type { Draft, Http1Limits, RawMessage, Rest } from './message.ts';

/** Where Node's parser stopped reading requests, and why. */
export interface Stop {
  /** Of the byte, from the first one of the direction. */
  readonly offset: number;
  /** Of the error, such as `HPE_INVALID_HEADER_TOKEN`. */
  readonly code: string;
}

export interface RequestTrace {
  readonly message: RawMessage;
  readonly head: Head<RawRequestLine>;
  /** Undefined if there are none. */
  readonly trailers: readonly RawField[] | undefined;
  /** Where Node's parser stopped in this message, from its first byte; undefined if it stopped elsewhere, or not at all. */
  readonly stoppedAt: number | undefined;
  /** Whether Node's parser stopped before this message, so that it never became a request. */
  readonly isUnread: boolean;
  /** Interim responses (1xx) and the final one. */
  readonly responses: readonly ResponseTrace[];
}

export interface ResponseTrace {
  readonly message: RawMessage;
  readonly head: Head<RawStatusLine>;
  readonly trailers: readonly RawField[] | undefined;
}

/** One direction as a whole. */
export interface Http1DirectionSummary {
  readonly bytes: number;
  readonly messages: number;
  /** Messages that are no longer kept. */
  readonly leftOut: number;
  /** An incomplete chunk line, or empty lines after the last message. */
  readonly pending: RawText;
  /** Set if the reader could not find the next message. */
  readonly rest: Rest | undefined;
}

export interface Http1Summary {
  readonly requests: Http1DirectionSummary;
  readonly responses: Http1DirectionSummary;
  readonly stop: Stop | undefined;
  /** Requests that began before all earlier responses were complete. */
  readonly pipelined: number;
  /** The largest `ahead` of a request. */
  readonly maxAhead: number;
}

/** Bytes of a head that is compared with the next one. */
const MAX_REPEATED = 4096;

/** Reads both directions of an HTTP/1.x connection and pairs requests and responses. */
export class Http1Reader implements ProtocolReader {
  readonly #requests: Http1Direction;
  readonly #responses: Http1Direction;
  /** Of the requests that are complete up to their content and wait for a response. */
  readonly #methods: string[] = [];
  /** The newest short head of a request. */
  #repeated:
    | { readonly head: RawText; readonly framing: Framing; readonly method: string }
    | undefined;
  /** Requests whose final response is complete. */
  #responded = 0;
  #pipelined = 0;
  #maxAhead = 0;
  #stop: Stop | undefined;

  constructor(limits: Http1Limits) {
    this.#requests = new Http1Direction(limits, {
      onStart: (request) => this.#onRequest(request),
      framingOf: (request) => this.#requestFraming(request),
      onEnd: () => undefined,
    });
    this.#responses = new Http1Direction(limits, {
      onStart: (response) => this.#onResponse(response),
      framingOf: ({ head }) => responseFraming(head.text, this.#methods[0] ?? ''),
      onEnd: (response) => this.#onResponseEnd(response),
    });
  }

  /** Call with bytes of the client. @param time in milliseconds, of any clock */
  received(bytes: Buffer, time: number): void {
    this.#requests.push(bytes, time);
  }

  /** Call with bytes of the server. */
  sent(bytes: Buffer, time: number): void {
    this.#responses.push(bytes, time);
  }

  /** Call when the server has closed its side, which ends a response without a length. */
  sentEnd(time: number): void {
    this.#responses.end(time);
  }

  /** Call when Node's parser has refused the client's bytes. The first call counts. */
  stopped(stop: Stop): void {
    this.#stop ??= stop;
  }

  /** Memory that is held, in bytes. */
  get bytesKept(): number {
    return this.#requests.bytesKept + this.#responses.bytesKept;
  }

  /** The newest requests, in order; the last may be incomplete. */
  get requests(): readonly RawMessage[] {
    return this.#requests.messages;
  }

  /** The newest responses, in order, interim responses included. */
  get responses(): readonly RawMessage[] {
    return this.#responses.messages;
  }

  /** @param number from 1; undefined if there is no such request, or it is no longer kept */
  request(number: number): RequestTrace | undefined {
    const message = this.#requests.message(number);
    if (!message) return undefined;
    const stop = this.#stop;
    const stoppedAt = stop && stop.offset - message.offset;
    return {
      message,
      head: parseRequestHead(message.head.text),
      trailers: trailersOf(message),
      stoppedAt:
        stoppedAt !== undefined && stoppedAt >= 0 && stoppedAt < (message.length ?? Infinity)
          ? stoppedAt
          : undefined,
      isUnread: stoppedAt !== undefined && stoppedAt < 0,
      responses: this.#responsesTo(number).map((response) => ({
        message: response,
        head: parseResponseHead(response.head.text),
        trailers: trailersOf(response),
      })),
    };
  }

  /** In order. Responses come in the order of their requests, so that the newest are looked at first. */
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

  get summary(): Http1Summary {
    return {
      requests: summaryOf(this.#requests),
      responses: summaryOf(this.#responses),
      stop: this.#stop,
      pipelined: this.#pipelined,
      maxAhead: this.#maxAhead,
    };
  }

  #onRequest(request: Draft): void {
    request.ahead = Math.max(0, request.number - 1 - this.#responded);
    if (request.ahead > 0) this.#pipelined++;
    if (request.ahead > this.#maxAhead) this.#maxAhead = request.ahead;
  }

  #requestFraming(request: Draft): Framing {
    const { head, number } = request;
    // A client often repeats its head: one text is kept for all, and its framing is known.
    const { text } = head;
    const known = text === this.#repeated?.head.text ? this.#repeated : undefined;
    const framing = known?.framing ?? requestFraming(text);
    const method = known?.method ?? methodOf(text);
    if (known) request.head = known.head;
    else if (head.length <= MAX_REPEATED) this.#repeated = { head, framing, method };
    // A response can precede the end of the head that it refuses.
    if (number > this.#responded) this.#methods.push(method);
    return framing;
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

/** The methods on which the framing of the response depends; constants, since a slice keeps the head. */
function methodOf(text: string): 'CONNECT' | 'HEAD' | '' {
  const at = startLineOffset(text);
  if (text.startsWith('HEAD ', at)) return 'HEAD';
  return text.startsWith('CONNECT ', at) ? 'CONNECT' : '';
}

function trailersOf({ trailers }: RawMessage): readonly RawField[] | undefined {
  if (!trailers) return undefined;
  const { fields } = parseSection(trailers.text, 0, trailers.offset);
  return fields.length > 0 ? fields : undefined;
}

function summaryOf({
  offset,
  count,
  leftOut,
  pending,
  rest,
}: Http1Direction): Http1DirectionSummary {
  return { bytes: offset, messages: count, leftOut, pending, rest };
}
