import { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import { ExchangeState, REQUEST_ABORTED, type Exchange } from '../server/exchange.ts';
import { isDisconnect, respondToError } from '../server/failure.ts';
import {
  responsePhaseAfter,
  type ResponsePhase,
  type ResponseStep,
} from '../server/response-phase.ts';

/** A request and its response on any protocol: the response begins once, may fail once, and its work may be aborted. */
export abstract class ProtocolExchange<
  Carrier extends Connection = Connection,
> extends ExchangeState {
  readonly connection: Carrier;
  readonly requestNumber: number;
  /** Whether the client may be waiting for 100 (Continue). */
  protected awaitsContinue = false;
  #response: ResponsePhase = 'none';
  #abort: AbortController | undefined;

  constructor(connection: Carrier) {
    super();
    this.connection = connection;
    this.requestNumber = connection.requests.nextNumber();
  }

  /** Whether nothing of a response can reach the client. */
  protected abstract readonly isGone: boolean;

  /** Cuts off the response, which has begun. */
  protected abstract breakOff(): void;

  protected abstract reportError(error: unknown): void;

  /** @returns whether the interim response was sent */
  protected abstract sendInterim(status: number, fields: readonly string[]): boolean;

  abstract respond(...response: Parameters<Exchange['respond']>): void;

  protected get response(): ResponsePhase {
    return this.#response;
  }

  protected advance(step: ResponseStep): void {
    this.#response = responsePhaseAfter(this.#response, step);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.isAborted) this.#abort.abort(REQUEST_ABORTED);
    return this.#abort.signal;
  }

  get isAborted(): boolean {
    return this.isFinished || this.#abort?.signal.aborted === true;
  }

  protected abortWork(): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(REQUEST_ABORTED);
  }

  /** Ends work that is still waiting, such as a pause in reading content that turned out to be malformed. */
  override finish(): void {
    super.finish();
    this.#abort?.abort(REQUEST_ABORTED);
  }

  sendContinueIfExpected(): void {
    if (this.awaitsContinue) this.sendInformation(100);
  }

  sendInformation(status: number, fields: readonly string[] = []): boolean {
    if (this.#response !== 'none' || !this.sendInterim(status, fields)) return false;
    if (status === 100) this.awaitsContinue = false;
    return true;
  }

  failed(error: unknown): void {
    if (this.#response === 'failed' || (this.isAborted && isDisconnect(error))) return;
    const hasBegun = this.#response !== 'none';
    // A Problem after the header section is an internal error, because it cannot become a response.
    if (hasBegun || !(error instanceof Problem)) this.reportError(error);
    if (hasBegun) this.breakOff();
    else respondToError(this, error);
    this.advance('fail');
  }

  /** Whether a response can begin. A second response is an internal error, and cuts off the first. */
  protected mayRespond(): boolean {
    if (this.isGone || this.#response === 'failed') return false;
    if (this.#response !== 'none') {
      this.reportError(new Error('a request has a second response'));
      this.breakOff();
    }
    // A request behind the last response of HTTP/1.x is finished without one.
    return this.#response === 'none' && !this.isFinished;
  }
}
