import { leadsTo, type Violation } from '../../wire/http2/violation.ts';
import type { ErrorFrame, Frame } from './frames.ts';
import type { StreamStore } from './stream-store.ts';
import type { Stream } from './stream.ts';

/** A violation, and the frame with which it became known. */
interface ClientError {
  readonly violation: Violation;
  readonly frame: ErrorFrame;
}

const MAX_ERRORS = 8;

/**
 * The client's errors that end the connection. What they are expected to end is noted with each; what they did end is known
 * from the server's frames.
 */
export class ClientErrors {
  /** In the order in which they were noted. Further ones than the first 8 are not kept. */
  readonly #ofConnection: ClientError[] = [];
  /** The last error that should end only its stream. */
  #ofStream: ClientError | undefined;

  get first(): ClientError | undefined {
    return this.#ofConnection[0];
  }

  /** The frame of the first error, or of the one with the given reason: the server may not have shown yet what errors ended. */
  frameOf(reason: string | undefined): ErrorFrame | undefined {
    const known = this.#ofConnection.find(({ violation }) => violation.reason === reason);
    return (known ?? this.first)?.frame;
  }

  note(violation: Violation, { stream, offset, payload, raw }: Frame): void {
    const error = { violation, frame: { stream, offset, payload, raw } };
    if (violation.scope === 'stream') this.#ofStream = error;
    else if (this.#ofConnection.length < MAX_ERRORS) this.#ofConnection.push(error);
  }

  /**
   * Call with each RST_STREAM of the server. Errors for which it reset the stream have not ended the connection.
   *
   * @param stream undefined if it is no longer kept
   */
  onReset(id: number, code: string, stream: Stream | undefined): void {
    const errors = this.#ofConnection.filter(
      ({ violation, frame }) => frame.stream !== id || !leadsTo(violation, code),
    );
    this.#ofConnection.splice(0, Infinity, ...errors);
    if (this.#ofStream?.frame.stream === id) this.#ofStream = undefined;
    stream?.setScope('stream', code);
  }

  /** Call with each GOAWAY of the server. An error of a stream with its code has ended the connection, if no other has. */
  onGoaway(code: string, streams: Readonly<StreamStore>): void {
    const error = this.#ofStream;
    if (this.first || error?.violation.code !== code) return;
    this.#ofConnection.push({ ...error, violation: { ...error.violation, scope: 'connection' } });
    streams.get(error.frame.stream)?.setScope('connection', code);
  }
}
