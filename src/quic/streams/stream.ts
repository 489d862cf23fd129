import type { StreamDirection } from '../../wire/quic/frames.ts';
import type { Role } from '../../wire/quic/names.ts';
import type { ReceivingPart } from './receiving-part.ts';
import type { SendingPart } from './sending-part.ts';

/** The side that opens a stream: even ids are those of the client (RFC 9000 2.1). */
export const initiatorOf = (id: number): Role => (id % 2 === 0 ? 'client' : 'server');

export const directionOf = (id: number): StreamDirection => (id % 4 < 2 ? 'bidi' : 'uni');

/** The number of streams of the same type with lower ids. */
export const indexOf = (id: number): number => Math.floor(id / 4);

export const streamId = (initiator: Role, direction: StreamDirection, index: number): number =>
  4 * index + (direction === 'bidi' ? 0 : 2) + (initiator === 'client' ? 0 : 1);

/** The default urgency (RFC 9218 4.1). */
const DEFAULT_URGENCY = 3;

/** A stream (RFC 9000 2) with a sending part, a receiving part, or both. */
export class QuicStream {
  readonly id: number;
  /** undefined on a unidirectional stream of the peer. */
  readonly sending: SendingPart | undefined;
  /** undefined on an own unidirectional stream. */
  readonly receiving: ReceivingPart | undefined;
  /** From 0, sent first, to 7. */
  urgency = DEFAULT_URGENCY;

  constructor(id: number, sending: SendingPart | undefined, receiving: ReceivingPart | undefined) {
    this.id = id;
    this.sending = sending;
    this.receiving = receiving;
  }

  get isClosed(): boolean {
    return this.sending?.isClosed !== false && this.receiving?.isClosed !== false;
  }
}
