import type { FieldLines } from '../../http/fields.ts';
import type { Content } from './frame-output.ts';
import { ReceiveWindow } from './receive-window.ts';
import { isRefusal, stateAfter, StreamState, type StreamEvent } from './stream-state.ts';

/** Content that waits until flow control allows to send it. */
export interface Waiting {
  readonly pieces: Content[];
  /** Bytes of the first piece that were sent. */
  sent: number;
  /** Whether END_STREAM follows. */
  isEnd: boolean;
  /** Sent after the content, in place of END_STREAM on DATA. */
  trailers: FieldLines | undefined;
}

/** A stream of an `Http2Connection`, which alone changes it. */
export class Http2Stream<Owner> {
  readonly id: number;
  /** What the stream is a part of. */
  owner: Owner | undefined;
  state: StreamState = StreamState.idle;
  /** Bytes that the peer allows to send on the stream; negative after SETTINGS that reduce it (RFC 9113 6.9.2). */
  window: number;
  readonly receiving: ReceiveWindow;
  /** Whether the header section of the message has arrived, after which only trailers may come. */
  hasHead = false;
  /** Whether either side has reset it: no further event is called. */
  isReset = false;
  waiting: Waiting | undefined;
  /** Bytes of padding in each DATA frame to send, 1 to 255; 0 for frames without padding. */
  padding = 0;

  /** @param window of the peer, and @param receiveWindow of this side, in bytes */
  constructor(id: number, owner: Owner | undefined, window: number, receiveWindow: number) {
    this.id = id;
    this.owner = owner;
    this.window = window;
    this.receiving = new ReceiveWindow(receiveWindow);
  }

  /** Whether content can still be sent. */
  get isSendable(): boolean {
    const { state } = this;
    return state === StreamState.open || state === StreamState.halfClosedRemote;
  }

  /** Bytes given to send that were not sent yet. */
  get unsent(): number {
    if (!this.waiting) return 0;
    const { pieces, sent } = this.waiting;
    let length = -sent;
    for (const piece of pieces) length += piece.length;
    return length;
  }

  /** Changes the state. @returns false if the event is refused */
  on(event: StreamEvent): boolean {
    const next = stateAfter(this.state, event);
    if (isRefusal(next)) return false;
    this.state = next;
    return true;
  }
}
