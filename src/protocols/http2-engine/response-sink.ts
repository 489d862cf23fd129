import { trailersOf, type Payload } from '../../server/payload.ts';
import type { Sink } from '../../server/pump.ts';
import type { Http2Connection } from '../../wire/http2/connection.ts';
import type { Http2Stream } from '../../wire/http2/stream.ts';
import type { Output, Written } from './output.ts';
import { trailerSection } from './response-section.ts';

type Sent = (error?: Error | null) => void;

/** Sends the content of a response in DATA frames, and its trailers. */
export class ResponseSink<Owner = unknown> implements Sink {
  readonly #http2: Http2Connection<Owner>;
  readonly #stream: Http2Stream<Owner>;
  readonly #output: Output;
  readonly #response: { responseEnded(): void };
  /** Called when what waits for flow control has been sent. */
  #sents: Sent[] = [];
  #payload: Payload = '';
  #isEnded = false;

  /** @param response told when its end is in the output */
  constructor(
    http2: Http2Connection<Owner>,
    stream: Http2Stream<Owner>,
    output: Output,
    response: { responseEnded(): void },
  ) {
    this.#http2 = http2;
    this.#stream = stream;
    this.#output = output;
    this.#response = response;
  }

  get destroyed(): boolean {
    return this.#isEnded || !this.#stream.isSendable;
  }

  /** Ends with the trailers of this payload, which are read then. */
  trailersOf(payload: Payload): this {
    this.#payload = payload;
    return this;
  }

  write(piece: string | Uint8Array, _encoding?: 'latin1', sent?: Sent): void {
    if (this.destroyed) return;
    if (sent) this.#sents.push(sent);
    if (this.#http2.send(this.#stream, piece, false)) this.onSent();
    this.#output.schedule();
  }

  end(piece: string | Uint8Array = '', given?: Sent | 'latin1'): void {
    if (this.destroyed) return;
    const trailers = trailersOf(this.#payload);
    const section = trailers && trailerSection(trailers);
    this.#isEnded = true;
    if (typeof given === 'function') this.#sents.push(given);
    const isSent = this.#http2.send(this.#stream, piece, section === undefined);
    if (section) this.#http2.sendTrailers(this.#stream, section);
    if (isSent) this.onSent();
    this.#output.schedule();
  }

  /** Call when the connection has sent all that it was given. */
  onSent(): void {
    if (this.#sents.length > 0) {
      this.#output.whenWritten(new Callbacks(this.#sents));
      this.#sents = [];
    }
    if (this.#isEnded) this.#response.responseEnded();
  }
}

/** The callbacks of pieces that were sent together. */
class Callbacks implements Written {
  readonly #calls: readonly Sent[];

  constructor(calls: readonly Sent[]) {
    this.#calls = calls;
  }

  onWritten(isSent: boolean): void {
    if (isSent) for (const call of this.#calls) call();
  }
}
