import { streamOverhead } from '../../wire/quic/frame-writer.ts';
import type { StreamDirection } from '../../wire/quic/frames.ts';
import type { QuicStream } from './stream.ts';
import type {
  AnyStreamFrame,
  FrameOnStream,
  ResetStreamFrame,
  StopSendingFrame,
  StreamFrame,
} from './stream-frames.ts';
import type { StreamTable } from './stream-table.ts';

/** Bytes of the longest frame without data: RESET_STREAM with three integers of eight bytes. */
const MAX_CONTROL_LENGTH = 25;

const DIRECTIONS = ['bidi', 'uni'] as const;

/** The streams with something to send: the most urgent ones first, those of the same urgency in turn (RFC 9218 10). */
class SendSchedule {
  /** By urgency. */
  readonly #ready: readonly Set<QuicStream>[] = Array.from({ length: 8 }, () => new Set());
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Adds a stream after all others of its urgency, or removes it. A stream that is already in keeps its turn. */
  set(stream: QuicStream, isReady: boolean): void {
    const streams = this.#ready[stream.urgency];
    if (!streams || streams.has(stream) === isReady) return;
    if (isReady) streams.add(stream);
    else streams.delete(stream);
    this.#size += isReady ? 1 : -1;
  }

  /** The stream whose turn it is. */
  first(): QuicStream | undefined {
    for (const streams of this.#ready) {
      if (streams.size > 0) return streams.values().next().value;
    }
    return undefined;
  }

  /** Ends the turn of a stream. */
  rotate(stream: QuicStream): void {
    const streams = this.#ready[stream.urgency];
    if (streams?.delete(stream)) streams.add(stream);
  }
}

/** Decides which frame about streams is sent next: resets and limits, then lost data, then new data. */
export class StreamOutput {
  readonly #table: StreamTable;
  /** Called when all that was written on a stream has been sent. It may write more. */
  readonly #onSent: (stream: QuicStream) => void;
  readonly #frames: (ResetStreamFrame | StopSendingFrame)[] = [];
  /** Streams with MAX_STREAM_DATA or STREAM_DATA_BLOCKED to send. */
  readonly #limits = new Set<QuicStream>();
  /** Streams with data that needs no credit of the connection. */
  readonly #resend = new SendSchedule();
  readonly #fresh = new SendSchedule();

  constructor(table: StreamTable, onSent: (stream: QuicStream) => void) {
    this.#table = table;
    this.#onSent = onSent;
  }

  /** Whether `take` gives a frame if there is room. */
  get hasFrames(): boolean {
    return (
      this.#frames.length > 0 ||
      this.#limits.size > 0 ||
      !this.#resend.isEmpty ||
      (!this.#fresh.isEmpty &&
        (this.#table.sendLimit.left > 0 || this.#table.sendLimit.isBlocked)) ||
      this.#table.receiveLimit.isDue ||
      DIRECTIONS.some((direction) => this.#isCountDue(direction))
    );
  }

  /** Sends a frame before all others. */
  push(frame: ResetStreamFrame | StopSendingFrame): void {
    this.#frames.push(frame);
  }

  /** After a stream has changed, updates what it has to send. */
  update(stream: QuicStream): void {
    const { sending, receiving } = stream;
    if (receiving?.needsLimit || sending?.isBlocked) this.#limits.add(stream);
    else this.#limits.delete(stream);
    this.#resend.set(stream, sending?.needsNoCredit ?? false);
    this.#fresh.set(stream, sending?.hasNewData ?? false);
  }

  /** Changes the urgency of a stream (RFC 9218 4.1). @param urgency from 0, sent first, to 7 */
  prioritize(stream: QuicStream, urgency: number): void {
    this.#resend.set(stream, false);
    this.#fresh.set(stream, false);
    stream.urgency = urgency;
    this.update(stream);
  }

  /** Takes the next frame. @param room in bytes */
  take(room: number): AnyStreamFrame | undefined {
    const control =
      room < MAX_CONTROL_LENGTH
        ? undefined
        : (this.#frames.shift() ?? this.#takeLimit() ?? this.#takeStreamLimit());
    return control ?? this.#takeData(room);
  }

  /** Sends the content of a lost frame again, unless it is obsolete (RFC 9000 13.3). */
  lose(frame: AnyStreamFrame): void {
    const { receiveLimit, sendLimit, counts } = this.#table;
    switch (frame.kind) {
      case 'max-data':
        return receiveLimit.lose(frame.maximum);
      case 'data-blocked':
        return sendLimit.loseBlocked(frame.maximum);
      case 'max-streams':
        return counts[frame.direction].own.lose(frame.maximum);
      case 'streams-blocked':
        return counts[frame.direction].peer.loseBlocked(frame.maximum);
      case 'stream':
      case 'reset-stream':
      case 'stop-sending':
      case 'max-stream-data':
      case 'stream-data-blocked': {
        const stream = this.#table.get(frame.stream);
        if (stream) this.#loseOn(stream, frame);
      }
    }
  }

  #loseOn(stream: QuicStream, frame: FrameOnStream): void {
    const { sending, receiving } = stream;
    switch (frame.kind) {
      case 'stream':
        sending?.lose(frame);
        break;
      case 'reset-stream':
        if (!sending?.isClosed) this.push(frame);
        break;
      case 'stop-sending':
        if (receiving?.state === 'receive') this.push(frame);
        break;
      case 'max-stream-data':
        receiving?.limit.lose(frame.maximum);
        break;
      case 'stream-data-blocked':
        sending?.limit.loseBlocked(frame.maximum);
    }
    this.update(stream);
  }

  #isCountDue(direction: StreamDirection): boolean {
    const { own, peer, isWanted } = this.#table.counts[direction];
    return own.isDue || (isWanted && peer.isBlocked);
  }

  /** The next frame about a limit of the connection. */
  #takeLimit(): AnyStreamFrame | undefined {
    const { receiveLimit, sendLimit, counts } = this.#table;
    if (receiveLimit.isDue) return { kind: 'max-data', maximum: receiveLimit.announce() };
    for (const direction of DIRECTIONS) {
      const { own, peer, isWanted } = counts[direction];
      if (own.isDue) return { kind: 'max-streams', direction, maximum: own.announce() };
      if (isWanted && peer.isBlocked) {
        return { kind: 'streams-blocked', direction, maximum: peer.announceBlocked() };
      }
    }
    if (this.#fresh.isEmpty || !sendLimit.isBlocked) return undefined;
    return { kind: 'data-blocked', maximum: sendLimit.announceBlocked() };
  }

  /** The next frame about a limit of a stream. */
  #takeStreamLimit(): AnyStreamFrame | undefined {
    for (const stream of this.#limits) {
      const { id, sending, receiving } = stream;
      const frame: AnyStreamFrame | undefined = receiving?.needsLimit
        ? { kind: 'max-stream-data', stream: id, maximum: receiving.limit.announce() }
        : sending && {
            kind: 'stream-data-blocked',
            stream: id,
            maximum: sending.announceBlocked(),
          };
      this.update(stream);
      return frame;
    }
    return undefined;
  }

  #takeData(room: number): StreamFrame | undefined {
    const hasCredit = this.#table.sendLimit.left > 0;
    const schedule = this.#resend.isEmpty && hasCredit ? this.#fresh : this.#resend;
    const stream = schedule.first();
    if (!stream?.sending) return undefined;
    const { id, sending } = stream;
    const overhead = streamOverhead(id, sending.nextOffset, room);
    const taken = room > overhead ? sending.take(room - overhead) : undefined;
    if (!taken) return undefined;
    schedule.rotate(stream);
    this.update(stream);
    if (sending.waiting === 0 && taken.data.length > 0 && !taken.isLast) this.#onSent(stream);
    return { kind: 'stream', stream: id, ...taken };
  }
}
