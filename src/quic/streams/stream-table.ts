import type { StreamDirection } from '../../wire/quic/frames.ts';
import type { Role } from '../../wire/quic/names.ts';
import { violation, type Violation } from '../../wire/quic/violation.ts';
import { OwnLimit, PeerLimit } from './flow-control.ts';
import { RangeSet } from '../range-set.ts';
import { SmallPieces } from './receive-buffer.ts';
import { ReceivingPart } from './receiving-part.ts';
import { SendingPart } from './sending-part.ts';
import { directionOf, indexOf, initiatorOf, QuicStream, streamId } from './stream.ts';

/** The limits that one side sets in its transport parameters (RFC 9000 18.2). */
export interface InitialLimits {
  readonly initialMaxData: number;
  readonly initialMaxStreamDataBidiLocal: number;
  readonly initialMaxStreamDataBidiRemote: number;
  readonly initialMaxStreamDataUni: number;
  readonly initialMaxStreamsBidi: number;
  readonly initialMaxStreamsUni: number;
}

const NO_LIMITS: InitialLimits = {
  initialMaxData: 0,
  initialMaxStreamDataBidiLocal: 0,
  initialMaxStreamDataBidiRemote: 0,
  initialMaxStreamDataUni: 0,
  initialMaxStreamsBidi: 0,
  initialMaxStreamsUni: 0,
};

/** The part of a stream that a frame is for. */
export type Part = 'sending' | 'receiving';

/** Numbers and limits of the streams of one direction (RFC 9000 4.6). */
interface StreamCount {
  /** Streams that the peer may open. Closed ones are consumed. */
  readonly own: OwnLimit;
  /** Streams that may be opened here. */
  readonly peer: PeerLimit;
  /** Whether the last call of `open` was refused. */
  isWanted: boolean;
  /** Streams that the peer has opened, closed ones included. */
  opened: number;
  /** Indices of those of them that are open only because a higher one is: no frame has arrived for them (RFC 9000 3.2). */
  readonly untouched: RangeSet;
}

/** The streams of a connection by id (RFC 9000 2.1), and the limits of all of them. Closed streams take no memory. */
export class StreamTable {
  /** Bytes that may be sent on all streams. */
  readonly sendLimit = new PeerLimit();
  /** Bytes that the peer may send on all streams. */
  readonly receiveLimit: OwnLimit;
  readonly counts: Readonly<Record<StreamDirection, StreamCount>>;
  readonly #role: Role;
  readonly #own: InitialLimits;
  #peer = NO_LIMITS;
  readonly #small = new SmallPieces();
  readonly #open = new Map<number, QuicStream>();

  constructor(role: Role, own: InitialLimits) {
    this.#role = role;
    this.#own = own;
    this.receiveLimit = new OwnLimit(own.initialMaxData);
    this.counts = {
      bidi: streamCount(own.initialMaxStreamsBidi),
      uni: streamCount(own.initialMaxStreamsUni),
    };
  }

  /** Number of streams in memory. */
  get size(): number {
    return this.#open.size;
  }

  /** Applies the peer's transport parameters. Before, no stream can be opened. */
  usePeerLimits(peer: InitialLimits): void {
    this.#peer = peer;
    this.sendLimit.raise(peer.initialMaxData);
    this.counts.bidi.peer.raise(peer.initialMaxStreamsBidi);
    this.counts.uni.peer.raise(peer.initialMaxStreamsUni);
  }

  get(id: number): QuicStream | undefined {
    return this.#open.get(id);
  }

  /** Opens a stream. @returns undefined if the peer allows no more of them */
  open(direction: StreamDirection): QuicStream | undefined {
    const count = this.counts[direction];
    count.isWanted = count.peer.left <= 0;
    if (count.isWanted) return undefined;
    const id = streamId(this.#role, direction, count.peer.used);
    count.peer.use(1);
    return this.#add(id);
  }

  /**
   * Finds the stream of a received frame, or opens it.
   *
   * @param part the one that the frame is for
   * @param section that defines the frame
   * @returns undefined if the stream is closed: the frame is ignored
   */
  find(id: number, part: Part, section: string): QuicStream | Violation | undefined {
    const found = this.#open.get(id);
    if (found?.[part]) return found;
    const isOwn = initiatorOf(id) === this.#role;
    const direction = directionOf(id);
    if (direction === 'uni' && isOwn === (part === 'receiving')) {
      return stateError(section, `a frame for the ${part} part of stream ${id}, which has none`);
    }
    const index = indexOf(id);
    const count = this.counts[direction];
    if (!isOwn) return this.#findOfPeer(id, index, count);
    if (index < count.peer.used) return undefined;
    return stateError(section, `a frame on stream ${id}, which was not opened here`);
  }

  /** Forgets a closed stream. @returns false if that was done before */
  remove({ id }: QuicStream): boolean {
    if (!this.#open.delete(id)) return false;
    if (initiatorOf(id) !== this.#role) this.counts[directionOf(id)].own.consume(1);
    return true;
  }

  #findOfPeer(id: number, index: number, count: StreamCount): QuicStream | Violation | undefined {
    const more = index + 1 - count.opened;
    if (more > 0) {
      if (!count.own.receive(more)) {
        const reason = `stream ${id} above the limit of ${count.own.limit} streams`;
        return violation('RFC 9000 4.6', reason, 'STREAM_LIMIT_ERROR');
      }
      count.untouched.add(count.opened, index);
      count.opened = index + 1;
      return this.#add(id);
    }
    if (!count.untouched.has(index)) return undefined;
    count.untouched.remove(index, index + 1);
    return this.#add(id);
  }

  #add(id: number): QuicStream {
    const isOwn = initiatorOf(id) === this.#role;
    const isBidi = directionOf(id) === 'bidi';
    const stream = new QuicStream(
      id,
      isBidi || isOwn ? this.#sendingPart(isBidi, isOwn) : undefined,
      isBidi || !isOwn ? this.#receivingPart(isBidi, isOwn) : undefined,
    );
    this.#open.set(id, stream);
    return stream;
  }

  #sendingPart(isBidi: boolean, isOwn: boolean): SendingPart {
    const peer = this.#peer;
    // Local is what the sender of the parameter opens.
    const bidi = isOwn ? peer.initialMaxStreamDataBidiRemote : peer.initialMaxStreamDataBidiLocal;
    return new SendingPart(
      new PeerLimit(isBidi ? bidi : peer.initialMaxStreamDataUni),
      this.sendLimit,
    );
  }

  #receivingPart(isBidi: boolean, isOwn: boolean): ReceivingPart {
    const own = this.#own;
    const bidi = isOwn ? own.initialMaxStreamDataBidiLocal : own.initialMaxStreamDataBidiRemote;
    const limit = new OwnLimit(isBidi ? bidi : own.initialMaxStreamDataUni);
    return new ReceivingPart(limit, { limit: this.receiveLimit, small: this.#small });
  }
}

const streamCount = (limit: number): StreamCount => ({
  own: new OwnLimit(limit),
  peer: new PeerLimit(),
  isWanted: false,
  opened: 0,
  untouched: new RangeSet(),
});

const stateError = (section: string, reason: string): Violation =>
  violation(section, reason, 'STREAM_STATE_ERROR');
