import type { ConnectionSettings } from './connection-settings.ts';
import type { FrameHeader, Role } from './frame.ts';
import type { FrameOutput } from './frame-output.ts';
import type { Setting } from './frame-payload.ts';
import type { HeaderBlock } from './header-block.ts';
import type { HpackEncoder } from './hpack-encoder.ts';
import type { SectionKind } from './message-section.ts';
import type { Outgoing } from './outgoing.ts';
import type { Http2Stream } from './stream.ts';
import type { StreamTable } from './stream-table.ts';
import type { Violation } from './violation.ts';

/** Receives what happens on a connection. All methods are called during `receive` or `takeOutput`. */
export interface ConnectionEvents<Owner> {
  /**
   * Called with each field section. On a server, the first one begins a stream, whose owner may be set then.
   *
   * @param isEnd whether `onEnd` follows, without content
   */
  onHeaders(
    stream: Http2Stream<Owner>,
    block: HeaderBlock,
    kind: SectionKind,
    isEnd: boolean,
  ): void;
  /** Called with content in pieces, which change when this returns. `returnCredit` returns its credit. */
  onContent(stream: Http2Stream<Owner>, bytes: Buffer, start: number, end: number): void;
  /**
   * Called when DATA ends a stream, before that counts.
   *
   * @returns false if the message is malformed, for which the stream was reset (RFC 9113 8.1.1)
   */
  mayEnd?(stream: Http2Stream<Owner>): boolean;
  /** Called when the peer has ended the stream. */
  onEnd(stream: Http2Stream<Owner>): void;
  /** Called when a stream was reset. @param violation why it was reset here; undefined if the peer did it */
  onReset(stream: Http2Stream<Owner>, code: number, violation: Violation | undefined): void;
  /** Called when all content was sent for which `send` has returned false. */
  onSent(stream: Http2Stream<Owner>): void;
  /** Called before `onReset` with each stream that the peer has not processed (RFC 9113 6.8). */
  onGoaway(lastStream: number, code: number): void;
  /** Called once if the peer has broken a rule, and nothing more is read. GOAWAY is in the output. */
  onConnectionError(violation: Violation): void;
  /** Called with the header of each frame whose form is valid, of unknown type too. It changes when this returns. */
  onFrame?(header: FrameHeader): void;
  /** Called when settings of the peer were applied and acknowledged. */
  onSettings?(settings: readonly Setting[]): void;
  /** Called when settings of this side were acknowledged, and apply. */
  onSettingsAck?(settings: readonly Setting[]): void;
  /** Called when a PING was acknowledged. */
  onPong?(payload: Buffer): void;
  /** Called when a stream of the peer was refused, because SETTINGS_MAX_CONCURRENT_STREAMS streams are open. */
  onRefused?(id: number, block: HeaderBlock): void;
  /** Called when the peer has reset a stream that is closed already. */
  onLateReset?(id: number, code: number): void;
}

/** The parts of a connection. */
export interface ConnectionParts<Owner> {
  readonly role: Role;
  readonly events: ConnectionEvents<Owner>;
  readonly streams: StreamTable<Owner>;
  readonly output: FrameOutput;
  readonly outgoing: Outgoing<Owner>;
  readonly encoder: HpackEncoder;
  /** The settings of this side that apply to what is received, and those of the peer. */
  readonly local: ConnectionSettings;
  readonly peer: ConnectionSettings;
  /** Whether GOAWAY was sent or received: no further stream is begun here. */
  isFinishing: boolean;
  /** The last stream that GOAWAY has announced to process; infinite without GOAWAY. */
  refusedAbove: number;
}
