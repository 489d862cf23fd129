import type { StreamDirection } from '../../wire/quic/frames.ts';
import type { Role } from '../../wire/quic/names.ts';
import type { Violation } from '../../wire/quic/violation.ts';
import { QuicStream } from './stream.ts';
import type {
  AnyStreamFrame,
  ResetStreamFrame,
  StopSendingFrame,
  MaxStreamDataFrame,
  StreamFrame,
} from './stream-frames.ts';
import { StreamOutput } from './stream-output.ts';
import { StreamTable, type InitialLimits, type Part } from './stream-table.ts';

/** What happens on the streams of a connection. Methods may call those of `Streams`. */
export interface StreamEvents {
  /** The peer has opened a stream. Streams with lower ids follow when a frame for them arrives. */
  onStream(stream: QuicStream): void;
  /** There is something to read, or the stream has ended: `receiving.isClosed`. */
  onData(stream: QuicStream): void;
  /** RESET_STREAM was received. What was not read is dropped. */
  onReset(stream: QuicStream, code: number | bigint): void;
  /** STOP_SENDING was received, and RESET_STREAM is sent with the same code (RFC 9000 3.5). */
  onStopSending(stream: QuicStream, code: number | bigint): void;
  /** All that was written has been sent, without FIN. */
  onSent(stream: QuicStream): void;
  /** Both parts are closed. Nothing follows. */
  onClosed(stream: QuicStream): void;
  /** More streams may be opened. */
  onStreamLimit(direction: StreamDirection): void;
}

/** The streams of a connection (RFC 9000 2 to 4): takes received frames, and gives those to send. */
export class Streams {
  readonly #table: StreamTable;
  readonly #output: StreamOutput;
  readonly #events: StreamEvents;

  constructor(role: Role, own: InitialLimits, events: StreamEvents) {
    this.#table = new StreamTable(role, own);
    this.#output = new StreamOutput(this.#table, (stream) => events.onSent(stream));
    this.#events = events;
  }

  /** Whether `take` gives a frame if there is room. */
  get hasFrames(): boolean {
    return this.#output.hasFrames;
  }

  /** Number of streams in memory. */
  get size(): number {
    return this.#table.size;
  }

  /** An open stream that a frame was received on, or that was opened here. */
  get(id: number): QuicStream | undefined {
    return this.#table.get(id);
  }

  /** Applies the peer's transport parameters. Before, no stream can be opened. */
  usePeerLimits(limits: InitialLimits): void {
    this.#table.usePeerLimits(limits);
    if (limits.initialMaxStreamsBidi > 0) this.#events.onStreamLimit('bidi');
    if (limits.initialMaxStreamsUni > 0) this.#events.onStreamLimit('uni');
  }

  /** Opens a stream. @returns undefined if the peer allows no more now: `onStreamLimit` says when it does */
  open(direction: StreamDirection): QuicStream | undefined {
    return this.#table.open(direction);
  }

  /** Sends bytes, which must not change afterwards. @returns false if the sending part has ended or was reset */
  write(stream: QuicStream, bytes: Buffer, isLast: boolean): boolean {
    const isWritten = stream.sending?.write(bytes, isLast) ?? false;
    if (isWritten) this.#output.update(stream);
    return isWritten;
  }

  /** The next bytes in order; undefined if there are none yet. */
  read(stream: QuicStream): Buffer | undefined {
    const bytes = stream.receiving?.read();
    if (bytes) this.#update(stream);
    return bytes;
  }

  /** Ends the sending part at once by RESET_STREAM, unless all was acknowledged. */
  reset(stream: QuicStream, code: number | bigint): void {
    const { id, sending } = stream;
    if (!sending?.reset()) return;
    this.#output.push({ kind: 'reset-stream', stream: id, code, finalSize: sending.sent });
    this.#update(stream);
  }

  /** Drops what is received from now on, and asks the peer by STOP_SENDING to send no more. */
  stop(stream: QuicStream, code: number | bigint): void {
    if (stream.receiving?.stop())
      this.#output.push({ kind: 'stop-sending', stream: stream.id, code });
    this.#update(stream);
  }

  /** Changes the urgency of a stream (RFC 9218 4.1). @param urgency from 0, sent first, to 7 */
  prioritize(stream: QuicStream, urgency: number): void {
    this.#output.prioritize(stream, urgency);
  }

  /** Takes the next frame to send. Pass it to `acknowledge` or `lose` later. @param room in bytes */
  take(room: number): AnyStreamFrame | undefined {
    return this.#output.take(room);
  }

  /** Takes a received frame. @returns a violation, which ends the connection */
  receive(frame: AnyStreamFrame): Violation | undefined {
    switch (frame.kind) {
      case 'stream':
        return this.#receiveData(frame);
      case 'reset-stream':
        return this.#receiveReset(frame);
      case 'stop-sending':
        return this.#receiveStop(frame);
      case 'max-stream-data':
        return this.#receiveLimit(frame);
      case 'stream-data-blocked': {
        // Credit follows when data is read. But the frame opens the stream, which must have a receiving part.
        const stream = this.#find(frame.stream, 'receiving', 'RFC 9000 19.13');
        return stream instanceof QuicStream ? undefined : stream;
      }
      case 'max-data':
        this.#table.sendLimit.raise(frame.maximum);
        return undefined;
      case 'max-streams':
        if (this.#table.counts[frame.direction].peer.raise(frame.maximum)) {
          this.#events.onStreamLimit(frame.direction);
        }
        return undefined;
      case 'data-blocked':
      case 'streams-blocked':
        return undefined;
    }
  }

  /** Notes that a frame was acknowledged. */
  acknowledge(frame: AnyStreamFrame): void {
    if (frame.kind !== 'stream' && frame.kind !== 'reset-stream') return;
    const stream = this.#table.get(frame.stream);
    if (!stream) return;
    if (frame.kind === 'stream') stream.sending?.acknowledge(frame);
    else stream.sending?.acknowledgeReset();
    this.#update(stream);
  }

  /** Notes that a frame was lost: its content is sent again, unless it is obsolete (RFC 9000 13.3). */
  lose(frame: AnyStreamFrame): void {
    this.#output.lose(frame);
  }

  #receiveData(frame: StreamFrame): Violation | undefined {
    const stream = this.#find(frame.stream, 'receiving', 'RFC 9000 19.8');
    if (!(stream instanceof QuicStream)) return stream;
    const { receiving } = stream;
    if (!receiving) return undefined;
    const { isClosed } = receiving;
    const wrong = receiving.receive(frame);
    if (wrong) return wrong;
    const ends = receiving.isClosed && !isClosed && !receiving.isStopped;
    if (ends || receiving.isReadable) this.#events.onData(stream);
    this.#update(stream);
    return undefined;
  }

  #receiveReset({ stream: id, code, finalSize }: ResetStreamFrame): Violation | undefined {
    const stream = this.#find(id, 'receiving', 'RFC 9000 19.4');
    if (!(stream instanceof QuicStream)) return stream;
    const before = stream.receiving?.state;
    const wrong = stream.receiving?.reset(finalSize);
    if (wrong) return wrong;
    if (stream.receiving?.state !== before) this.#events.onReset(stream, code);
    this.#update(stream);
    return undefined;
  }

  #receiveStop({ stream: id, code }: StopSendingFrame): Violation | undefined {
    const stream = this.#find(id, 'sending', 'RFC 9000 19.5');
    if (!(stream instanceof QuicStream)) return stream;
    const before = stream.sending?.state;
    this.reset(stream, code);
    if (stream.sending?.state !== before) this.#events.onStopSending(stream, code);
    return undefined;
  }

  #receiveLimit({ stream: id, maximum }: MaxStreamDataFrame): Violation | undefined {
    const stream = this.#find(id, 'sending', 'RFC 9000 19.10');
    if (!(stream instanceof QuicStream)) return stream;
    if (stream.sending?.limit.raise(maximum)) this.#output.update(stream);
    return undefined;
  }

  /** Finds the stream of a received frame, or opens it. @returns undefined if it is closed */
  #find(id: number, part: Part, section: string): QuicStream | Violation | undefined {
    const { size } = this.#table;
    const stream = this.#table.find(id, part, section);
    if (this.#table.size > size && stream instanceof QuicStream) this.#events.onStream(stream);
    return stream;
  }

  /** Updates the output after a change of the stream, and removes the stream if it is closed. */
  #update(stream: QuicStream): void {
    this.#output.update(stream);
    if (stream.isClosed && this.#table.remove(stream)) this.#events.onClosed(stream);
  }
}
