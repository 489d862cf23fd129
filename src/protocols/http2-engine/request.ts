import type { Readable } from 'node:stream';
import type { FieldLines } from '../../http/fields.ts';
import type { Problem } from '../../http/problem.ts';
import type { Target } from '../../http/target.ts';
import type { Windows } from '../../server/request.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import type { RequestValidator } from '../../wire/http2/request-validator.ts';
import { StreamExchange, type StreamSession } from '../http2-shared/exchange.ts';
import { Content, Tunnel, type IncomingContent } from './content.ts';
import type { ReceivedHead, RequestHead } from './request-head.ts';

/** The session, as seen by its requests. */
export interface RequestOwner<Owner> extends StreamSession {
  windowsOf(stream: Http2Stream<Owner>): Windows | undefined;
  /** Returns the credit of a stream for content that was read. */
  returnCredit(stream: Http2Stream<Owner>, bytes: number): void;
}

const NO_FIELDS: FieldLines = [];

/** A request as received on a stream of an `Http2Connection`. */
export abstract class EngineRequest<
  Owner,
  Session extends RequestOwner<Owner>,
> extends StreamExchange<Session> {
  readonly hasBody: boolean;
  readonly receivedAt: number;
  target: Target | undefined;
  readonly native: Http2Stream<Owner>;
  /** Validates what follows the header section; undefined if nothing does. */
  readonly validator: RequestValidator | undefined;
  /** Since when the content has been arriving, or its time limit was renewed, from performance.now(). */
  arrivingSince: number;
  protected override errorCode = 0;
  readonly #head: RequestHead;
  #content: IncomingContent | undefined;

  constructor(
    native: Http2Stream<Owner>,
    { head, validator }: ReceivedHead,
    isComplete: boolean,
    session: Session,
    now: number,
  ) {
    super(session);
    this.native = native;
    this.#head = head;
    this.validator = validator;
    this.receivedAt = now;
    this.arrivingSince = now;
    this.target = head.target;
    this.hasBody = !isComplete;
    const isConnect = head.method === 'CONNECT';
    if (this.hasBody || isConnect) {
      const returnCredit = (bytes: number): void => session.returnCredit(native, bytes);
      this.#content = isConnect ? new Tunnel(returnCredit) : new Content(returnCredit);
      if (isComplete) this.#content.finish(NO_FIELDS);
    }
  }

  get method(): string {
    return this.#head.method;
  }

  get rawTarget(): string {
    return this.#head.rawTarget;
  }

  get fields(): FieldLines {
    return this.#head.fields;
  }

  get repeatedSection(): object | undefined {
    return this.#head.isRepeated ? this.#head : undefined;
  }

  protected override get id(): number {
    return this.native.id;
  }

  protected override windows(): Windows | undefined {
    return this.session.windowsOf(this.native);
  }

  get body(): Readable {
    if (!this.#content) {
      this.#content = new Content(() => undefined);
      this.#content.finish(NO_FIELDS);
    }
    return this.#content;
  }

  /** The content. Without any, an empty stream is created when `body` is first read; until then undefined. */
  protected get content(): IncomingContent | undefined {
    return this.#content;
  }

  get trailers(): FieldLines {
    return this.#content?.trailers ?? NO_FIELDS;
  }

  get isReceived(): boolean {
    return !this.hasBody || this.#content?.isComplete === true;
  }

  /** Call with content of the request. */
  received(piece: Buffer): void {
    this.#content?.add(piece);
  }

  /** Call when the client has ended the stream. @param trailers undefined without any */
  receivedAll(trailers: FieldLines | undefined): void {
    this.#content?.finish(trailers ?? NO_FIELDS);
  }

  discardUnread(): void {
    // The content of CONNECT waits for the response, because it may be WebSocket frames.
    if (this.method !== 'CONNECT') this.discard();
  }

  /** Discards the content unless something reads it: the stream would otherwise stay half-closed. */
  protected override discard(): void {
    if (this.#content?.readableFlowing === null) this.#content.resume();
  }

  /** Fails the reading of the content, if something reads it. */
  protected failContent(problem: Problem): void {
    const content = this.#content;
    // Without a listener, `error` would become an uncaught exception.
    if (content && content.listenerCount('error') > 0) content.emit('error', problem);
  }
}
